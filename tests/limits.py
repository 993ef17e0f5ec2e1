"""Changing the limits in a test, as an admin would."""

from notifications.models import DispatchLimits


def set_limits(**values: int) -> DispatchLimits:
    """Store these limits, checked as the admin checks them."""
    limits = DispatchLimits.current()
    for name, value in values.items():
        setattr(limits, name, value)
    limits.full_clean()
    limits.save()
    return limits
