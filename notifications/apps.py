from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = _("Notifications")

    def ready(self) -> None:
        """Answer for account mails, and for what the ledger knows about people."""
        # Models exist only now.
        from marketplace import personal_data
        from notifications import account_mail, delivery_data, sources

        personal_data.register("notifications", delivery_data.DeliveryKeeper())
        sources.register(account_mail.KIND, account_mail.AccountMailSource())
