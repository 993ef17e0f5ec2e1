from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    verbose_name = _("People")

    def ready(self) -> None:
        """Answer for accounts; check what the operator has to say of themselves."""
        # Models exist only now.
        from marketplace import account_data, checks, personal_data  # noqa: F401

        personal_data.register("marketplace", account_data.AccountKeeper())
