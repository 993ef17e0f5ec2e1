from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ListingsConfig(AppConfig):
    name = "listings"
    verbose_name = _("Companies for sale")

    def ready(self) -> None:
        """Answer for the companies of sellers."""
        # Models exist only now.
        from listings import seller_data
        from marketplace import personal_data

        personal_data.register("listings", seller_data.SellerKeeper())
