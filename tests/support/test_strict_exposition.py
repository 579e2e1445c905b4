# SPDX-License-Identifier: Apache-2.0
"""The strict reader takes what is right and finds every wrong that we could think of."""
import unittest

import strict_exposition as strict

HEAD = b"# HELP pmu_a_total What a is.\n# TYPE pmu_a_total counter\n"
GAUGE = b"# HELP pmu_g What g is.\n# TYPE pmu_g gauge\n"


def errors(body):
    return strict.read(body).errors


class Good(unittest.TestCase):
    def check(self, body):
        self.assertEqual(errors(body), [])
        return strict.parse(body)

    def test_nothing_at_all_lacks_its_newline_only(self):
        self.assertEqual(len(errors(b"")), 2)

    def test_counters_and_gauges(self):
        result = self.check(HEAD + b'pmu_a_total{cgroup="/a"} 18446744073709551615\n' +
                            b'pmu_a_total{cgroup="/b"} 0.000000001\n' + GAUGE + b"pmu_g -1.5e-7\n")
        self.assertEqual(len(result.series), 3)
        self.assertEqual(result.families["pmu_a_total"].help, "What a is.")

    def test_escapes_in_labels_are_read_back(self):
        result = self.check(HEAD + rb'pmu_a_total{x="q\" b\\ n\n }, ="} 1' + b"\n")
        (_, labels), = result.series
        self.assertEqual(dict(labels), {"x": 'q" b\\ n\n }, ='})

    def test_utf8_in_labels(self):
        self.check(HEAD + 'pmu_a_total{x="żółw 漢 👩"} 1\n'.encode())

    def test_empty_label_values(self):
        self.check(HEAD + b'pmu_a_total{x="",y="1"} 1\n')

    def test_escapes_in_help(self):
        result = self.check(b"# HELP pmu_g A \\\\ and \\n.\n# TYPE pmu_g gauge\npmu_g 1\n")
        self.assertEqual(result.families["pmu_g"].help, "A \\ and \n.")


HISTOGRAM = b"# HELP pmu_h_seconds What h is.\n# TYPE pmu_h_seconds histogram\n"


def histogram(labels=b"", limits=(b"0.25", b"1.0", b"+Inf"), counts=(0, 2, 3), total=3):
    buckets = [b'pmu_h_seconds_bucket{%sle="%s"} %d\n' % (labels and labels + b",", le, n)
               for le, n in zip(limits, counts)]
    braces = b"{%s}" % labels if labels else b""
    return b"".join(buckets) + (b"pmu_h_seconds_sum%s 2.500000000\npmu_h_seconds_count%s %d\n" %
                                (braces, braces, total))


class Histograms(unittest.TestCase):
    def test_of_several_targets(self):
        body = HISTOGRAM + histogram(b'x="1"') + histogram(b'x="2"') + GAUGE + b"pmu_g 1\n"
        self.assertEqual(errors(body), [])
        self.assertEqual(errors(GAUGE + b"pmu_g 1\n" + HISTOGRAM + histogram()), [])

    def test_that_is_wrong(self):
        cases = {
            "falling": histogram(counts=(0, 4, 3)),
            "another count": histogram(total=4),
            "nothing in it": histogram(counts=(0, 0, 0), total=0),
            "no end": histogram(limits=(b"0.25", b"1.0", b"4.0")),
            "out of order": histogram(limits=(b"1.0", b"0.25", b"+Inf")),
            "other limits": histogram(b'x="1"') + histogram(b'x="2"', (b"0.5", b"1.0", b"+Inf")),
            "no sum": histogram().replace(b"pmu_h_seconds_sum 2.500000000\n", b""),
            "in pieces": histogram(b'x="1"')[:40] + histogram(b'x="2"') + histogram(b'x="1"')[40:],
            "no integer": histogram().replace(b" 2\n", b" 2.5\n", 1),
        }
        for what, samples in cases.items():
            for behind in (b"", GAUGE + b"pmu_g 1\n"):
                self.assertTrue(errors(HISTOGRAM + samples + behind), what)


