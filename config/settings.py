"""All settings, read from the environment (and from `.env` beside manage.py).

`ENVIRONMENT` is `production` (the default), `development` or `test`. In production every secret
and address must be named; what is missing or wrong is listed in one error (`checked_env`).
Elsewhere harmless defaults serve, and PostgreSQL and Valkey are started by `local_services` where
no URL names one.
"""

from pathlib import Path

from django.utils.translation import gettext_lazy as _
from kombu import Queue

from config.accounts import *  # noqa: F403  (settings)
from config.admin_theme import UNFOLD  # noqa: F401  (a setting)
from config.broker import TASK_SOFT_TIME_LIMIT, TASK_TIME_LIMIT, broker_settings
from config.checked_env import read_environment
from config.log_output import logging_settings
from config.outbox_place import outbox_dir
from config.security import *  # noqa: F403  (settings)
from config.security import rate_limits, shared_cache

BASE_DIR = Path(__file__).resolve().parent.parent
env = read_environment(BASE_DIR / ".env")

ENVIRONMENT = env.str("ENVIRONMENT", "production")
IS_PRODUCTION = ENVIRONMENT == "production"
IS_DEVELOPMENT = ENVIRONMENT == "development"
# Django's page about an error shows settings and code: only to who develops here.
DEBUG = IS_DEVELOPMENT and env.bool("DEBUG", True)

SECRET_KEY = env.str("SECRET_KEY", "" if IS_PRODUCTION else "development-only-not-a-secret")
# Former keys, newest first: what was signed, sealed or coded under them is still known.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
# Whether pages of staff are only for who signed in with a second factor.
ADMIN_REQUIRES_MFA = env.bool("ADMIN_REQUIRES_MFA", False)
SITE_URL = env.str("SITE_URL", "http://127.0.0.1:8000").rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = [SITE_URL]

# --- Applications ---------------------------------------------------------------------------

INSTALLED_APPS = [
    "marketplace",
    "listings",
    "notifications",
    "agents",
    "campaigns",
    "operations",
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_celery_beat",
    "django_htmx",
    "django_include_bootstrap",
    "ninja",
]

if not IS_PRODUCTION:
    INSTALLED_APPS.append("demo")

MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "marketplace.security_headers.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "marketplace.methods.MethodsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "marketplace.middleware.UserPreferencesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "marketplace.staff_second_factor.StaffSecondFactorMiddleware",
    "marketplace.middleware.UnknownFieldMiddleware",
    "marketplace.middleware.RefusalMiddleware",
    "marketplace.middleware.SignInAgainMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "marketplace.context_processors.site",
            ],
        },
    },
]

# --- Data -----------------------------------------------------------------------------------

_database_url = env.str("DATABASE_URL", "")
_redis_url = env.str("REDIS_URL", "")
if not (_database_url and _redis_url):
    from config import local_services  # a production image does not ship the embedded servers

    _embedded = local_services.ensure_running(
        BASE_DIR, need_database=not _database_url, need_redis=not _redis_url
    )
    _database_url = _database_url or _embedded.database_url
    _redis_url = _redis_url or _embedded.redis_url

DATABASES = {"default": {**env.db_url_config(_database_url), "CONN_HEALTH_CHECKS": True}}
# In seconds: a server that does not answer is to be told of, not waited for.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 10)
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", 60)
REDIS_URL = _redis_url
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": shared_cache(REDIS_URL)}

# --- People ---------------------------------------------------------------------------------

# Everything else about accounts: config/accounts.py.
ACCOUNT_DEFAULT_HTTP_PROTOCOL = SITE_URL.partition(":")[0]
ACCOUNT_RATE_LIMITS = rate_limits(env)

# --- Language and time ----------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German")), ("hr", _("Croatian"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", "Europe/Berlin")

# --- Static files ---------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
WHITENOISE_USE_FINDERS = not IS_PRODUCTION
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if IS_PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# --- Mail -----------------------------------------------------------------------------------

