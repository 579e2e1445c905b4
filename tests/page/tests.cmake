# SPDX-License-Identifier: Apache-2.0
# The modules of the page that need no browser, run by node, once: no compiler has a part in them. With
# PMU_TEST_NODE=required node has to be there.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

find_program(NODE node)

function(add_page_test name)
  set(command ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/page/test_${name}.mjs)
  if(NOT NODE)
    set(command sh -c "echo 'node is not installed'; [ \"$PMU_TEST_NODE\" = required ] || exit 77; exit 1")
  endif()
  add_test(NAME page/${name} COMMAND ${command})
  set_tests_properties(page/${name} PROPERTIES
    LABELS unit TIMEOUT 60 SKIP_RETURN_CODE 77 ENVIRONMENT TZ=Europe/Berlin)
endfunction()

foreach(name align before_after columns curves event_groups format keyed latency profile_code profile_colours profile_data profile_seconds profile_state targets range run_points schedule_threads scopes ticks time_csv time_data)
  add_page_test(${name})
endforeach()
