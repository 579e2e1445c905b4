# SPDX-License-Identifier: Apache-2.0
add_unit_test(tool json PkgConfig::JANSSON)
add_unit_test(tool latency/distribution PkgConfig::JANSSON m)
add_unit_test(tool latency/show PkgConfig::JANSSON m)
add_unit_test(tool profile/show PkgConfig::JANSSON m)
add_unit_test(tool profile/times)
add_unit_test(tool safe_text)
add_unit_test(tool stat/derive m)
add_unit_test(tool table)
add_unit_test(tool terminal)
add_unit_test(tool top/batch PkgConfig::JANSSON m)
add_unit_test(tool top/cells PkgConfig::JANSSON m)
add_unit_test(tool top/name)
add_unit_test(tool top/page PkgConfig::JANSSON)
add_unit_test(tool top/rows PkgConfig::JANSSON m)
add_unit_test(tool top/state PkgConfig::JANSSON PkgConfig::NCURSES)
add_unit_test(tool top/view PkgConfig::JANSSON m)

foreach(name programs check_config)
  add_test(NAME tool/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tool/test_${name}.py
            $<TARGET_FILE:pmu_exporter> $<TARGET_FILE:pmutool>)
  set_tests_properties(tool/${name} PROPERTIES LABELS unit TIMEOUT 300)
  in_kernel(tool/${name})
  takes(20 tool/${name})
endforeach()

add_test(NAME tool/json_output
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tool/test_json_output.py
          $<TARGET_FILE:pmutool>)
set_tests_properties(tool/json_output PROPERTIES LABELS unit TIMEOUT 300)
in_kernel(tool/json_output)

add_test(NAME tool/linked
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tool/test_linked.py
          $<TARGET_FILE:pmu_exporter> $<TARGET_FILE:pmutool>)
set_tests_properties(tool/linked PROPERTIES LABELS unit TIMEOUT 60)

# What commands about events print; without rights they tell of them.
add_test(NAME tool/events
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tool/test_events.py
          $<TARGET_FILE:pmutool>)
set_tests_properties(tool/events PROPERTIES LABELS unit TIMEOUT 300)
in_kernel(tool/events)

# The completions, pressed TAB for in real shells.
add_test(NAME tool/completion
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tool/test_completion.py
          $<TARGET_FILE:pmutool>)
set_tests_properties(tool/completion PROPERTIES LABELS unit TIMEOUT 600)
