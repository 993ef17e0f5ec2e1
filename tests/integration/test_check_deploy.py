"""`manage.py check --deploy` has nothing to say about a production environment."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

PRODUCTION = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": "k3y-" * 20 + "with enough different letters: xyzw!",
    "DATABASE_URL": "postgres://marktlotse@127.0.0.1:1/marktlotse",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "ALLOWED_HOSTS": "marktlotse.example",
    "SITE_URL": "https://marktlotse.example",
    "EMAIL_PROVIDER": "smtp",
    "EMAIL_HOST": "mail.marktlotse.example",
    "DEFAULT_FROM_EMAIL": "Marktlotse <post@marktlotse.example>",
}


def check(folder: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "check", "--deploy"]
    return subprocess.run(
        [*command, "--fail-level", "WARNING"], cwd=folder, text=True, capture_output=True,
        env={**keep, **PRODUCTION, **changes}, check=False,
    )  # fmt: skip


def test_production_is_clean(tmp_path: Path) -> None:
    for page in ("imprint", "privacy", "terms"):
        for language, _name in settings.LANGUAGES:
            (tmp_path / f"{page}.{language}.txt").write_text("What holds here.")
    operator = {"OPERATOR_ADDRESS": "Harbour 1, 20457 Hamburg", "OPERATOR_TEXTS_DIR": str(tmp_path)}
    finished = check(tmp_path, **operator)
    assert "System check identified no issues" in finished.stdout + finished.stderr
    assert finished.returncode == 0


def test_what_the_operator_owes_is_named(tmp_path: Path) -> None:
    finished = check(tmp_path)
    assert finished.returncode != 0
    assert "OPERATOR_ADDRESS" in finished.stderr
    assert "privacy.de.txt" in finished.stderr


def test_a_weak_key_is_named(tmp_path: Path) -> None:
    finished = check(tmp_path, SECRET_KEY="short")
    assert finished.returncode != 0
    assert "SECRET_KEY" in finished.stdout + finished.stderr
