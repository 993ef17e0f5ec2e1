"""Every kind of mail as it looks now, in any language: what staff see before people do.

Account mails are known here; other apps register a previewer for theirs when they are ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import translation

from marketplace.account_mails import COMPOSERS, AccountMail, compose, message_of
from marketplace.account_notices import account_deleted, compose_notice, preview_contexts


@dataclass(frozen=True, slots=True)
class Preview:
    """A mail in its three forms."""

    subject: str
    text: str
    html: str


# From a language to the mail in it; None where the database holds nothing to show yet.
Previewer = Callable[[str], Preview | None]

_previewers: dict[str, Previewer] = {}


def register(kind: str, previewer: Previewer) -> None:
    """Make `previewer` show mails of `kind`, a slug."""
    _previewers[kind] = previewer


def kinds() -> list[str]:
    """What can be shown: registered kinds first, then each account mail."""
    return [*sorted(_previewers), *_account_mails()]


def preview(kind: str, language: str, reader: str) -> Preview | None:
    """The mail, written to the address `reader`; None where there is nothing to show yet.

    KeyError for a kind that does not exist.
    """
    if kind in _previewers:
        return _previewers[kind](language)
    composer = _account_mails()[kind]
    with translation.override(language):
        return preview_of(composer(reader), reader)


def preview_of(mail: AccountMail, reader: str) -> Preview:
    """A mail in our design, in the active language."""
    message = message_of(mail, reader)
    [(html, _kind)] = message.alternatives
    return Preview(str(message.subject), str(message.body), str(html))


def _account_mails() -> Mapping[str, Callable[[str], AccountMail]]:
    found: dict[str, Callable[[str], AccountMail]] = {}
    for prefix in COMPOSERS:
        found[_slug(prefix)] = _composing(compose, prefix, dict)
    for prefix, make_context in preview_contexts().items():
        found[_slug(prefix)] = _composing(compose_notice, prefix, make_context)
    return {**found, "account-deleted": account_deleted}


def _composing(
    composer: Callable[[str, str, Mapping[str, Any]], AccountMail | None],
    prefix: str,
    make_context: Callable[[], Mapping[str, Any]],
) -> Callable[[str], AccountMail]:
    def composed(reader: str) -> AccountMail:
        mail = composer(prefix, reader, {**_links(), **make_context()})
        assert mail is not None  # noqa: S101 - the prefix is one of the composer's own
        return mail

    return composed


def _links() -> dict[str, str]:
    """Links that lead nowhere: a preview must not open an account."""
    nowhere = settings.SITE_URL + "/accounts/example/"
    return dict.fromkeys(("activate_url", "password_reset_url", "signup_url"), nowhere)


def _slug(prefix: str) -> str:
    return prefix.rpartition("/")[2].replace("_", "-")
