"""Pages of this app: unsubscribing, and the developers' outbox."""

from django.urls import path

from notifications.views import unsubscribing

app_name = "notifications"
urlpatterns = [
    path("mail/unsubscribe/<str:token>/", unsubscribing.unsubscribe, name="unsubscribe"),
]
