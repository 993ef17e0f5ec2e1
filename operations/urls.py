"""Addresses for those who run the marketplace: health, metrics, the dashboard."""

from django.urls import URLPattern, path

from operations import dashboard_views, metrics_views, readiness_views

urlpatterns: list[URLPattern] = [
    path("readyz", readiness_views.readyz, name="readyz"),
    path("operations/", dashboard_views.dashboard, name="operations_dashboard"),
    path("operations/figures/", dashboard_views.figures, name="operations_figures"),
    path("metrics", metrics_views.metrics, name="metrics"),
]
