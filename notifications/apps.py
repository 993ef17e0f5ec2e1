from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = _("Notifications")

    def ready(self) -> None:
        """Answer for account mails."""
        # Models exist only now.
        from notifications import account_mail, sources

        sources.register(account_mail.KIND, account_mail.AccountMailSource())
