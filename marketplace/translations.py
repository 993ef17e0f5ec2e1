"""Translation catalogues without GNU gettext: extract, update, check and compile by Babel.

One catalogue a language, `locale/<language>/LC_MESSAGES/django.po`, covers Python and templates of
every package of the project. The compiled `.mo` files are not kept in the repository.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

LANGUAGES = ("de", "hr")
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
COMMENT_TAGS = ("Translators",)
HEADER = "# Marktlotse: %s"
# Header fields nobody fills here; some change with every run.
_EMPTY_HEADERS = re.compile(
    rb'^"(?:Project-Id-Version|Report-Msgid-Bugs-To|POT-Creation-Date|PO-Revision-Date|'
    rb"Last-Translator|Language-Team|Generated-By): .*\n",
    re.MULTILINE,
)
_PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd]|\{\w*\}|</?[a-z][^>]*>")


def catalogue_path(root: Path, language: str) -> Path:
    """Where the catalogue of a language lies."""
    return root / "locale" / language / "LC_MESSAGES" / "django.po"


def extract_messages(root: Path) -> Catalog:
    """Every message of the project's packages, in the order of their files."""
    template = Catalog(project="Marktlotse", charset="utf-8")
    for path in _sources(root):
        for _line, message, comments, context in messages_of(path):
            location = path.relative_to(root).as_posix()
            template.add(
                message, locations=[(location, 0)], auto_comments=comments, context=context
            )
    return template


def update(root: Path) -> dict[str, list[str]]:
    """Bring every catalogue up to date; the messages dropped per language.

    New messages come without translation, never with a guess. What no source holds any more goes.
    """
    template = extract_messages(root)
    dropped = {}
    for language in LANGUAGES:
        catalogue = _read(root, language)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        dropped[language] = [_shown(message) for message in catalogue.obsolete.values()]
        catalogue.obsolete.clear()
        _write(root, language, catalogue)
    return dropped


def problems(root: Path) -> list[str]:
    """What keeps the catalogues from being complete and right; empty when nothing does."""
    template = extract_messages(root)
    return [
        f"{language}: {problem}"
        for language in LANGUAGES
        for problem in _problems_of(_read(root, language), template)
    ]


def compile_all(root: Path) -> list[Path]:
    """Write the `.mo` file of every catalogue; their paths."""
    written = []
    for language in LANGUAGES:
        path = catalogue_path(root, language).with_suffix(".mo")
        # Written beside and moved into place: a running process never reads half a file.
        beside = path.with_suffix(".mo.new")
        with beside.open("wb") as file:
            write_mo(file, _read(root, language), use_fuzzy=False)
        written.append(beside.replace(path))
    return written


def _sources(root: Path) -> Iterator[Path]:
    """Python files and templates of the packages beside manage.py, tests and migrations apart."""
    packages = sorted(path.parent for path in root.glob("*/__init__.py"))
    for package in packages:
        if package.name == "tests":
            continue
        for path in sorted(package.rglob("*")):
            is_template = "templates" in path.parts and path.suffix in (".html", ".txt")
            if (path.suffix == ".py" and "migrations" not in path.parts) or is_template:
                yield path


Extracted = tuple[int, "str | tuple[str, ...]", list[str], "str | None"]


def messages_of(path: Path) -> Iterable[Extracted]:
    """The messages of one Python file or template: line, text, comments and context of each."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Between brackets a line may be indented as it likes, as the lines of a template are.
        source = f"({templatize(source, origin=str(path))}\n)"
    file = BytesIO(source.encode())
    options = {"encoding": "utf-8"}
    return extract("python", file, KEYWORDS, COMMENT_TAGS, options, strip_comment_tags=False)


def _read(root: Path, language: str) -> Catalog:
    path = catalogue_path(root, language)
    if not path.exists():
        return Catalog(locale=language, project="Marktlotse", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def _write(root: Path, language: str, catalogue: Catalog) -> None:
    path = catalogue_path(root, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.header_comment = HEADER % language
    catalogue.fuzzy = False
    buffer = BytesIO()
    write_po(buffer, catalogue, width=100, include_lineno=False)
    path.write_bytes(_EMPTY_HEADERS.sub(b"", buffer.getvalue()))


def _problems_of(catalogue: Catalog, template: Catalog) -> Iterator[str]:
    for source in template:
        if source.id:
            yield from _problems_with(catalogue.get(source.id, source.context), source)
    wanted = {_key(message) for message in template}
    for message in (*catalogue, *catalogue.obsolete.values()):
        if message.id and _key(message) not in wanted:
            yield f"obsolete: {_shown(message)}"


def _problems_with(translated: Message | None, source: Message) -> Iterator[str]:
    if translated is None or not all(_forms(translated.string)):
        places = ", ".join(sorted({place for place, _line in source.locations}))
        yield f"missing: {_shown(source)} ({places})"
        return
    if translated.fuzzy:
        yield f"fuzzy: {_shown(source)}"
    allowed = [_placeholders(form) for form in _forms(source.id)]
    for form in _forms(translated.string):
        if _placeholders(form) not in allowed:
            yield f"placeholders differ: {_shown(source)} → {form!r}"


def _key(message: Message) -> tuple[str, str | None]:
    return _forms(message.id)[0], message.context


def _forms(text: object) -> tuple[str, ...]:
    """The singular and plural forms of a message or a translation."""
    return tuple(text) if isinstance(text, list | tuple) else (str(text or ""),)


def _placeholders(text: str) -> Counter[str]:
    return Counter(_PLACEHOLDER.findall(text.replace("%%", "")))


def _shown(message: Message) -> str:
    text = _forms(message.id)[0]
    return f"{text!r} [{message.context}]" if message.context else repr(text)
