# SPDX-License-Identifier: Apache-2.0
# The dashboards: their code, their JSON, and every query of theirs on a real Prometheus.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

function(add_dashboard_test name label)
  add_test(NAME dashboards/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/dashboards/test_${name}.py)
  set_tests_properties(dashboards/${name} PROPERTIES
    LABELS ${label} TIMEOUT 900 SKIP_RETURN_CODE 77
    ENVIRONMENT "PMU_EXPORTER=$<TARGET_FILE:pmu_exporter>;\
PMU_TEST_DASHBOARDS=${CMAKE_BINARY_DIR}/dashboards;${ARGN}\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/support:${CMAKE_CURRENT_SOURCE_DIR}/vm:\
${CMAKE_CURRENT_SOURCE_DIR}/rules")
endfunction()

add_dashboard_test(generated lint)
set_tests_properties(dashboards/generated PROPERTIES TIMEOUT 1200)
takes(15 dashboards/generated)
add_dashboard_test(linter lint)
add_dashboard_test(promql unit)
add_dashboard_test(live live)
takes(20 dashboards/live)
add_dashboard_test(fleet live)
takes(20 dashboards/fleet)
add_dashboard_test(kvm live)
takes(3 dashboards/kvm)
add_dashboard_test(recorded vm "PMU_TEST_ARM64=${CMAKE_BINARY_DIR}/arm64;")
takes(35 dashboards/recorded)
set_tests_properties(dashboards/recorded PROPERTIES
  FIXTURES_REQUIRED vm_guest TIMEOUT 2700)
