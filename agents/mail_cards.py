"""Company cards in mails: rendered once for all the mails that show them.

A card holds nothing personal. It is kept by the company's last change and the language, so a
worker renders each card of a run once a language, not once a mail.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from listings.freshness import FreshReason
from listings.models import Company
from listings.prices import amount_in_words, price_in_words

MAX_CARDS = 20_000
EXCERPT_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Card:
    """A company in a mail, as HTML and as text."""

    html: SafeString
    text: SafeString


_cards: dict[tuple[int, datetime, str], Card] = {}


def card_of(company: Company, language: str) -> Card:
    """The company's card in a language."""
    key = (company.pk, company.updated_at, language)
    card = _cards.get(key)
    if card is None:
        if len(_cards) >= MAX_CARDS:
            _cards.clear()
        with translation.override(language):
            card = _cards[key] = _render(company)
    return card


def _render(company: Company) -> Card:
    context = {
        "company": company,
        "url": settings.SITE_URL + reverse("listings:company", args=[company.pk]),
        "excerpt": _excerpt(company.description),
        "price": price_in_words(company),
        "badge": _badge(company),
    }
    return Card(
        html=mark_safe(render_to_string("agents/mail/card.html", context)),  # noqa: S308
        text=mark_safe(render_to_string("agents/mail/card.txt", context).strip("\n")),  # noqa: S308
    )


def _badge(company: Company) -> str:
    """Why a company that was offered before is news; '' for a new one."""
    if company.fresh_reason == FreshReason.PRICE_CUT and company.price_before is not None:
        before = amount_in_words(company.price_before, company.currency)
        return _("Price lowered, was %(before)s") % {"before": before}
    return {
        FreshReason.PRICE_CUT: _("Price lowered"),
        FreshReason.PRICE_NAMED: _("Price now named"),
        FreshReason.INDUSTRY_CORRECTED: _("Now in this industry"),
        FreshReason.REGION_CORRECTED: _("Now in this region"),
    }.get(company.fresh_reason, "")  # type: ignore[call-overload]


def _excerpt(text: str) -> str:
    """The beginning of the description, cut between words."""
    text = " ".join(text[: EXCERPT_LENGTH * 4].split())
    if len(text) <= EXCERPT_LENGTH:
        return text
    return text[:EXCERPT_LENGTH].rsplit(" ", 1)[0].rstrip(",;:.–-") + "…"
