"""The look of the admin: the site's petrol, from the lightest tone to the darkest."""

PETROL = {
    "50": "#eef6f8",
    "100": "#d6e9ee",
    "200": "#b0d4dd",
    "300": "#7fb8c6",
    "400": "#4a96a8",
    "500": "#28798c",
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
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": "config.admin_navigation.navigation",
    },
}