EMAIL_PROVIDER = env.str("EMAIL_PROVIDER", "" if IS_PRODUCTION else "outbox")
# Empty in production: no SMS.
SMS_PROVIDER = env.str("SMS_PROVIDER", "" if IS_PRODUCTION else "outbox")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Marktlotse <post@marktlotse.example>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# Whatever calls send_mail writes to the ledger; the ledger's workers talk to EMAIL_PROVIDER.
EMAIL_BACKEND = "notifications.email_backend.LedgerEmailBackend"
EMAIL_HOST = env.str("EMAIL_HOST", "127.0.0.1")
EMAIL_PORT = env.int("EMAIL_PORT", 1025)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT", 20)
SENDGRID_API_KEY = env.str("SENDGRID_API_KEY", "")
# The EU's accounts: https://api.eu.sendgrid.com
SENDGRID_API_HOST = env.str("SENDGRID_API_HOST", "https://api.sendgrid.com")
# Requests are checked by SendGrid and delivered to nobody.
SENDGRID_SANDBOX = env.bool("SENDGRID_SANDBOX", False)
SENDGRID_WEBHOOK_PUBLIC_KEY = env.str("SENDGRID_WEBHOOK_PUBLIC_KEY", "")
# SendGrid tries for 24 hours to deliver a report, perhaps with its first signature.
SENDGRID_WEBHOOK_FRESH_HOURS = env.int("SENDGRID_WEBHOOK_FRESH_HOURS", 48)
TWILIO_ACCOUNT_SID = env.str("TWILIO_ACCOUNT_SID", "")
TWILIO_AUTH_TOKEN = env.str("TWILIO_AUTH_TOKEN", "")
TWILIO_API_HOST = env.str("TWILIO_API_HOST", "https://api.twilio.com")
# A number, a name, or a messaging service (MG…).
TWILIO_FROM = env.str("TWILIO_FROM", "")
OUTBOX_DIR = outbox_dir(env, DATABASES["default"], BASE_DIR)
OPERATOR_NAME = env.str("OPERATOR_NAME", "Marktlotse")
OPERATOR_ADDRESS = env.str("OPERATOR_ADDRESS", "")
OPERATOR_EMAIL = env.str("OPERATOR_EMAIL", "post@marktlotse.example")
# Imprint, privacy and terms, a file a language: see marketplace/legal.py.
OPERATOR_TEXTS_DIR = env.str("OPERATOR_TEXTS_DIR", "")

# --- Celery ---------------------------------------------------------------------------------

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = broker_settings(
    env.str("CELERY_BROKER_URL", "") or REDIS_URL
)
# Or Celery would read the variable once more, with the parameters of SQS.
CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = CELERY_BROKER_URL
# Nobody reads results: outcomes stand in the database, and nothing needs to be cleared away.
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_EXPIRES = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_TIME_LIMIT = TASK_TIME_LIMIT
CELERY_TASK_SOFT_TIME_LIMIT = TASK_SOFT_TIME_LIMIT
# SIGTERM lets a worker finish what it runs; SIGQUIT gives it so many seconds for that: a batch's
# turn and a provider's answer.
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_TASK_DEFAULT_QUEUE = "default"
# Separate queues, so that no kind of work waits behind another; a worker takes all unless told.
# What somebody waits for comes first, what may be a million messages last.
CELERY_TASK_QUEUES = [
    Queue(name) for name in ("account", "default", "webhooks", "reports", "campaigns", "mail")
]
CELERY_TASK_ROUTES = {
    "agents.tasks.*": {"queue": "reports"},
    "notifications.tasks.send_batch": {"queue": "mail"},
    "notifications.tasks.*": {"queue": "default"},
}
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULER = "operations.beat_pulse:PulsingScheduler"
# Beat looks for schedules changed in the admin this often, in seconds.
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]

# --- Security -------------------------------------------------------------------------------

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_PRODUCTION
SECURE_SSL_REDIRECT = IS_PRODUCTION and env.bool("SECURE_SSL_REDIRECT", True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_PRODUCTION else None
SECURE_HSTS_SECONDS = 31_536_000 if IS_PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = IS_PRODUCTION
# How many proxies stand before the site: their X-Forwarded-For says whose attempts are counted.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", 0)

# --- Watching it ----------------------------------------------------------------------------

# Who shows it may read /metrics, beside staff; empty: staff only.
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
LOG_JSON = env.bool("LOG_JSON", IS_PRODUCTION)
LOGGING = logging_settings(env.str("LOG_LEVEL", "INFO"), as_json=LOG_JSON)
