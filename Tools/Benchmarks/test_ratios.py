"""Tests of the comparison with the table: ratios that are made up pass and fail as they must. They run no program."""

import unittest

from ratios import Expected, Verdict, compare
from rows import Row


def measured(name: str, ratio: float, unit: str = "ns/event", limit: float = 1.5) -> Row:
    """A row that was measured with this ratio."""
    row = Row("engine", name, unit, "", lambda: ratio, lambda: 1, "", limit)
    row.measure(5)
    return row


def only_verdict(table: dict[str, Expected], *rows: Row) -> Verdict:
    verdicts = compare(table, rows)
    assert len(verdicts) == 1
    return verdicts[0]


SCAN = {"scan": Expected(1.27, "lower", 1.5)}
APPEND = {"append": Expected(0.9, "higher", 1.5)}


class Comparison(unittest.TestCase):
    def test_the_ratio_of_the_table_passes(self):
        verdict = only_verdict(SCAN, measured("scan", 1.31))
        self.assertTrue(verdict.has_passed)
        self.assertEqual(str(verdict), "scan: ratio 1.31, table 1.27: passed")

    def test_a_time_may_be_worse_within_the_limit_only(self):
        self.assertTrue(only_verdict(SCAN, measured("scan", 1.27 * 1.4)).has_passed)
        self.assertFalse(only_verdict(SCAN, measured("scan", 1.27 * 1.6)).has_passed)

    def test_a_rate_may_be_worse_within_the_limit_only(self):
        self.assertTrue(only_verdict(APPEND, measured("append", 0.9 / 1.4, "events/s")).has_passed)
        self.assertFalse(only_verdict(APPEND, measured("append", 0.9 / 1.6, "events/s")).has_passed)

    def test_a_scan_of_4_1_times_against_a_table_of_1_27_fails(self):
        verdict = only_verdict(SCAN, measured("scan", 4.1))
        self.assertFalse(verdict.has_passed)
        self.assertIn("ratio 4.1, table 1.27: FAILED, 3.23 times worse", str(verdict))

    def test_a_ratio_that_is_far_better_passes_and_asks_for_a_new_table(self):
        for verdict in (
            only_verdict(SCAN, measured("scan", 0.5)),
            only_verdict(APPEND, measured("append", 2, "events/s")),
        ):
            self.assertTrue(verdict.has_passed)
            self.assertIn("write the table again", str(verdict))

    def test_a_row_that_the_table_lacks_fails(self):
        self.assertFalse(only_verdict({}, measured("scan", 1)).has_passed)

    def test_a_row_of_the_table_that_nothing_measures_fails(self):
        self.assertFalse(only_verdict(SCAN).has_passed)

    def test_rows_that_were_not_asked_for_are_not_missing(self):
        self.assertEqual(compare(SCAN, [], only="append"), [])
        self.assertEqual(len(compare(SCAN, [], only="sca")), 1)

    def test_another_limit_or_direction_than_in_the_table_fails(self):
        self.assertFalse(only_verdict(SCAN, measured("scan", 1.27, limit=9)).has_passed)
        self.assertFalse(only_verdict(SCAN, measured("scan", 1.27, unit="events/s")).has_passed)


class Ratios(unittest.TestCase):
    def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds(self):
        # Three of five rounds run beside other work, which slows down both programs.
        ours, theirs = iter([1, 1, 3, 3, 9]), iter([1, 1, 3, 3, 3])
        row = Row("engine", "scan", "ns/event", "", lambda: next(ours), lambda: next(theirs))
        row.measure(5)
        self.assertEqual(row.ratio, 1)


if __name__ == "__main__":
    unittest.main()
