"""Which page is found where."""

import allauth.urls
from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from agents.api.site import api
from marketplace import confirming_views
from marketplace.sent_twice import ask_all_again

# Staff sign in where everybody does: with the second factor, and within the same rate limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

ask_all_again(allauth.urls.urlpatterns)

urlpatterns = [
    path("admin/", admin.site.urls),
    # Before allauth's own page of this link.
    path("accounts/confirm-email/<str:key>/", confirming_views.confirm),
    path("accounts/", include(allauth.urls)),
    path("api/v1/", api.urls),
    path("", include("marketplace.urls")),
    path("", include("listings.urls")),
    path("", include("notifications.urls")),
    path("", include("agents.urls")),
    path("", include("operations.urls")),
]

handler429 = "marketplace.rate_limits.too_many_requests"