BAD = {
    "not_utf8": (HEAD + b'pmu_a_total{x="\xff"} 1\n', "UTF-8"),
    "overlong_utf8": (HEAD + b'pmu_a_total{x="\xc0\xaf"} 1\n', "UTF-8"),
    "surrogate": (HEAD + b'pmu_a_total{x="\xed\xa0\x80"} 1\n', "UTF-8"),
    "no_newline_at_the_end": (HEAD + b"pmu_a_total 1", "newline"),
    "carriage_return": (HEAD + b"pmu_a_total 1\r\n", "control"),
    "nul": (HEAD + b'pmu_a_total{x="\0"} 1\n', "control"),
    "escape_character": (HEAD + b'pmu_a_total{x="\x1b[31m"} 1\n', "control"),
    "tab": (HEAD + b"pmu_a_total\t1\n", "control"),
    "del": (HEAD + b'pmu_a_total{x="\x7f"} 1\n', "control"),
    "c1_control": (HEAD + 'pmu_a_total{x="\x85"} 1\n'.encode(), "control"),
    "line_separator": (HEAD + 'pmu_a_total{x="\u2028"} 1\n'.encode(), "control"),
    "bidi_override": (HEAD + 'pmu_a_total{x="\u202e"} 1\n'.encode(), "bidirectional"),
    "noncharacter": (HEAD + 'pmu_a_total{x="\ufffe"} 1\n'.encode(), "noncharacter"),
    "raw_newline_in_a_label": (HEAD + b'pmu_a_total{x="a\nb"} 1\n', "without an end"),
    "empty_line": (HEAD + b"\npmu_a_total 1\n", "empty line"),
    "free_comment": (HEAD + b"# hello\npmu_a_total 1\n", "neither"),
    "comment_without_space": (HEAD + b"#EOF\npmu_a_total 1\n", "neither"),
    "help_without_text": (b"# HELP pmu_g\n# TYPE pmu_g gauge\npmu_g 1\n", "neither"),
    "empty_help": (b"# HELP pmu_g \n# TYPE pmu_g gauge\npmu_g 1\n", "empty HELP"),
    "illegal_escape_in_help": (b"# HELP pmu_g a\\t\n# TYPE pmu_g gauge\npmu_g 1\n", "escape"),
    "quote_escaped_in_help": (b'# HELP pmu_g a\\"\n# TYPE pmu_g gauge\npmu_g 1\n', "escape"),
    "no_help": (b"# TYPE pmu_g gauge\npmu_g 1\n", "no HELP"),
    "no_type": (b"# HELP pmu_g G.\npmu_g 1\n", "no HELP and TYPE"),
    "second_help": (b"# HELP pmu_g G.\n" + GAUGE + b"pmu_g 1\n", "second HELP"),
    "second_type": (GAUGE + b"# TYPE pmu_g gauge\npmu_g 1\n", "second TYPE"),
    "type_behind_samples": (b"# HELP pmu_g G.\npmu_g 1\n# TYPE pmu_g gauge\n", "behind"),
    "unknown_type": (b"# HELP pmu_g G.\n# TYPE pmu_g meter\npmu_g 1\n", "type 'meter'"),
    "untyped": (b"# HELP pmu_g G.\n# TYPE pmu_g untyped\npmu_g 1\n", "untyped"),
    "counter_without_total": (b"# HELP pmu_g G.\n# TYPE pmu_g counter\npmu_g 1\n", "_total"),
    "gauge_with_total": (b"# HELP g_total G.\n# TYPE g_total gauge\ng_total 1\n", "_total"),
    "family_in_two_pieces": (HEAD + b"pmu_a_total 1\n" + GAUGE + b"pmu_g 1\n" +
                             b'pmu_a_total{x="1"} 1\n', "one piece"),
    "header_of_a_family_again": (HEAD + b"pmu_a_total 1\n" + GAUGE + HEAD, "one piece"),
    "same_series_twice": (HEAD + b'pmu_a_total{x="1"} 1\n' * 2, "twice"),
    "same_series_in_other_label_order": (HEAD + b'pmu_a_total{x="1",y="2"} 1\n' +
                                         b'pmu_a_total{y="2",x="1"} 2\n', "twice"),
    "label_twice": (HEAD + b'pmu_a_total{x="1",x="2"} 1\n', "twice"),
    "label_with_dash": (HEAD + b'pmu_a_total{x-y="1"} 1\n', "label name"),
    "label_with_digit": (HEAD + b'pmu_a_total{1x="1"} 1\n', "label name"),
    "label_with_two_underscores": (HEAD + b'pmu_a_total{__x="1"} 1\n', "label name"),
    "empty_label_name": (HEAD + b'pmu_a_total{="1"} 1\n', "label name"),
    "empty_braces": (HEAD + b"pmu_a_total{} 1\n", "not a label"),
    "trailing_comma": (HEAD + b'pmu_a_total{x="1",} 1\n', "not a label"),
    "space_between_labels": (HEAD + b'pmu_a_total{x="1", y="2"} 1\n', "not a label"),
    "no_comma": (HEAD + b'pmu_a_total{x="1"y="2"} 1\n', "comma"),
    "label_unquoted": (HEAD + b"pmu_a_total{x=1} 1\n", "not a label"),
    "labels_without_end": (HEAD + b'pmu_a_total{x="1" 1\n', "without an end"),
    "quote_not_escaped": (HEAD + b'pmu_a_total{x="a"b"} 1\n', "without an end"),
    "illegal_escape": (HEAD + b'pmu_a_total{x="\\t"} 1\n', "escape"),
    "hex_escape": (HEAD + b'pmu_a_total{x="\\x2d"} 1\n', "escape"),
    "name_with_dash": (b"# HELP a-b B.\n# TYPE a-b gauge\na-b 1\n", "metric name"),
    "name_with_colon": (b"# HELP a:b B.\n# TYPE a:b gauge\na:b 1\n", "metric name"),
    "no_name": (HEAD + b'{x="1"} 1\n', "metric name"),
    "no_value": (HEAD + b"pmu_a_total\n", "without a value"),
    "no_value_behind_labels": (HEAD + b'pmu_a_total{x="1"}\n', "without a value"),
    "no_value_behind_labels_with_space": (HEAD + b'pmu_a_total{x=" "}\n', "one space"),
    "two_spaces": (HEAD + b"pmu_a_total  1\n", "one space"),
    "timestamp": (HEAD + b"pmu_a_total 1 1700000000000\n", "behind the value"),
    "space_at_the_end": (HEAD + b"pmu_a_total 1 \n", "behind the value"),
    "nan": (GAUGE + b"pmu_g NaN\n", "no value"),
    "infinity": (GAUGE + b"pmu_g +Inf\n", "no value"),
    "small_nan": (GAUGE + b"pmu_g nan\n", "no value"),
    "hexadecimal": (GAUGE + b"pmu_g 0x10\n", "no value"),
    "digit_separator": (GAUGE + b"pmu_g 1_000\n", "no value"),
    "comma_for_a_point": (GAUGE + b"pmu_g 1,5\n", "no value"),
    "point_without_digits": (GAUGE + b"pmu_g 1.\n", "no value"),
    "leading_zero": (GAUGE + b"pmu_g 01\n", "no value"),
    "negative_counter": (HEAD + b"pmu_a_total -1\n", "no value"),
    "counter_with_exponent": (HEAD + b"pmu_a_total 1e9\n", "no value"),
    "negative_energy": (b"# HELP pmu_e_joules_total E.\n# TYPE pmu_e_joules_total counter\n"
                        b"pmu_e_joules_total -2e-07\n", "no value"),
    "plus_sign": (HEAD + b"pmu_a_total +1\n", "no value"),
    "digits_of_another_script": (HEAD + "pmu_a_total ١\n".encode(), "no value"),
    "info_that_is_not_1": (b"# HELP a_info A.\n# TYPE a_info gauge\na_info 0\n", "not 1"),
    "injected_line": (HEAD + b'pmu_a_total{x="a"} 1\nevil{y="b"} 2\n', "no HELP"),
}


