"""Deleting an account: what belongs to the person goes, in one transaction; a last mail says so."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.utils import translation

from marketplace.account_mails import message_of
from marketplace.account_notices import account_deleted
from marketplace.models import User
from marketplace.personal_data import keepers

logger = logging.getLogger(__name__)


@transaction.atomic
def delete_account(user_id: int, now: datetime) -> bool:
    """Delete the person and all that the apps keep of them; False when they were gone already.

    The last mail is planned in the same transaction: it goes out exactly when the account is gone.
    Once it has ended, the ledger knows its address no more.
    """
    # Not FOR UPDATE: a report run that holds the agents must be able to end before we take them.
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    if user is None:
        return False
    for keeper in reversed(keepers()):
        keeper.erase(user, now)
    address, language = user.email, user.language
    user.delete()
    if address:
        with translation.override(language):
            goodbye = message_of(account_deleted(address), address)
            goodbye.forgets_address = True  # type: ignore[attr-defined]
            goodbye.send()
    logger.info("Account %s was deleted at its person's wish", user_id)
    return True
