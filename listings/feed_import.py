"""Importing a feed: every good row in, once, whatever is wrong with the others.

Each batch is one transaction of a constant number of queries, so a killed import is finished by
running it again; importing the same feed again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import BinaryIO, TypeVar

from django.db import DatabaseError, connection, models, transaction

from listings.feed_changes import WRITTEN_FIELDS, Catalogue, apply_row, is_scheduled
from listings.feeds.feed import Feed, FeedOptions, Progress
from listings.feeds.problems import Problem
from listings.feeds.rows import FeedRow, RejectedRow
from listings.feeds.survey import Survey
from listings.models import Company, CompanyStatus

BATCH_SIZE = 500
Clock = Callable[[], datetime]
Tell = Callable[[Problem], None]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """`source` names the feed: an external id is unique within it.

    `seller_id` is put on every company of the feed, None leaves sellers alone. `dry_run` only
    tells. `withdraw_missing` withdraws what the feed no longer lists, `force` however much.
    """

    source: str
    reading: FeedOptions
    seller_id: int | None = None
    dry_run: bool = False
    withdraw_missing: bool = False
    force: bool = False


@dataclass(slots=True)
class ImportSummary:
    """What became of the rows: `rows` = created + updated + unchanged + superseded + errors.

    `scheduled` counts those of the good rows that are published from a later moment on,
    `withdrawn` companies the feed no longer lists; `withdrawal_refused` says why none were.
    """

    rows: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    scheduled: int = 0
    superseded: int = 0
    withdrawn: int = 0
    errors: int = 0
    notes: int = 0
    withdrawal_refused: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether everything asked for was done."""
        return not self.errors and not self.withdrawal_refused


def import_feed(
    file: BinaryIO,
    options: ImportOptions,
    clock: Clock,
    tell: Tell,
    progress: Progress = lambda done, total: None,
) -> ImportSummary:
    """Import the whole feed and say what came of it.

    `file` must be seekable. `tell` gets each error and note as it is found, `progress` the rows
    done and, once known, their number. `clock` is read once a batch, not once an import: what
    becomes news in a long import must not look older than reports that ran meanwhile.
    Imports of one source wait for each other. Raises UnableToReadFeed, nothing written, when
    nothing of the file can be used.
    """
    feed = Feed(file, options.reading)
    with _alone_with_source(options.source):
        survey = feed.survey(progress)
        run = _Import(options, clock, tell, Catalogue.load())
        for note in feed.notes():
            run.note(note)
        listed_before = _listed(options.source).count()
        for batch in _batches(run.good_rows(feed, survey, progress), BATCH_SIZE):
            run.store(batch)
        if options.withdraw_missing:
            run.withdraw_missing(survey, listed_before)
    return run.summary


class _Import:
    """One import under way."""

    def __init__(
        self, options: ImportOptions, clock: Clock, tell: Tell, catalogue: Catalogue
    ) -> None:
        self._options = options
        self._clock = clock
        self._tell = tell
        self._catalogue = catalogue
        self.summary = ImportSummary()

    def note(self, note: Problem) -> None:
        """Count and tell something that is no error."""
        self.summary.notes += 1
        self._tell(note)

    def good_rows(self, feed: Feed, survey: Survey, progress: Progress) -> Iterator[FeedRow]:
        """The rows that can be stored; the others are counted and told."""
        for row in feed.rows(survey):
            self.summary.rows += 1
            if isinstance(row, Problem):
                self.summary.superseded += 1
                self.note(row)
            elif isinstance(row, RejectedRow):
                self._reject(row.problems)
            elif lack := self._catalogue.lacks(row):
                self._reject((Problem(row.line, "", lack, row.external_id),))
            else:
                yield row
            progress(self.summary.rows, survey.row_count)

    def store(self, rows: list[FeedRow]) -> None:
        """Bring the companies of these rows up to date, in one transaction."""
        now = self._clock()
        with transaction.atomic():
            stored = self._stored([row.external_id for row in rows])
            changed = [
                company
                for row in rows
                if self._change(row, company := self._company(row, stored), now)
            ]
            if not self._options.dry_run:
                Company.objects.bulk_create([one for one in changed if one.pk is None])
                _update([one for one in changed if one.external_id in stored])

    def withdraw_missing(self, survey: Survey, listed_before: int) -> None:
        """Withdraw the companies the feed does not mention, unless that looks like a mistake."""
        missing = [
            pk
            for pk, external_id in _listed(self._options.source)
            .values_list("pk", "external_id")
            .iterator()
            if not survey.mentions(external_id)
        ]
        refusal = _why_not_withdraw(len(missing), listed_before, survey)
        if refusal and not self._options.force:
            self.summary.withdrawal_refused = refusal
            return
        self.summary.withdrawn = len(missing)
        if self._options.dry_run:
            return
        now = self._clock()
        for pks in _batches(missing, BATCH_SIZE):
            Company.objects.filter(pk__in=pks).update(
                status=CompanyStatus.WITHDRAWN, updated_at=now
            )

    def _stored(self, external_ids: list[str]) -> dict[str, Company]:
        companies = Company.objects.filter(
            source=self._options.source, external_id__in=external_ids
        )
        if not self._options.dry_run:
            companies = companies.select_for_update()
        return {company.external_id: company for company in companies}

    def _company(self, row: FeedRow, stored: dict[str, Company]) -> Company:
        return stored.get(row.external_id) or Company(
            source=self._options.source, external_id=row.external_id
        )

    def _change(self, row: FeedRow, company: Company, now: datetime) -> bool:
        """Apply the row and count what it did; True when the company must be written."""
        is_new = company.pk is None
        is_changed = apply_row(row, company, now, self._catalogue, self._options.seller_id)
        self.summary.created += is_new
        self.summary.updated += is_changed and not is_new
        self.summary.unchanged += not is_changed
        self.summary.scheduled += is_scheduled(company, now)
        return is_changed

    def _reject(self, problems: tuple[Problem, ...]) -> None:
        self.summary.errors += 1
        for problem in problems:
            self._tell(problem)


def _update(companies: list[Company]) -> None:
    """Write stored companies, which are locked, so that each one meets its own row.

    An upsert takes one statement of plain values; `bulk_update` took ten times as long.
    """
    Company.objects.bulk_create(
        companies, update_conflicts=True, unique_fields=["id"], update_fields=WRITTEN_FIELDS
    )


def _listed(source: str) -> models.QuerySet[Company]:
    """The companies of this source that are not withdrawn."""
    return (
        Company.objects.filter(source=source)
        .exclude(external_id="")
        .exclude(status=CompanyStatus.WITHDRAWN)
    )


def _why_not_withdraw(missing: int, listed: int, survey: Survey) -> str:
    if survey.hides_rows:
        return (
            "Nothing was withdrawn: broken rows may have swallowed others, so nobody can tell "
            "which rows are gone. Correct the feed, or use --force."
        )
    if missing * 2 > listed:
        return (
            f"Nothing was withdrawn: the feed lacks {missing:,} of the {listed:,} companies of "
            "this source, more than half. If that is right, use --force."
        )
    return ""


@contextmanager
def _alone_with_source(source: str) -> Iterator[None]:
    """Wait until no other import of this source runs, and keep others waiting."""
    digest = blake2b(f"import:{source}".encode(), digest_size=8).digest()
    key = int.from_bytes(digest, "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [key])
    try:
        yield
    finally:
        # A lost connection has let go of its locks already.
        with suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [key])


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
