# SPDX-License-Identifier: Apache-2.0
"""What the other tests know of queries."""
import unittest

import promql


class Selectors(unittest.TestCase):
    def only(self, text):
        selector, = promql.selectors(text)
        return selector

    def test_one_has_metric_matchers_range_and_function(self):
        found = self.only('sum by (job, b) (rate(a_total{job=~"$job", x="}"}[$__rate_interval] '
                          'offset 1d))')
        self.assertEqual(found.metric, "a_total")
        self.assertEqual(found.matchers, (("job", "=~", "$job"), ("x", "=", "}")))
        self.assertEqual((found.range, found.function), ("$__rate_interval", "rate"))

    def test_a_name_may_be_a_matcher_and_a_label_a_variable(self):
        found = self.only('sum by ($by) (rate({__name__="$metric", $by=~"$target"}[5m]))')
        self.assertEqual(found.metric, "")
        self.assertEqual(found.matchers[0], ("__name__", "=", "$metric"))
        self.assertEqual(found.matchers[1], ("$by", "=~", "$target"))

    def test_all_of_a_query_are_found(self):
        text = 'a{x="1"} / (b{x="1"} > 0) and on (job) topk(5, c{} or rate(d{x=~"a\\"b"}[1m]))'
        self.assertEqual([s.metric for s in promql.selectors(text)], ["a", "b", "c", "d"])

    def test_an_aggregation_is_no_function_of_the_inner(self):
        self.assertEqual(self.only('count(up{job="a"})').function, "count")


class BareWords(unittest.TestCase):
    def test_a_metric_without_matchers_is_found(self):
        self.assertEqual(promql.bare_words("sum by (job) (rate(a_total[5m])) / b"),
                         ["a_total", "b"])

    def test_functions_labels_numbers_variables_and_strings_are_none(self):
        text = ('label_join(rate(a{x="y"}[$__range] offset 1w) * on (job, cpu) '
                'group_left (core) c{}, "at", "/") / $__range_s > 1e7 or d{}')
        self.assertEqual(promql.bare_words(text), [])


if __name__ == "__main__":
    unittest.main()
