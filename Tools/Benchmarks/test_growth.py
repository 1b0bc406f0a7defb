"""Tests of the picture of growth."""

import unittest
import xml.dom.minidom

import growth


class Growth(unittest.TestCase):
    def test_costs_are_relative_to_the_least_log_and_a_rate_that_falls_is_a_cost_that_grows(self):
        figures = {
            growth.name("rebuild", 10_000): 1000.0,
            growth.name("rebuild", 1_000_000): 250.0,
            growth.name("qso add, whole process", 10_000): 20.0,
            growth.name("qso add, whole process", 100_000): 30.0,
        }
        lines = growth.costs(figures)
        self.assertEqual(lines["rebuild"], [(10_000, 1.0), (1_000_000, 4.0)])
        self.assertEqual(lines["qso add, whole process"], [(10_000, 1.0), (100_000, 1.5)])
        self.assertNotIn("qso list, whole process", lines)

    def test_the_picture_has_a_line_for_each_series_inside_its_frame(self):
        figures = {growth.name(series, size): 10.0 for series in growth.SERIES for size in growth.SIZES}
        figures[growth.name("qso add, whole process", 10_000_000)] = 75.0
        picture = xml.dom.minidom.parseString(growth.picture(figures, "today & here"))
        lines = picture.getElementsByTagName("polyline")
        self.assertEqual(len(lines), len(growth.SERIES))
        for line in lines:
            for point in line.getAttribute("points").split():
                x, y = map(float, point.split(","))
                self.assertTrue(growth.LEFT <= x <= growth.LEFT + growth.WIDTH)
                self.assertTrue(growth.TOP <= y <= growth.TOP + growth.HEIGHT)


if __name__ == "__main__":
    unittest.main()
