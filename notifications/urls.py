"""Pages of this app: unsubscribing, webhooks for providers, and the developers' outbox."""

from django.urls import path

from notifications.views import outbox, unsubscribing
from notifications.webhooks import receiving

app_name = "notifications"
urlpatterns = [
    path("mail/unsubscribe/<str:token>/", unsubscribing.unsubscribe, name="unsubscribe"),
    path(
        "mail/unsubscribe/<str:token>/<slug:scope>/",
        unsubscribing.unsubscribe,
        name="unsubscribe_scope",
    ),
    path("webhooks/sendgrid/", receiving.sendgrid, name="sendgrid_webhook"),
    path("webhooks/twilio/", receiving.twilio, name="twilio_webhook"),
    path("outbox/", outbox.mails, name="outbox"),
    path("outbox/<int:delivery_id>/", outbox.mail, {"part": "html"}, name="outbox_mail"),
    path("outbox/<int:delivery_id>/text/", outbox.mail, {"part": "text"}, name="outbox_text"),
    path(
        "outbox/<int:delivery_id>/headers/",
        outbox.mail,
        {"part": "headers"},
        name="outbox_headers",
    ),
    path("outbox/<int:delivery_id>/body/", outbox.mail_body, name="outbox_body"),
]
