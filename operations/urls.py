"""Addresses for those who run the marketplace: health, metrics, the dashboard."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
