# SPDX-License-Identifier: Apache-2.0
add_unit_test(app births_pace)
add_unit_test(app service_control PkgConfig::SYSTEMD)
add_unit_test(app schedule)
add_unit_test(app metrics_page Threads::Threads)
add_unit_test(app doubt_watch)
add_unit_test(app notify)
add_unit_test(app options)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME app/programs
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/app/test_programs.py
          $<TARGET_FILE:pmu_exporter> $<TARGET_FILE:pmutool>)
set_tests_properties(app/programs PROPERTIES LABELS unit TIMEOUT 300)
in_kernel(cycle/collector_follow config/config_file log/log cycle/process_member cycle/process_whole
  app/programs app/service_control)

# The man pages: what they say, and how they are written.
add_test(NAME lint/man-contents
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/app/man_pages.py
          ${PROJECT_SOURCE_DIR} $<TARGET_FILE:pmu_exporter>)
find_program(MANDOC mandoc)
if(MANDOC)
  add_test(NAME lint/man-pages
    COMMAND ${MANDOC} -Tlint -Wwarning pmutool.1 pmu_exporter.yml.5 pmu_exporter.8
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/src/man)
else()
  add_test(NAME lint/man-pages
    COMMAND sh -c "echo 'skipped: mandoc is not installed'; exit 77")
endif()
set_tests_properties(lint/man-contents lint/man-pages PROPERTIES
  LABELS lint TIMEOUT 300 SKIP_RETURN_CODE 77)
