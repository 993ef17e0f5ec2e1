"""The look of the admin: the site's petrol, from the lightest tone to the darkest.

500 is the tone of links on a dark ground, 600 on a light one: both can be read.
"""

from django.templatetags.static import static

PETROL = {
    "50": "#eef6f8",
    "100": "#d6e9ee",
    "200": "#b0d4dd",
    "300": "#7fb8c6",
    "400": "#67aabb",
    "500": "#4f9db0",
    "600": "#0f5566",
    "700": "#0d4857",
    "800": "#0a3f4c",
    "900": "#0b3540",
    "950": "#0a2831",
}
UNFOLD = {
    "SITE_TITLE": "Marktlotse",
    "SITE_HEADER": "Marktlotse",
    "SHOW_HISTORY": True,
    "DASHBOARD_CALLBACK": "operations.dashboard_views.admin_home",
    "COLORS": {"primary": PETROL},
    "STYLES": [lambda request: static("marketplace/admin.css")],
    "SCRIPTS": [lambda request: static("marketplace/admin.js")],
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": "config.admin_navigation.navigation",
    },
}
