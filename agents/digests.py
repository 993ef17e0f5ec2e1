"""The message source for digests and welcome mails: from ledger rows to finished mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice

from django.conf import settings
from django.db.models import F, Min
from django.db.models.functions import Least
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agents import mail_words as words
from agents.digest_reader import DigestContent, Section, read_digests
from agents.mail_cards import card_of
from agents.mail_stencils import fill_in
from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from agents.unsubscribing import switch_off, unsubscribe_scopes
from listings.models import Company
from notifications.messages import Message, NotWanted
from notifications.models import Delivery
from notifications.sources import Scope
from notifications.unsubscribe import list_headers, unsubscribe_url

WELCOME = "welcome"
# Stands for the first id in a pattern of a page's address: no other part of one looks like it.
STAND_IN = 9_007_199_254_740_000


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
    subject = _subject(content)
    common = _common(content, subject)
    sections = [_section(section, found, user.language) for section, found in content.sections]
    return Message(
        to=delivery.address,
        to_name=user.name,
        subject=subject,
        text=_part("txt", user.language, common, sections),
        html=_part("html", user.language, common, sections),
        headers=list_headers(delivery),
        category=delivery.kind,
    )


def _part(
    kind: str, language: str, common: Mapping[str, str], sections: Sequence[Mapping[str, str]]
) -> str:
    """The mail as text or as HTML."""
    parts = {
        f"{part}s": SafeString(
            "".join(fill_in(f"agents/mail/{part}.{kind}", language, each) for each in sections)
        )
        for part in ("section", "reason")
    }
    return fill_in(f"agents/mail/digest.{kind}", language, {**common, **parts})


def _common(content: DigestContent, subject: str) -> dict[str, str]:
    """What both parts of the mail show: each sentence is written once for the two of them."""
    language, is_welcome = content.user.language, content.delivery.kind == WELCOME
    count = content.companies
    return {
        "language": language,
        "is_welcome": "yes" if is_welcome else "",
        "subject": subject,
        "preheader": _preheader(content),
        "heading": words.welcome(language) if is_welcome else words.heading(language, count),
        "has_companies": "yes" if count else "",
        "agents_url": _url("agents:list"),
        "times_url": _url("agents:mail_times"),
        "unsubscribe_url": unsubscribe_url(content.delivery),
        "site_url": settings.SITE_URL,
        "operator": settings.OPERATOR_NAME,
        "operator_address": settings.OPERATOR_ADDRESS,
    }


def _section(section: Section, companies: Sequence[Company], language: str) -> dict[str, str]:
    criteria = words.criteria(language, section.criteria)
    cards = [card_of(company, language) for company in companies]
    more_url = _url("agents:matches", section.agent_id, section.pk) if section.waiting else ""
    return {
        "name": section.agent_name,
        "criteria": criteria,
        "cards_html": SafeString("".join([card.html for card in cards])),
        "cards_text": "\n\n".join([card.text for card in cards]),
        "more": words.more(language, section.waiting),
        "more_url": more_url,
        "why": words.why(language)
        % {
            "agent": section.agent_name,
            "criteria": criteria,
            "frequency": words.frequency(language, section.frequency),
        },
        "edit_url": _url("agents:edit", section.agent_id),
    }


def _url(name: str, *ids: int) -> str:
    return settings.SITE_URL + _pattern(name, len(ids)) % ids


@lru_cache
def _pattern(name: str, count: int) -> str:
    """Where a page is, with `%d` for each id."""
    ids = range(STAND_IN, STAND_IN + count)
    path = reverse(name, args=ids).replace("%", "%%")
    for number in ids:
        path = path.replace(str(number), "%d")
    return path


def _subject(content: DigestContent) -> str:
    language, count = content.user.language, content.companies
    if content.delivery.kind == WELCOME:
        return words.welcome(language)
    if len(content.sections) > 1:
        return words.subject_of_several(language, count)
    agent = content.sections[0][0].agent_name
    return words.subject_of_one(language, count) % {"count": count, "agent": agent}


def _preheader(content: DigestContent) -> str:
    """What a mail program shows beside the subject: the first titles."""
    titles = (company.title for _section, companies in content.sections for company in companies)
    return " · ".join(islice(titles, 3))
