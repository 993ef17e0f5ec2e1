"""Mails as files in a folder: the provider of a developer's machine.

One `.eml` file a delivery, a thousand to a folder. Its name is the delivery's id, so a mail that
is written twice is still one mail.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from notifications.messages import Message
from notifications.models import Delivery
from notifications.providers.base import Accepted, Outcome, Provider, Unavailable
from notifications.providers.mime import as_bytes

FILES_PER_FOLDER = 1000


def path_of(delivery_id: int) -> Path:
    """Where the mail of a delivery is, or would be."""
    folder = f"{delivery_id // FILES_PER_FOLDER:09d}"
    return Path(settings.OUTBOX_DIR) / folder / f"{delivery_id:012d}.eml"


class OutboxProvider(Provider):
    """Writes each mail to a file, whole or not at all."""

    name = "outbox"

    def send(self, delivery_id: int, message: Message) -> Outcome:
        mail = as_bytes(delivery_id, message.filled_in(), now=timezone.now(), is_readable=True)
        path = path_of(delivery_id)
        try:
            _write_whole(path, mail)
        except OSError as error:
            return Unavailable(f"The outbox cannot be written: {error.strerror}")
        return Accepted(message_id=path.name)

    def was_accepted(self, delivery: Delivery) -> bool:
        """Whether the file is there. An older file belongs to a database that is gone."""
        try:
            written_at = datetime.fromtimestamp(path_of(delivery.pk).stat().st_mtime, tz=UTC)
        except FileNotFoundError:
            return False
        return written_at >= delivery.created_at


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside and rename: a killed process leaves no half mail."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(path)
