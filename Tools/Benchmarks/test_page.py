"""Tests of the tables of Docs/Performance.md: what is written, and what stays. They build and run no program."""

import unittest

import page
from programs import Failed
from rows import Row

EMPTY = """# Performance

<!-- engine -->
<!-- end of engine -->

Words between.

<!-- meters -->
<!-- end of meters -->
<!-- small -->
<!-- end of small -->
"""


def row(name: str, figure: float, table: str = "engine") -> Row:
    row = Row(table, name, "ns/event", "at most 1.3 x C", lambda: figure, lambda: 10, "C cursor", 1.5)
    row.measure(3)
    return row


class Tables(unittest.TestCase):
    def test_a_row_says_its_figures_and_when_it_was_measured(self):
        text = page.with_rows(EMPTY, [row("scan", 13)], "today", keeps_others=False)
        self.assertIn(
            "| scan | 13.00 ns/event (13.00 … 13.00) | C cursor: 10.00 | 1.30 | at most 1.3 x C | today |",
            text,
        )

    def test_each_row_is_written_to_its_table_and_the_words_between_stay(self):
        rows = [row("scan", 13), row("meter: encode", 5, "meters")]
        text = page.with_rows(EMPTY, rows, "today", keeps_others=False)
        self.assertEqual([line[0] for line in page.body(text, "engine")], ["scan"])
        self.assertEqual([line[0] for line in page.body(text, "meters")], ["meter: encode"])
        self.assertIn("\n\nWords between.\n\n", text)

    def test_rows_that_were_not_measured_keep_their_figures_and_their_date(self):
        text = page.with_rows(EMPTY, [row("scan", 13), row("hash", 20)], "yesterday", keeps_others=False)
        text = page.with_rows(text, [row("hash", 30)], "today", keeps_others=True)
        scan, hashing = page.body(text, "engine")
        self.assertEqual((scan[0], scan[3], scan[-1]), ("scan", "1.30", "yesterday"))
        self.assertEqual((hashing[0], hashing[3], hashing[-1]), ("hash", "3.00", "today"))

    def test_a_run_of_everything_drops_rows_that_no_benchmark_measures(self):
        text = page.with_rows(EMPTY, [row("scan", 13), row("gone", 20)], "yesterday", keeps_others=False)
        text = page.with_rows(text, [row("scan", 13)], "today", keeps_others=False)
        self.assertEqual([line[0] for line in page.body(text, "engine")], ["scan"])

    def test_a_new_row_comes_after_the_one_that_was_measured_before_it(self):
        old = [["scan", "1"], ["verify", "1"]]
        merged = page.merged(old, [["scan", "2"], ["hash", "2"]])
        self.assertEqual(merged, [["scan", "2"], ["hash", "2"], ["verify", "1"]])
        self.assertEqual(page.merged(old, [["hash", "2"]]), [*old, ["hash", "2"]])

    def test_writing_the_same_rows_again_changes_nothing(self):
        text = page.with_rows(EMPTY, [row("scan", 13)], "today", keeps_others=False)
        self.assertEqual(page.with_rows(text, [row("scan", 13)], "today", keeps_others=True), text)

    def test_a_small_ratio_is_read_as_it_was_written(self):
        text = page.with_small_ratios(EMPTY, [row("scan", 13.1)], "today", keeps_others=False)
        found = page.expected(text)["scan"]
        self.assertEqual((found.ratio, found.better, found.limit), (1.31, "lower", 1.5))

    def test_a_page_without_a_mark_is_refused(self):
        with self.assertRaises(Failed):
            page.with_rows(EMPTY.replace("<!-- end of engine -->", ""), [row("scan", 13)], "today", keeps_others=False)

    def test_a_row_that_cannot_be_read_is_refused(self):
        text = page.with_small_ratios(EMPTY, [row("scan", 13)], "today", keeps_others=False)
        with self.assertRaises(Failed):
            page.expected(text.replace("| 1.3 |", "| fast |"))


if __name__ == "__main__":
    unittest.main()
