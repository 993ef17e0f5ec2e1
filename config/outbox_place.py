"""Where the developers' outbox is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import environ


def outbox_dir(env: environ.Env, database: Mapping[str, Any], base_dir: Path) -> Path:
    """OUTBOX_DIR, else a folder for each database: its ids, which name mails, count from 1.

    The embedded server's port changes, and there is only one of it, so its name is enough.
    """
    if given := env.str("OUTBOX_DIR", ""):
        return Path(given)
    parts = ("HOST", "PORT", "NAME") if env.str("DATABASE_URL", "") else ("NAME",)
    name = "-".join(str(database.get(part) or "") for part in parts)
    return base_dir / ".local" / "outbox" / quote(name, safe="")
