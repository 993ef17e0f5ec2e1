"""Addresses that get nothing."""

from __future__ import annotations

from django.contrib import admin

from marketplace.admin import ListAdmin
from notifications.models import SpamReport, Suppression


@admin.register(SpamReport)
class SpamReportAdmin(ListAdmin):
    """Addresses that reported our mail as spam."""

    list_display = ("email", "source", "reported_at")
    search_fields = ("email",)
    date_hierarchy = "reported_at"
    ordering = ("-pk",)
    show_full_result_count = False


@admin.register(Suppression)
class SuppressionAdmin(ListAdmin):
    """Addresses that get no mail."""

    list_display = ("email", "cause", "note", "created_at")
    list_filter = ("cause",)
    search_fields = ("email",)
    ordering = ("-pk",)
    show_full_result_count = False
