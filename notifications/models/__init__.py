from notifications.models.delivery import Channel, Delivery, MailContent, Reason, State
from notifications.models.event import DeadLetterAction, DeliveryEvent, EventKind
from notifications.models.limit_change import LimitChange
from notifications.models.limits import DispatchLimits, UncertainPolicy
from notifications.models.quota import ProviderQuota
from notifications.models.suppression import SpamReport, Suppression
from notifications.models.trouble import DeadLetter, UncertainDelivery

__all__ = [
    "Channel",
    "DeadLetter",
    "DeadLetterAction",
    "Delivery",
    "DeliveryEvent",
    "DispatchLimits",
    "EventKind",
    "LimitChange",
    "MailContent",
    "ProviderQuota",
    "Reason",
    "SpamReport",
    "State",
    "Suppression",
    "UncertainDelivery",
    "UncertainPolicy",
]
