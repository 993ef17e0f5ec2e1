"""Forms of search agents, and of the hours at which their mail comes."""

from __future__ import annotations

import zoneinfo
from functools import cache
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.models import Frequency, ScheduledMailReport
from listings.forms import CriteriaForm, criteria_as_initial
from marketplace.line_fields import LineField
from marketplace.models import User


class AgentForm(CriteriaForm):
    """A search with a name and a frequency."""

    name = LineField(
        label=_("Name"),
        max_length=100,
        help_text=_("Stands above this agent's companies in your mail."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    frequency = forms.ChoiceField(
        label=_("How often"), choices=Frequency.choices, initial=Frequency.WEEKLY
    )

    field_order = ["name", "frequency"]

    def agent_values(self) -> dict[str, Any]:
        """What `create_agent` and `change_agent` take; only after the form was found valid."""
        return {
            "name": self.cleaned_data["name"],
            "criteria": self.criteria,
            "frequency": self.cleaned_data["frequency"],
        }


def agent_as_initial(agent: ScheduledMailReport) -> dict[str, Any]:
    """The values with which the form shows a stored agent."""
    return {
        "name": agent.name,
        "frequency": agent.frequency,
        **criteria_as_initial(agent.criteria),
    }


class MailTimesForm(forms.ModelForm):
    """Language, time zone and the moments at which scheduled mail is due."""

    time_zone = forms.ChoiceField(label=_("Time zone"))
    mail_hour = forms.TypedChoiceField(
        label=_("Hour for mail"),
        coerce=int,
        choices=[(hour, f"{hour:02}:00") for hour in range(24)],
        help_text=_("In your time zone. Hourly agents do not wait for it."),
    )
    mail_day_of_month = forms.TypedChoiceField(
        label=_("Day for monthly mail"),
        coerce=int,
        choices=[(day, str(day)) for day in range(1, 32)],
        help_text=_("In shorter months the last day."),
    )

    class Meta:
        model = User
        fields = [
            "name",
            "language",
            "time_zone",
            "mail_hour",
            "mail_weekday",
            "mail_day_of_month",
        ]
        field_classes = {"name": LineField}
        labels = {"name": _("Your name")}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        time_zone = self.fields["time_zone"]
        assert isinstance(time_zone, forms.ChoiceField)  # noqa: S101
        time_zone.choices = _time_zones(self.instance.time_zone)


def _time_zones(current: str) -> list[tuple[str, str]]:
    """Zones to choose from; a stored one that is not offered any more stays."""
    names = _offered_zones()
    return [(name, name.replace("_", " ")) for name in sorted({*names, current})]


@cache
def _offered_zones() -> frozenset[str]:
    areas = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/")
    names = zoneinfo.available_timezones()
    return frozenset(n for n in names if n.startswith((*areas, "Pacific/"))) | {"UTC"}
