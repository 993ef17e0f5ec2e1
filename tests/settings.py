"""The settings under test: the real ones, in the environment `test`."""

import os

os.environ["ENVIRONMENT"] = "test"
os.environ.setdefault("SITE_URL", "http://testserver")

from config.settings import *  # noqa: F403
