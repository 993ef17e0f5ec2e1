"""The words with which people agree to promotions, one text for each channel."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from marketplace.consent import Channel, Wording


def wording_of(channel: Channel, language: str) -> Wording:
    """What a person is asked to agree to, in the language with this code."""
    with translation.override(language):
        return Wording(_text(channel) % {"operator": settings.OPERATOR_NAME}, language)


def fingerprint(wording: Wording) -> str:
    """Stands in the form for the words shown, so that nothing else is stored as agreed to."""
    return hashlib.sha256("\n".join(wording).encode()).hexdigest()[:32]


def _text(channel: Channel) -> str:
    match channel:
        case Channel.EMAIL:
            return _(
                "Yes, %(operator)s may send me news and offers by e-mail. I can take this back "
                "at any time, here or by the link in each such mail."
            )
        case Channel.SMS:
            return _(
                "Yes, %(operator)s may send me news and offers by SMS. I can take this back at "
                "any time, here or by the link in each such message."
            )
        case Channel.PUSH:
            return _(
                "Yes, %(operator)s may send news and offers to my devices as push messages. I can "
                "take this back here at any time."
            )
