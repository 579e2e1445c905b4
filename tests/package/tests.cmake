# SPDX-License-Identifier: Apache-2.0
# Packages (config/package): they are built once, with the root of a bare Debian and the image of a
# container, and then looked at, installed and removed; the image is run as by hand and as the pod of
# config/kubernetes. Only on Debian, and by the build of gcc without sanitizers.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT EXISTS /etc/debian_version)
  return()
endif()

set(package_environment "PMU_TEST_PACKAGES=${CMAKE_BINARY_DIR}/packages;\
PMU_TEST_BUILD=${CMAKE_BINARY_DIR};PMU_TEST_LOAD=$<TARGET_FILE:load>;\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/package:${CMAKE_CURRENT_SOURCE_DIR}/kubernetes:\
${CMAKE_CURRENT_SOURCE_DIR}/support")

function(add_package_test name label)
  add_test(NAME package/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/test_${name}.py)
  set_tests_properties(package/${name} PROPERTIES LABELS "${label}" TIMEOUT 900
    SKIP_RETURN_CODE 77 FIXTURES_REQUIRED packages ENVIRONMENT "${package_environment}")
endfunction()

add_test(NAME package/prepare
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/prepare.py)
set_tests_properties(package/prepare PROPERTIES LABELS "live;prepare" TIMEOUT 1800
  FIXTURES_SETUP packages ENVIRONMENT "${package_environment}")
takes(105 package/prepare)
add_package_test(contents live)
add_package_test(container live)
add_package_test(kubernetes live)
add_package_test(life live)
add_package_test(rpm live)
add_package_test(reproducible "live;long")
add_package_test(upgrade "live;long")
takes(25 package/contents package/kubernetes)

# The package's unit under random faults, beside those that have an exporter of their own.
add_test(NAME faults/soak_of_unit
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/faults/test_soak_of_unit.py)
set_tests_properties(faults/soak_of_unit PROPERTIES LABELS long TIMEOUT 3600 RUN_SERIAL TRUE
  SKIP_RETURN_CODE 77 FIXTURES_REQUIRED packages
  ENVIRONMENT "${package_environment};PMU_TEST_SECONDS=600")
