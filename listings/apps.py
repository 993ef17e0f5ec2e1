from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ListingsConfig(AppConfig):
    name = "listings"
    verbose_name = _("Companies for sale")

    def ready(self) -> None:
        """Answer for the companies of sellers, and show staff what sellers are mailed."""
        # Models exist only now.
        from listings import enquiry_previews, seller_data
        from marketplace import mail_previews, personal_data

        personal_data.register("listings", seller_data.SellerKeeper())
        mail_previews.register("enquiry", enquiry_previews.newest_enquiry)