class Bad(unittest.TestCase):
    """One test for each entry of BAD."""

    def check(self, body, expected):
        found = errors(body)
        self.assertTrue(found, "nothing was found")
        self.assertTrue(any(expected in error for error in found), found)
        self.assertRaises(strict.Strict, strict.parse, body)

    def test_errors_tell_their_line(self):
        self.assertTrue(errors(HEAD + b"pmu_a_total x\n")[0].startswith("line 3:"))

    def test_every_error_is_told(self):
        self.assertEqual(len(errors(HEAD + b"pmu_a_total x\npmu_a_total y\n\n")), 3)


for _name, _case in BAD.items():
    setattr(Bad, f"test_{_name}", lambda self, case=_case: self.check(*case))


CGROUP_HEAD = b"# HELP pmu_cgroup_a_total A.\n# TYPE pmu_cgroup_a_total counter\n"
START_HEAD = (b"# HELP pmu_cgroup_start_time_seconds S.\n"
              b"# TYPE pmu_cgroup_start_time_seconds gauge\n")


def cgroup_text(value, start, event=b""):
    return strict.parse(CGROUP_HEAD + b'pmu_cgroup_a_total{cgroup="/x"' + event + b"} " + value +
                        b"\n" + START_HEAD + b'pmu_cgroup_start_time_seconds{cgroup="/x"} ' +
                        start + b"\n")


