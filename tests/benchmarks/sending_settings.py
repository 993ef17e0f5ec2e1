"""The settings of the tests, with django-post-office beside our applications."""

import os

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "post_office"]
EMAIL_HOST, EMAIL_PORT = "127.0.0.1", int(os.environ["BENCHMARK_SMTP_PORT"])
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
POST_OFFICE = {
    "BACKENDS": {"default": EMAIL_BACKEND},
    "BATCH_SIZE": 500,
    # Its logs of what was sent are written at level 2 only; failures at 1.
    "LOG_LEVEL": 1,
}
