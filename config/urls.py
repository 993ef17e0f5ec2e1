"""Which page is found where."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("", include("marketplace.urls")),
    path("", include("listings.urls")),
    path("", include("notifications.urls")),
    path("", include("agents.urls")),
]
