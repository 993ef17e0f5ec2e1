"""Which page is found where."""

from django.contrib import admin
from django.urls import include, path

from agents.api.site import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", api.urls),
    path("", include("marketplace.urls")),
    path("", include("listings.urls")),
    path("", include("notifications.urls")),
    path("", include("agents.urls")),
    path("", include("operations.urls")),
]

handler429 = "marketplace.rate_limits.too_many_requests"
