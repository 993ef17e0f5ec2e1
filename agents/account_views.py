"""The settings page: language, time zone, and when scheduled mail comes."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agents.editing import reschedule_agents
from agents.forms import MailTimesForm
from marketplace.methods import require_form
from marketplace.models import User
from marketplace.people import signed_in


@require_form
@login_required
def mail_times(request: HttpRequest) -> HttpResponse:
    """Change the settings; a changed time moves the next mails of the person's agents."""
    # A copy of its own: an invalid form must not change the person the page's header shows.
    person = User.objects.get(pk=signed_in(request).pk)
    form = MailTimesForm(request.POST or None, instance=person)
    if request.method == "POST" and form.is_valid():
        _save(form, person)
        with translation.override(person.language):
            messages.success(request, _("Your settings are saved."))
        return redirect("agents:mail_times")
    context = {
        "form": form,
        "profile_fields": [form[name] for name in PROFILE],
        "time_fields": [form[name] for name in form.fields if name not in PROFILE],
    }
    return render(request, "agents/mail_times.html", context)


PROFILE = ("name", "language", "time_zone")
TIMES = {"time_zone", "mail_hour", "mail_weekday", "mail_day_of_month"}


@transaction.atomic
def _save(form: MailTimesForm, person: User) -> None:
    """Store the settings and move the agents' next runs together, or neither."""
    form.save()
    if TIMES & set(form.changed_data):
        reschedule_agents(person, timezone.now())