def machine_text(value, start):
    return strict.parse(HEAD + b"pmu_a_total " + value + b"\n# HELP process_start_time_seconds S.\n"
                        b"# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds " +
                        start + b"\n")


class Compare(unittest.TestCase):
    def test_counters_of_a_unit_may_be_written_with_an_exponent(self):
        text = (b"# HELP pmu_e_joules_total E.\n# TYPE pmu_e_joules_total counter\n"
                b"pmu_e_joules_total 2.3283064365386963e-07\n")
        self.assertEqual(len(strict.parse(text).series), 1)

    def test_counters_that_stand_or_rise_are_fine(self):
        self.assertEqual(strict.compare(cgroup_text(b"5", b"1"), cgroup_text(b"5", b"1")), [])
        self.assertEqual(strict.compare(cgroup_text(b"5", b"1"), cgroup_text(b"6", b"1")), [])

    def test_one_that_falls_within_a_birth_is_told(self):
        fell = strict.compare(cgroup_text(b"5", b"1"), cgroup_text(b"4", b"1"))
        self.assertEqual(len(fell), 1)
        self.assertIn("fell from 5 to 4", fell[0])

    def test_the_last_digit_of_a_large_one_counts(self):
        before, after = b"18446744073709551615", b"18446744073709551614"
        self.assertEqual(len(strict.compare(cgroup_text(before, b"1"), cgroup_text(after, b"1"))), 1)

    def test_a_rebirth_may_start_again(self):
        self.assertEqual(strict.compare(cgroup_text(b"5", b"1"), cgroup_text(b"0", b"2")), [])

    def test_further_labels_do_not_hide_a_birth(self):
        group = b',group="core"'
        self.assertEqual(len(strict.compare(cgroup_text(b"5", b"1", group),
                                            cgroup_text(b"4", b"1", group))), 1)
        self.assertEqual(strict.compare(cgroup_text(b"5", b"1", group),
                                        cgroup_text(b"4", b"2", group)), [])

    def test_the_exporter_itself_is_born_once_too(self):
        self.assertEqual(len(strict.compare(machine_text(b"5", b"1"), machine_text(b"4", b"1"))), 1)
        self.assertEqual(strict.compare(machine_text(b"5", b"1"), machine_text(b"4", b"2")), [])

    def test_gauges_may_fall(self):
        before, after = strict.parse(GAUGE + b"pmu_g 5\n"), strict.parse(GAUGE + b"pmu_g 4\n")
        self.assertEqual(strict.compare(before, after), [])

    def test_series_that_end_or_begin_are_fine(self):
        none = strict.parse(GAUGE + b"pmu_g 5\n")
        self.assertEqual(strict.compare(none, cgroup_text(b"5", b"1")), [])
        self.assertEqual(strict.compare(cgroup_text(b"5", b"1"), none), [])


if __name__ == "__main__":
    unittest.main()
