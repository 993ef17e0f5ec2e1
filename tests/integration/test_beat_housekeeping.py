"""What beat adds to the schedule by itself."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler

from config.celery import app


class Asked(DatabaseScheduler):
    """Keeps what it would write; writing it ends the connection that a test runs in."""

    def update_from_dict(self, mapping: dict[str, Any]) -> None:
        self.added = mapping


def test_beat_clears_away_no_results_where_none_are_kept() -> None:
    beat = Asked(app=app, lazy=True)
    beat.install_default_entries({})
    assert beat.added == {}
