"""The deliveries an operator should look at, as lists of their own in the admin."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from notifications.models.delivery import Delivery


class DeadLetter(Delivery):
    """A delivery that failed for good."""

    class Meta:
        proxy = True
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")


class UncertainDelivery(Delivery):
    """A delivery of which nobody knows whether the provider took it."""

    class Meta:
        proxy = True
        verbose_name = _("uncertain delivery")
        verbose_name_plural = _("uncertain deliveries")
