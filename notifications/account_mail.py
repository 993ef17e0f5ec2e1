"""Account mails (confirmation, password reset, whatever calls `send_mail`): their message source.

They go to unconfirmed addresses too: a confirmation is how an address becomes confirmed. Only an
address that bounced for good gets none. They are not bulk mail, so there is no unsubscribing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from notifications.erased_addresses import erased_among
from notifications.messages import Message, NotWanted
from notifications.models import Delivery, MailContent, Reason, Suppression
from notifications.sources import Scope

KIND = "account"
# How the keys of mails to people who have left begin: such a row ends without its address.
LAST_MAIL_KEY = f"{KIND}:last:"


class AccountMailSource:
    """Reads the stored texts of account mails."""

    def compose(self, deliveries: Sequence[Delivery]) -> Mapping[int, Message | NotWanted]:
        """Each delivery's stored text, in two queries."""
        bounced = _bounced({delivery.address.lower() for delivery in deliveries})
        contents = MailContent.objects.in_bulk([delivery.pk for delivery in deliveries])
        return {
            delivery.pk: _compose_one(delivery, contents[delivery.pk], bounced)
            for delivery in deliveries
            if delivery.pk in contents
        }

    def release(self, deliveries: Sequence[Delivery]) -> None:
        """Nothing is held: the ledger deletes the stored texts itself."""

    def hold_again(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        """Their texts, which held secret links, are gone: the person has to ask for a new one."""
        why = str(
            _("its text held secret links and was deleted; the person can ask for a new mail")
        )
        return dict.fromkeys([delivery.pk for delivery in deliveries], why)

    def scopes(self, delivery: Delivery) -> list[Scope]:
        """None: whoever has an account gets its mails."""
        return []

    def unsubscribe(self, deliveries: Sequence[Delivery], scope: str) -> None:
        """Whoever has an account gets its mails."""


def _compose_one(
    delivery: Delivery, content: MailContent, bounced: set[str]
) -> Message | NotWanted:
    if delivery.address.lower() in bounced:
        return NotWanted(Reason.SUPPRESSED.value)
    return Message(
        to=delivery.address,
        subject=content.subject,
        text=content.text,
        html=content.html,
        from_address=content.from_address,
        headers=content.headers,
        category=KIND,
    )


def _bounced(addresses: set[str]) -> set[str]:
    suppressed = Suppression.objects.annotate(address=Lower("email")).filter(
        cause=Suppression.Cause.BOUNCE, address__in=addresses
    )
    bounces = Suppression.objects.filter(cause=Suppression.Cause.BOUNCE)
    return {*suppressed.values_list("address", flat=True), *erased_among(bounces, addresses)}
