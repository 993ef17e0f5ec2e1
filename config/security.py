"""Settings of security: what browsers may load and show, how often things may be tried.

Values, and two functions that read the environment; `settings` takes them over.
"""

from typing import Any

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from environ import Env

SESSION_COOKIE_HTTPONLY = True
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
# Nothing here asks for a device, a place or a payment.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer",
        "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip

# Bootstrap draws its marks, and two-factor set-up its QR code, as data.
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
# Directives that differ below a path; the first prefix that fits counts.
CONTENT_SECURITY_POLICY_BY_PATH: dict[str, dict[str, list[str]]] = {
    # Unfold's pages carry scripts, styles and Alpine's expressions inside them.
    "/admin/": {
        "script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL],
        "style-src": [SELF, UNSAFE_INLINE],
    },
    # Swagger UI sets styles of its own making.
    "/api/v1/docs": {"style-src": [SELF, UNSAFE_INLINE]},
}

# Of one form's texts together; no page takes files. In bytes, and a number of fields.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
DATA_UPLOAD_MAX_NUMBER_FILES = 5

# Action of ours or allauth's → variable. What is not named here keeps allauth's own limit.
RATES = {
    "signup": ("RATE_LIMIT_SIGN_UP", "20/m/ip"),
    "login": ("RATE_LIMIT_SIGN_IN", "30/m/ip"),
    "login_failed": ("RATE_LIMIT_SIGN_IN_FAILED", "10/m/ip,5/300s/key"),
    "reset_password": ("RATE_LIMIT_RESET", "20/m/ip,5/m/key"),
    "preview": ("RATE_LIMIT_PREVIEW", "120/m/key"),
    "api": ("RATE_LIMIT_API", "300/m/key"),
}


def rate_limits(env: Env) -> dict[str, str]:
    """Action → rates, as allauth writes them: `times/period/ip`, or `…/key` (person or address)."""
    return {action: env.str(name, default) for action, (name, default) in RATES.items()}


def shared_cache(redis_url: str) -> dict[str, Any]:
    """The cache that all processes share; in seconds, how long they wait for it."""
    return {
        "BACKEND": "marketplace.shared_cache.SharedCache",
        "LOCATION": redis_url,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
