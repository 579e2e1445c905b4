# SPDX-License-Identifier: Apache-2.0
# The page in a real Chromium, on an exporter that counts cgroups of the test's own.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

function(add_browser_test name)
  add_test(NAME browser/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/browser/run.py ${name})
  set_tests_properties(browser/${name} PROPERTIES
    LABELS live TIMEOUT 1800 SKIP_RETURN_CODE 77 PROCESSORS 4
    ENVIRONMENT "PMU_EXPORTER=$<TARGET_FILE:pmu_exporter>;PMU_TEST_LOAD=$<TARGET_FILE:load>;\
PMU_TEST_KNOWN_STACKS=$<TARGET_FILE:known_stacks>;\
PMU_TEST_KNOWN_TOUCHES=$<TARGET_FILE:known_touches>;\
PMU_TEST_SHIFTED_CLOCK=$<TARGET_FILE:shifted_clock>;\
PMU_TEST_BROWSER=${CMAKE_BINARY_DIR}/browser;PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/support")
endfunction()

add_browser_test(shell)
add_browser_test(now)
add_browser_test(past)
add_browser_test(many)
add_browser_test(events)
add_browser_test(status)
add_browser_test(time)
add_browser_test(latency)
add_browser_test(block_io)
add_browser_test(by_key)
add_browser_test(runs)
add_browser_test(schedule)
add_browser_test(profile)
add_browser_test(record)
add_browser_test(reader)
takes(40 browser/shell browser/now browser/runs)
takes(40 browser/record browser/latency browser/block_io browser/by_key browser/schedule)
takes(120 browser/time browser/profile)
