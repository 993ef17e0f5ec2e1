"""Which page is found where."""

from django.contrib import admin
from django.urls import include, path

from agents.api.site import api
from marketplace import confirming_views

urlpatterns = [
    path("admin/", admin.site.urls),
    # Before allauth's own page of this link.
    path("accounts/confirm-email/<str:key>/", confirming_views.confirm),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", api.urls),
    path("", include("marketplace.urls")),
    path("", include("listings.urls")),
    path("", include("notifications.urls")),
    path("", include("agents.urls")),
    path("", include("operations.urls")),
]

handler429 = "marketplace.rate_limits.too_many_requests"
