"""Addresses for those who run the marketplace: health, metrics, the dashboard."""

from django.urls import URLPattern, path

from operations import metrics_views, readiness_views

urlpatterns: list[URLPattern] = [
    path("readyz", readiness_views.readyz, name="readyz"),
    path("metrics", metrics_views.metrics, name="metrics"),
]
