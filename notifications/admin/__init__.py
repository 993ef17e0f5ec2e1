"""The admin of this app: the ledger and what is in trouble, addresses, limits and quotas."""

from notifications.admin.addresses import SpamReportAdmin, SuppressionAdmin
from notifications.admin.events import DeliveryEventAdmin
from notifications.admin.ledger import DeliveryAdmin
from notifications.admin.limit_history import LimitChangeAdmin
from notifications.admin.limits import DispatchLimitsAdmin
from notifications.admin.quotas import ProviderQuotaAdmin
from notifications.admin.trouble import DeadLetterAdmin, UncertainDeliveryAdmin

__all__ = [
    "DeadLetterAdmin",
    "DeliveryAdmin",
    "DeliveryEventAdmin",
    "DispatchLimitsAdmin",
    "LimitChangeAdmin",
    "ProviderQuotaAdmin",
    "SpamReportAdmin",
    "SuppressionAdmin",
    "UncertainDeliveryAdmin",
]
