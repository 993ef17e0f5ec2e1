from notifications.models.delivery import Channel, Delivery, MailContent, Reason, State
from notifications.models.limits import DispatchLimits
from notifications.models.suppression import SpamReport, Suppression

__all__ = [
    "Channel",
    "Delivery",
    "DispatchLimits",
    "MailContent",
    "Reason",
    "SpamReport",
    "State",
    "Suppression",
]
