"""Search agents, and when their mail comes."""

from django.urls import path

from agents import account_views, views

app_name = "agents"
urlpatterns = [
    path("agents/", views.agent_list, name="list"),
    path("agents/new/", views.agent_new, name="new"),
    path("agents/<int:pk>/edit/", views.agent_edit, name="edit"),
    path("agents/<int:pk>/switch/", views.agent_switch, name="switch"),
    path("agents/<int:pk>/delete/", views.agent_delete, name="delete"),
    path("agents/<int:pk>/matches/<int:section_pk>/", views.agent_matches, name="matches"),
    path("account/mail-times/", account_views.mail_times, name="mail_times"),
]
