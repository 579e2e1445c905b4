# SPDX-License-Identifier: Apache-2.0
# The rules for Prometheus in dashboards/rules and the mixin, once, in the gcc build without sanitizers.
# Those that need promtool or jsonnet are skipped without; PMU_TEST_PROMETHEUS=required makes that a
# failure.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

function(add_rules_test name label timeout)
  add_test(NAME rules/${name} COMMAND ${Python3_EXECUTABLE} -B ${ARGN}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/rules)
  set_tests_properties(rules/${name} PROPERTIES
    LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "PMU_EXPORTER=$<TARGET_FILE:pmu_exporter>;\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/support")
endfunction()

add_rules_test(text unit 60 test_rules.py Text Names)
add_rules_test(promtool unit 300 test_rules.py Promtool)
add_rules_test(spread unit 300 test_spread.py)
add_rules_test(regressions unit 900 test_regressions.py)
add_rules_test(mixin unit 900 test_mixin.py)
add_rules_test(names live 180 test_names.py)
add_rules_test(config live 900 test_config.py)
add_rules_test(fleet live 900 test_fleet.py)
takes(65 rules/regressions)
takes(60 rules/fleet)
takes(20 rules/config)
takes(60 rules/mixin)
add_rules_test(backtest_parts unit 60 test_backtest.py Parts)
add_rules_test(guards long 1800 test_guards.py)
# Two CPU minutes for each of 20 histories, as many at a time as there are CPUs.
add_rules_test(backtest long 7200 test_backtest.py Backtest)
