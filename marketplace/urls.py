"""The shell's own addresses: account, legal pages, previews for staff."""

from django.urls import path

from marketplace import (
    account_views,
    legal_views,
    preview_views,
    promotion_views,
    token_views,
    views,
)

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("i18n/setlang/", views.switch_language, name="set_language"),
    path("account/", account_views.account_home, name="account_home"),
    path("account/data/", account_views.export_data, name="account_export"),
    path("account/promotions/", promotion_views.promotions, name="account_promotions"),
    path("account/delete/", account_views.delete, name="account_delete"),
    path("account/tokens/", token_views.tokens, name="account_tokens"),
    path("account/tokens/<int:pk>/revoke/", token_views.revoke, name="account_token_revoke"),
    path("account/deleted/", account_views.deleted, name="account_deleted"),
    path("imprint/", legal_views.legal_page, {"page": "imprint"}, name="imprint"),
    path("privacy/", legal_views.legal_page, {"page": "privacy"}, name="privacy"),
    path("terms/", legal_views.legal_page, {"page": "terms"}, name="terms"),
    path("staff/mails/", preview_views.mails, name="staff_mails"),
    path("staff/mails/<slug:kind>/<slug:language>/", preview_views.mail, name="staff_mail"),
    path(
        "staff/mails/<slug:kind>/<slug:language>/body/",
        preview_views.mail_body,
        name="staff_mail_body",
    ),
]
