"""The shell's own addresses."""

from django.urls import path

from marketplace import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("i18n/setlang/", views.switch_language, name="set_language"),
]
