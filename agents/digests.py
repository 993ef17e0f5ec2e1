"""The message source for digests and welcome mails: from ledger rows to finished mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import F, Min
from django.db.models.functions import Least
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.digest_reader import DigestContent, read_digests
from agents.frequency import Frequency
from agents.mail_cards import card_of
from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from agents.unsubscribing import switch_off, unsubscribe_scopes
from listings.criteria import Criteria
from listings.models import Company
from listings.wording import criteria_in_words
from notifications.messages import Message, NotWanted
from notifications.models import Delivery
from notifications.sources import Scope
from notifications.unsubscribe import list_headers, unsubscribe_url

WELCOME = "welcome"


class DigestSource:
    """Composes digests and welcomes; see `notifications.sources.MessageSource`."""

    def compose(self, deliveries: Sequence[Delivery]) -> Mapping[int, Message | NotWanted]:
        """Each delivery's mail as of now, or why it is not wanted any more."""
        batch = read_digests(deliveries, timezone.now())
        composed: dict[int, Message | NotWanted] = {
            delivery_id: NotWanted(reason) for delivery_id, reason in batch.not_wanted.items()
        }
        for content in batch.contents:
            composed[content.delivery.pk] = compose_digest(content)
        return composed

    def release(self, deliveries: Sequence[Delivery]) -> None:
        """Forget that these showed anything, and look at their windows again."""
        ids = [delivery.pk for delivery in deliveries]
        ReportedCompany.objects.filter(delivery__in=ids).delete()
        starts = (
            DigestSection.objects.filter(delivery__in=ids)
            .values("agent_id")
            .annotate(start=Min("window_from"))
        )
        for section in starts.order_by("agent_id"):
            ScheduledMailReport.objects.filter(pk=section["agent_id"]).update(
                matched_until=Least(F("matched_until"), section["start"])
            )

    def hold_again(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        """A dead digest stays dead: its companies were given back and come with the next mail."""
        why = _("nothing is lost, its companies come with the person's next mail")
        return {delivery.pk: why for delivery in deliveries if delivery.kind != WELCOME}

    def scopes(self, delivery: Delivery) -> list[Scope]:
        """The agents that spoke in this mail, and all of the person's."""
        return unsubscribe_scopes(delivery)

    def unsubscribe(self, deliveries: Sequence[Delivery], scope: str) -> None:
        """Switch off the agents that spoke in these mails, or all of their people's."""
        switch_off(deliveries, scope)


def compose_digest(content: DigestContent) -> Message:
    """The finished mail in its person's language."""
    user, delivery = content.user, content.delivery
    with translation.override(user.language):
        subject = _subject(content)
        context = _context(content, subject)
        return Message(
            to=delivery.address,
            to_name=user.name,
            subject=subject,
            text=render_to_string("agents/mail/digest.txt", context),
            html=render_to_string("agents/mail/digest.html", context),
            headers=list_headers(delivery),
            category=delivery.kind,
        )


def _context(content: DigestContent, subject: str) -> dict[str, Any]:
    """What both parts of the mail show: each sentence is written once for the two of them."""
    is_welcome = content.delivery.kind == WELCOME
    return {
        "language": translation.get_language(),
        "is_welcome": is_welcome,
        "subject": subject,
        "preheader": _preheader(content),
        "heading": _("Welcome to Marktlotse") if is_welcome else _heading(content.companies),
        "has_companies": content.companies > 0,
        "sections": [_section(section, companies) for section, companies in content.sections],
        "agents_url": settings.SITE_URL + _path("agents:list"),
        "times_url": settings.SITE_URL + _path("agents:mail_times"),
        "unsubscribe_url": unsubscribe_url(content.delivery),
        "site_url": settings.SITE_URL,
        "operator": settings.OPERATOR_NAME,
        "operator_address": settings.OPERATOR_ADDRESS,
    }


def _section(section: DigestSection, companies: Sequence[Company]) -> dict[str, Any]:
    language = translation.get_language() or "en"
    criteria = criteria_in_words(Criteria.from_json(section.criteria), language)
    cards = [card_of(company) for company in companies]
    return {
        "name": section.agent.name,
        "criteria": criteria,
        "html": mark_safe("".join(card.html for card in cards)),  # noqa: S308
        "text": mark_safe("\n\n".join(card.text for card in cards)),  # noqa: S308
        "more": _more(section.waiting),
        "more_url": _url("agents:matches", section.agent_id, section.pk) if section.waiting else "",
        "why": _("Your search agent “%(agent)s” looks for: %(criteria)s (%(frequency)s).")
        % {
            "agent": section.agent.name,
            "criteria": criteria,
            "frequency": Frequency(section.frequency).label,
        },
        "edit_url": _url("agents:edit", section.agent_id),
    }


def _url(name: str, *args: int) -> str:
    return settings.SITE_URL + reverse(name, args=args)


@lru_cache
def _path(name: str) -> str:
    """Where a page is that is the same for everybody."""
    return reverse(name)


def _heading(count: int) -> str:
    return ngettext("%(count)s new company for you", "%(count)s new companies for you", count) % {
        "count": count
    }


def _more(waiting: int) -> str:
    """How many more there are; '' where there are none."""
    if not waiting:
        return ""
    return ngettext("View %(waiting)s more match", "View all %(waiting)s more matches", waiting) % {
        "waiting": waiting
    }


def _subject(content: DigestContent) -> str:
    if content.delivery.kind == WELCOME:
        return _("Welcome to Marktlotse")
    count = content.companies
    if len(content.sections) == 1:
        return ngettext(
            "%(count)d new company for “%(agent)s”",
            "%(count)d new companies for “%(agent)s”",
            count,
        ) % {"count": count, "agent": content.sections[0][0].agent.name}
    return ngettext(
        "%(count)d new company for your searches",
        "%(count)d new companies for your searches",
        count,
    ) % {"count": count}


def _preheader(content: DigestContent) -> str:
    """What a mail program shows beside the subject: the first titles."""
    titles = [company.title for _, companies in content.sections for company in companies]
    return " · ".join(titles[:3])
