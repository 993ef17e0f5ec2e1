"""People, as this app sees them: why no mail, their agents, and their mail times."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from agents.account_views import TIMES
from agents.editing import reschedule_agents
from agents.mail_states import state_of
from agents.why_no_mail import find_person, why_no_mail
from marketplace.admin import UserAdmin
from marketplace.models import User
from notifications.models import Delivery

LATEST = 5


class PersonAdmin(UserAdmin):
    """The shell's admin of people, which knows nothing of agents, plus what their mail does."""

    change_form_outer_before_template = "agents/admin/why_no_mail.html"

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and TIMES & set(form.changed_data):
            reschedule_agents(obj, timezone.now())

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        person = find_person(object_id) if object_id.isdecimal() else None
        if person is not None and self.has_view_permission(request, person):
            extra_context = {**(extra_context or {}), **_mail_of(person)}
        return super().change_view(request, object_id, form_url, extra_context)


def _mail_of(person: User) -> dict[str, Any]:
    latest = Delivery.objects.filter(user=person).order_by("-created_at", "-pk")[:LATEST]
    return {
        "why": why_no_mail(person, timezone.now()),
        "latest": [(mail, state_of(mail, ()).words) for mail in latest],
        "all_mails": f"{reverse('admin:notifications_delivery_changelist')}?user__id={person.pk}",
    }


admin.site.unregister(User)
admin.site.register(User, PersonAdmin)
