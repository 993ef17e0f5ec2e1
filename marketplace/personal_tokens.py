"""Personal tokens: with one, a person's own programs may use the API in their name.

A token is shown once, when it is made; what is stored opens nothing. The hash needs no salt and
no slowness, because a token is 256 random bits.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from allauth.account.signals import password_reset
from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from marketplace.models import User

logger = logging.getLogger(__name__)
START = "mlt_"
PREFIX_LENGTH = len(START) + 6
MOST_PER_PERSON = 20
# A use is noted this often: not a write for every request.
NOTED_EVERY = timedelta(minutes=1)


class UnableToAddToken(ValueError):
    """The person has a token of this name, or as many as there may be; the text says which."""


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def valid(self, now: datetime) -> Self:
        """Tokens that open the API at `now`."""
        return self.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)


class PersonalToken(models.Model):
    """A key to a person's own part of the API, until it expires or is revoked."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="personal_tokens",
        db_index=False,  # the unique one below serves
        verbose_name=_("person"),
    )
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("begins with"), max_length=PREFIX_LENGTH)
    hash = models.CharField(_("hash"), max_length=64, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires"))
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    objects = PersonalTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("personal token")
        verbose_name_plural = _("personal tokens")
        constraints = [
            models.UniqueConstraint(fields=["hash"], name="token_hash_unique"),
            # Also: sent twice, the form makes one.
            models.UniqueConstraint(
                fields=["user", "name"],
                condition=Q(revoked_at=None),
                name="token_name_once_per_person",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="token_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


def make_token(
    user_id: int, *, name: str, lasts: timedelta, now: datetime
) -> tuple[PersonalToken, str]:
    """Store a new token; the row, and the secret that nobody can see again.

    Raises UnableToAddToken.
    """
    kept = PersonalToken.objects.filter(user=user_id, revoked_at=None)
    if kept.count() >= MOST_PER_PERSON:
        raise UnableToAddToken(
            _t("You have %(most)s tokens, which is the most. Revoke one to make room.")
            % {"most": MOST_PER_PERSON}
        )
    secret = START + secrets.token_urlsafe(32)
    token = PersonalToken(
        user_id=user_id,
        name=name,
        prefix=secret[:PREFIX_LENGTH],
        hash=_hash_of(secret),
        created_at=now,
        expires_at=now + lasts,
    )
    try:
        with transaction.atomic():
            token.save()
    except IntegrityError as error:
        raise UnableToAddToken(
            _t("You already have a token of this name. Choose another, or revoke that one.")
        ) from error
    return token, secret


def use_token(secret: str, now: datetime) -> PersonalToken | None:
    """The valid token behind the secret, with its person; notes that it was used."""
    token = (
        PersonalToken.objects.valid(now)
        .select_related("user")
        .filter(hash=_hash_of(secret))
        .first()
    )
    if token and (token.last_used_at is None or token.last_used_at <= now - NOTED_EVERY):
        PersonalToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(token: PersonalToken, now: datetime) -> None:
    """From now on the token opens nothing. Idempotent."""
    PersonalToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)


@receiver(password_reset, dispatch_uid="revoke_tokens_on_reset")
def revoke_tokens_of(user: User, **kwargs: Any) -> None:
    """Whoever needs a new password, perhaps because others got in, wants no door left open."""
    PersonalToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
    logger.info("Tokens of account %s were revoked with its password's reset", user.pk)


def _hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
