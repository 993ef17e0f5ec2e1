"""`manage.py translations --update | --check | --compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from marketplace import translations


class Command(BaseCommand):
    """Keeps the catalogues of all languages; needs no GNU gettext."""

    help = "Update, check or compile the translation catalogues."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        way = parser.add_mutually_exclusive_group(required=True)
        way.add_argument("--update", action="store_true", help="take over what the sources say")
        way.add_argument("--check", action="store_true", help="fail when anything is not right")
        way.add_argument("--compile", action="store_true", help="write the .mo files")
        parser.add_argument("--root", type=Path, default=settings.BASE_DIR, help="the project")

    def handle(self, *args: Any, **options: Any) -> None:
        root: Path = options["root"]
        if options["update"]:
            for language, dropped in translations.update(root).items():
                for message in dropped:
                    self.stdout.write(f"{language}: dropped {message}")
        elif options["compile"]:
            for path in translations.compile_all(root):
                self.stdout.write(f"written: {path.relative_to(root)}")
        elif problems := translations.problems(root):
            raise CommandError("\n".join([*problems, f"{len(problems)} problems"]))
        else:
            self.stdout.write("Every catalogue is complete.")
