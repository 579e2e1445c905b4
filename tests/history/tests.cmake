# SPDX-License-Identifier: Apache-2.0
add_unit_test(history column_code)
add_unit_test(history chunk)
add_unit_test(history store)
add_unit_test(history latency)
add_unit_test(history by_key)
add_unit_test(history history)
add_unit_test(history vault)
add_unit_test(history profiles)
add_unit_test(history churn)
takes(20 history/churn)
add_unit_test(history kills)

add_test(NAME long/history_writes_killed COMMAND test_history_kills)
set_tests_properties(long/history_writes_killed PROPERTIES
  LABELS long TIMEOUT 3600 ENVIRONMENT "PMU_TEST_KILLS=1000")
has_threads(history/history)
