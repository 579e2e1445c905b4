# SPDX-License-Identifier: Apache-2.0
# What kubectl renders of config/kubernetes, once, in the gcc build without sanitizers. Without kubectl it is
# skipped; PMU_TEST_KUBECTL=required makes that a failure. tests/package runs the pod.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

function(add_kubernetes_test name label)
  add_test(NAME kubernetes/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/kubernetes/test_${name}.py)
  set_tests_properties(kubernetes/${name} PROPERTIES
    LABELS ${label} TIMEOUT 1200 SKIP_RETURN_CODE 77
    ENVIRONMENT "PMU_EXPORTER=$<TARGET_FILE:pmu_exporter>;\
PMU_TEST_KUBERNETES=${CMAKE_BINARY_DIR}/kubernetes;\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/kubernetes:${CMAKE_CURRENT_SOURCE_DIR}/support")
endfunction()

add_kubernetes_test(manifests live)
add_kubernetes_test(schemas unit)
set_tests_properties(kubernetes/schemas PROPERTIES PROCESSORS 3)
takes(15 kubernetes/schemas)
takes(10 kubernetes/manifests)
