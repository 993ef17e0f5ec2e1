"""Rows of a feed: lines, quotes, shapes, and what is told about the faulty ones."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listings.feeds.problems import UnableToReadFeed
from listings.feeds.rows import FeedRow
from tests.factories.feeds import opened, read, titles, told

HEADER = "id;title;industry;region\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "The file is empty"),
        (b" \r\n \n" * 1000, "The file is blank"),
        (codecs.BOM_UTF8, "The file is blank"),
        (b"PK\x03\x04rest", "an Excel workbook or ZIP archive, not a CSV"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"id;title;industry;region\n", "has a header, but no rows"),
        (b"id;title;industry;region\n\n;;;\n", "has a header, but no rows"),
        (b'id;"title;industry;region\n1;a;C16;DE\n', "header in line 1 is broken"),
        (b"id;" + b"x" * 1_000_001, "longer than 1,000,000 characters"),
        (codecs.BOM_UTF16_LE + "id;t".encode("utf-16-le") + b"\x00\xd8", "cannot be decoded"),
    ],
)  # fmt: skip
def test_a_file_nothing_can_be_read_from_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(UnableToReadFeed, match=reason):
        opened(content).survey()


def test_lines_are_counted_as_an_editor_does() -> None:
    content = (
        "id;title;industry;region;text\r\n"
        '1;a;C16;DE-BY;"two\nlines"\r\n'
        "\r\n"
        '2;b;C99;DE-BY;"three\r\nmore\rlines"\n'
        "3;c;C99;DE-BY;one\r\n"
    )
    assert [row.line for row in read(content)] == [2, 5, 8]
    first = read(content)[0]
    assert isinstance(first, FeedRow)
    assert first.description == "two\nlines"


def test_a_quote_never_closed_costs_its_own_row_only() -> None:
    content = HEADER + '1;"open;C16;DE-BY\n2;b;C16;DE-BY\n3;c;C16;DE-BY\n'
    assert titles(content) == ["b", "c"]
    assert told(content) == ["line 2: a quote is opened in this row and never closed"]


def test_lines_are_counted_right_after_a_broken_row() -> None:
    content = HEADER + '1;"open;C16;DE-BY\n2;b;C99;DE-BY\n\n3;c;C99;DE-BY\n'
    assert [row.line for row in read(content)] == [2, 3, 5]


def test_a_quote_closed_in_the_wrong_place_costs_its_own_row_only() -> None:
    content = HEADER + '1;"open;C16;DE-BY\n2;"b";C16;DE-BY\n3;c;C16;DE-BY\n'
    assert titles(content) == ["b", "c"]
    assert told(content) == [
        "line 2: a closing quote is followed by text; a quote within quotes is written twice"
    ]


def test_a_quote_within_an_unquoted_cell_is_text() -> None:
    assert titles(HEADER + '1;Screens 20" and more;C26;DE-BY\n') == ['Screens 20" and more']


def test_rows_with_too_few_or_too_many_cells_are_refused() -> None:
    content = HEADER + "1;a;C16\n2;b;C16;DE-BY;more\n3;c;C16;DE-BY;;\n4;d;C16;DE-BY\n"
    assert titles(content) == ["c", "d"]
    assert told(content) == [
        "line 2: has 3 cells, but the header has 4",
        "line 3: has 5 cells, but the header has 4 (text that contains the delimiter must stand "
        "in quotes)",
    ]


def test_all_errors_of_a_row_are_told_at_once() -> None:
    content = "Nr;Titel;Branche;Bundesland;Kaufpreis;Veröffentlicht;Status\n;;C99;DE-XX;-1;x;y\n"
    assert [line.partition(":")[0] for line in told(content)] == [
        f"line 2, column {column}"
        for column in (
            "Nr", "Titel", "Branche", "Bundesland", "Kaufpreis", "Status", "Veröffentlicht",
        )
    ]  # fmt: skip


def test_of_rows_with_one_id_the_last_counts() -> None:
    content = HEADER + "1;a;C16;DE-BY\n2;b;C16;DE-BY\n1;c;C16;DE-BY\n 1 ;d;C16;DE-BY\n"
    assert titles(content) == ["b", "d"]
    assert told(content) == [
        "note: line 2, column id: “1” comes again in line 5; the last row counts",
        "note: line 4, column id: “1” comes again in line 5; the last row counts",
    ]


def test_a_faulty_last_row_does_not_bring_an_earlier_one_back() -> None:
    content = HEADER + "1;a;C16;DE-BY\n1;b;C16;DE-XX\n"
    assert titles(content) == []
    assert len(told(content)) == 2


def test_a_row_of_the_wrong_shape_supersedes_none() -> None:
    content = HEADER + "1;a;C16;DE-BY\n1;shifted;more;C16;DE-BY\n"
    assert titles(content) == ["a"]
    assert told(content)[0].startswith("line 3: has 5 cells")


def test_the_files_other_prices_decide_what_an_unclear_one_is() -> None:
    head = "id;title;industry;region;price\n"
    german = head + "1;a;C16;DE;1.250,50\n2;b;C16;DE;95,000\n3;c;C16;DE;95.000\n"
    assert titles(german) == ["a", "c"]
    assert told(german)[0].startswith("line 3, column price: “95,000” is unclear")
    assert titles(head + "1;a;C16;DE;95,000\n2;b;C16;DE;95.000\n") == ["a", "b"]


def test_currencies_of_one_row_must_agree() -> None:
    head = "id;title;industry;region;price;currency\n"
    content = head + "1;a;C16;DE;5 €;CHF\n2;b;C16;DE;CHF 5;CHF\n3;c;C16;DE;5;\n4;d;C16;DE;5;XXX\n"
    good = [row for row in read(content) if isinstance(row, FeedRow)]
    assert [row.currency for row in good] == ["CHF", "EUR"]
    assert told(content) == [
        "line 2, column price: the row names two currencies, EUR and CHF",
        "line 5, column currency: “XXX” is no currency here; use EUR, CHF, USD, GBP",
    ]


def test_text_loses_controls_and_keeps_everything_else() -> None:
    content = (
        "id;title;industry;region;text\n"
        '1;  <b>Bold</b>\t&\x00  co\u202e ;C16;DE;"=HYPERLINK(""x"")\x07"\n'
    )
    row = read(content)[0]
    assert isinstance(row, FeedRow)
    assert row.title == "<b>Bold</b> & co"
    assert row.description == '=HYPERLINK("x")'


def test_text_that_is_too_long_is_refused() -> None:
    content = "id;title;industry;region;text\n" + "".join(
        f"{external_id};{'t' * title};C16;DE;{'d' * text}\n"
        for external_id, title, text in [
            ("a" * 100, 200, 20_000), ("a" * 101, 1, 0), ("b", 201, 0), ("c", 1, 20_001),
        ]
    )  # fmt: skip
    assert len(titles(content)) == 1
    assert told(content) == [
        "line 3, column id: has 101 characters, 100 are allowed",
        "line 4, column title: has 201 characters, 200 are allowed",
        "line 5, column text: has 20,001 characters, 20,000 are allowed",
    ]


def test_a_cell_beyond_the_parsers_limit_costs_its_own_row_only() -> None:
    content = HEADER + f"1;{'x' * 200_000};C16;DE\n2;b;C16;DE\n"
    assert titles(content) == ["b"]
    assert "more than 131,072 characters" in told(content)[0]


TOO_LONG = "a line of this row has more than 1,000,000 characters (a quote not closed?)"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("length", [999_993, 999_994, 1_100_000, 2_999_999, 3_000_000])
def test_a_line_that_is_far_too_long_costs_its_own_row_only(length: int, end: str) -> None:
    content = (
        f"{HEADER}1;a;C16;DE-BY{end}2;{'x' * length};C16{end}3;c;C99;DE-BY{end}4;d;C16;DE-BY{end}"
    )
    assert titles(content) == ["a", "d"]
    assert [row.line for row in read(content)] == [2, 3, 4, 5]


def test_it_is_told_which_line_is_too_long() -> None:
    content = HEADER + "1;" + "x" * 1_100_000 + ";C16;DE-BY\n2;b;C16;DE-BY\n"
    assert told(content) == [f"line 2: {TOO_LONG}"]
    within = HEADER + '1;"open\n' + "x" * 1_100_000 + "\n2;b;C16;DE-BY\n"
    assert told(within) == [f"line 2: {TOO_LONG}", f"line 3: {TOO_LONG}"]
    assert titles(content) == titles(within) == ["b"]


def test_the_last_line_may_be_too_long_and_without_an_end() -> None:
    content = HEADER + "1;a;C16;DE-BY\n2;" + "x" * 1_100_000
    assert (titles(content), told(content)) == (["a"], [f"line 3: {TOO_LONG}"])


def test_the_first_line_may_be_excels_hint() -> None:
    assert titles("sep=|\r\n\r\nid|title|industry|region\r\n1|a|C16|DE\r\n") == ["a"]


def test_an_operator_names_the_delimiter() -> None:
    assert titles("id|title|industry|region\n1|a;b|C16|DE\n", delimiter="|") == ["a;b"]


def test_unknown_columns_are_noted() -> None:
    feed = opened("id;title;industry;region;Umsatz\n1;a;C16;DE;5\n")
    assert [str(note) for note in feed.notes()] == [
        "feed: nothing is known of these columns, ignored: “Umsatz”"
    ]
    assert opened(HEADER + "1;a;C16;DE\n").notes() == []


def test_the_survey_knows_which_ids_a_feed_mentions_even_in_faulty_rows() -> None:
    survey = opened(HEADER + "1;a;C16;DE\n2;b;C99;DE\n3;c\n").survey()
    assert [survey.mentions(one) for one in "1234"] == [True, True, True, False]
    assert survey.hides_rows is False


def test_a_broken_quote_may_hide_rows() -> None:
    assert opened(HEADER + '1;a;C16;DE\n2;"b;C16;DE\n').survey().hides_rows is True


@given(st.binary(max_size=300))
def test_no_bytes_whatever_make_the_reader_crash(tail: bytes) -> None:
    try:
        read(HEADER.encode() + tail)
        read(tail)
    except UnableToReadFeed:
        pass


@given(
    st.lists(
        st.tuples(
            st.text(
                st.characters(exclude_categories=["C", "Z", "M"], exclude_characters="\x85"),
                min_size=1, max_size=20,
            ).map(str.casefold),
            st.text(max_size=50),
        ),
        min_size=1, max_size=6,
    ),
    st.sampled_from([";", ",", "\t"]),
)  # fmt: skip
def test_what_a_csv_writer_wrote_is_read_back_row_by_row(
    rows: list[tuple[str, str]], delimiter: str
) -> None:
    lines = [["id", "title", "industry", "region", "text"]]
    lines += [[f"{n}-{name}", name, "C16", "DE", text] for n, (name, text) in enumerate(rows)]
    content = "".join(
        delimiter.join('"' + cell.replace('"', '""') + '"' for cell in line) + "\r\n"
        for line in lines
    ).encode("utf-8", "ignore")
    good = [row for row in read(content) if isinstance(row, FeedRow)]
    assert len(good) == len(rows)
    assert [row.external_id.partition("-")[0] for row in good] == [str(n) for n in range(len(rows))]
