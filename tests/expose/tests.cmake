# SPDX-License-Identifier: Apache-2.0
add_unit_test(expose exposition)
add_unit_test(expose format)
add_unit_test(expose histogram)
add_unit_test(expose own_profile)
add_unit_test(expose page)
add_unit_test(expose history_json PkgConfig::JANSSON m)
add_unit_test(expose json_text PkgConfig::JANSSON m)
add_unit_test(expose targets_json PkgConfig::JANSSON)
add_unit_test(expose profile_json PkgConfig::JANSSON)
add_unit_test(expose profile_pprof pprof)

# What we write as pprof, read by another program.
add_executable(pprof_file expose/pprof_file.c)
target_include_directories(pprof_file PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_source_files_properties(expose/pprof_file.c PROPERTIES COMPILE_OPTIONS "-Wno-null-dereference")
target_link_libraries(pprof_file PRIVATE expose PkgConfig::CMOCKA)
add_test(NAME expose/pprof COMMAND ${Python3_EXECUTABLE} -B
  ${CMAKE_CURRENT_SOURCE_DIR}/expose/test_pprof.py $<TARGET_FILE:pprof_file>)
set_tests_properties(expose/pprof PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
