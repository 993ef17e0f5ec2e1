"""Search agents, their history, hidden companies, and when mail comes."""

from django.urls import path

from agents import account_views, editing_views, history_views, muting_views, views

app_name = "agents"
urlpatterns = [
    path("agents/", views.agent_list, name="list"),
    path("agents/new/", editing_views.agent_new, name="new"),
    path("agents/preview/", editing_views.agent_preview, name="preview"),
    path("agents/history/", history_views.history, name="history"),
    path("agents/hidden/", muting_views.muted_list, name="muted"),
    path("agents/<int:pk>/edit/", editing_views.agent_edit, name="edit"),
    path("agents/<int:pk>/preview/", editing_views.agent_preview, name="preview_edit"),
    path("agents/<int:pk>/switch/", views.agent_switch, name="switch"),
    path("agents/<int:pk>/delete/", views.agent_delete, name="delete"),
    path("agents/<int:pk>/restore/", views.agent_restore, name="restore"),
    path("agents/<int:pk>/history/", history_views.history, name="agent_history"),
    path("agents/<int:pk>/matches/<int:section_pk>/", views.agent_matches, name="matches"),
    path("companies/<int:pk>/hide/", muting_views.mute, name="mute"),
    path("companies/<int:pk>/show-again/", muting_views.unmute, name="unmute"),
    path("account/mail-times/", account_views.mail_times, name="mail_times"),
]
