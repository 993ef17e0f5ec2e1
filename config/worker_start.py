"""What a worker reads before its first message, so that nobody's mail waits for it."""

from __future__ import annotations

from typing import Any

from celery import signals


@signals.worker_init.connect
def read_ahead(**_details: Any) -> None:
    """The site's addresses in each language, which stand in every mail.

    They bring all pages along. The processes of a pool part later, and share what is read here.
    """
    # Django is set up only now.
    from django.conf import settings
    from django.urls import reverse
    from django.utils.translation import override

    for language, _name in settings.LANGUAGES:
        with override(language):
            reverse("agents:list")
