"""What beat adds to the schedule by itself."""

import pytest
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from config.celery import app


@pytest.mark.django_db
def test_beat_clears_away_no_results_where_none_are_kept() -> None:
    DatabaseScheduler(app=app, lazy=True).install_default_entries({})
    assert not PeriodicTask.objects.filter(task="celery.backend_cleanup").exists()
