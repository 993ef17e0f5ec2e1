"""Secrets of two-factor authentication: encrypted, so that a copy of the database opens nothing."""

from __future__ import annotations

import base64
import hashlib

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


class TwoFactorAdapter(DefaultMFAAdapter):
    """Stores authenticator secrets and seeds of recovery codes under a key of the site's own."""

    def encrypt(self, text: str) -> str:
        """The text under the present SECRET_KEY."""
        return _keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The text again; keys of SECRET_KEY_FALLBACKS open it too."""
        return _keys().decrypt(encrypted_text.encode()).decode()


def _keys() -> MultiFernet:
    return MultiFernet(
        [_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _fernet(secret: str) -> Fernet:
    """A key for this purpose only, derived from a secret that serves others too."""
    digest = hashlib.sha256(b"marketplace.two_factor:" + secret.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
