# SPDX-License-Identifier: Apache-2.0
add_unit_test(event absence)
add_unit_test(event event_catalogue ${PFM_LIBRARY})
add_unit_test(event event_parts ${PFM_LIBRARY})
add_unit_test(event expansion ${PFM_LIBRARY})
add_unit_test(event foreign ${PFM_LIBRARY})
add_unit_test(event generic ${PFM_LIBRARY})
add_unit_test(event metric_name)
add_unit_test(event modifiers)
add_unit_test(event nearest)
add_unit_test(event pfm ${PFM_LIBRARY})
add_unit_test(event pfm_absent ${PFM_LIBRARY})
add_unit_test(event pmu_format)
add_unit_test(event pmu_unit)
add_unit_test(event probe ${PFM_LIBRARY})
add_unit_test(event probe_place)
add_unit_test(event probe_reader)
add_unit_test(event raw)
add_unit_test(event resolver ${PFM_LIBRARY})
add_unit_test(event tracepoint ${PFM_LIBRARY})
add_unit_test(event sysfs ${PFM_LIBRARY})
add_unit_test(event sysfs_refused ${PFM_LIBRARY})

# On other CPUs than this one: what looks up events, and what stands on it.
set(programs)
foreach(module event_event_parts event_foreign event_generic event_nearest event_pfm event_raw event_resolver
        metric_builtin_ratios metric_catalogue metric_plan
        config_config config_config_errors config_config_processes resolve_mechanism_size)
  list(APPEND programs $<TARGET_FILE:test_${module}>)
endforeach()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME event/models
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/event/test_models.py ${programs}
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(event/models PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
