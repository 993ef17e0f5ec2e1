"""People, as this app sees them: a changed mail time moves the next runs of their agents."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from agents.account_views import TIMES
from agents.editing import reschedule_agents
from marketplace.admin import UserAdmin
from marketplace.models import User


class PersonAdmin(UserAdmin):
    """The shell's admin of people, which knows nothing of agents, plus their schedule."""

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and TIMES & set(form.changed_data):
            reschedule_agents(obj, timezone.now())


admin.site.unregister(User)
admin.site.register(User, PersonAdmin)
