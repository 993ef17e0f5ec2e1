"""Addresses for those who run the marketplace: health, metrics, the dashboard."""

from django.urls import URLPattern, path

from operations import metrics_views

urlpatterns: list[URLPattern] = [
    path("metrics", metrics_views.metrics, name="metrics"),
]
