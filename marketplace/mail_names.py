"""What staff call each kind of mail."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NAMES: Mapping[str, Promise] = {
    "digest": _("Digest: new companies"),
    "welcome": _("Welcome"),
    "enquiry": _("Message to a seller"),
    "email-confirmation-signup": _("Confirm the address after signing up"),
    "email-confirmation": _("Confirm a new address"),
    "password-reset-key": _("Choose a new password"),
    "account-already-exists": _("Signed up with an address that has an account"),
    "unknown-account": _("Reset asked for an address without account"),
    "login-code": _("Sign-in code"),
    "email-changed": _("Address changed"),
    "email-deleted": _("Address removed"),
    "password-changed": _("Password changed"),
    "password-set": _("Password set"),
    "password-reset": _("Password reset"),
    "totp-activated": _("Authenticator app set up"),
    "totp-deactivated": _("Authenticator app removed"),
    "recovery-codes-generated": _("New recovery codes"),
    "account-deleted": _("Account deleted"),
}


def name_of(kind: str) -> str:
    """The name of a kind in the active language; a kind without one is called by its slug."""
    return str(NAMES.get(kind, kind))
