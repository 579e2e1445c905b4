# SPDX-License-Identifier: Apache-2.0
# What is done to the program, a file for each family; README.md has the list. Under sanitizers by one
# mechanism, else by both.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

foreach(program churn control_load failing_calls)
  add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/faults/${program}.c)
  target_link_libraries(${program} PRIVATE compile_options)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endforeach()
target_link_libraries(failing_calls PRIVATE PkgConfig::SECCOMP)

function(add_fault_test name)
  add_program_test(faults ${name})
endfunction()

add_fault_test(perf)
add_fault_test(nth_call)
add_fault_test(disk)
add_fault_test(descriptors)
add_fault_test(rights)
add_fault_test(tracefs)
add_fault_test(tenants)

# The exporter with allocations that can fail: of our own objects, whatever libraries allocate.
add_executable(pmu_exporter_failing ${PROJECT_SOURCE_DIR}/src/service/main.c
                                    ${PROJECT_SOURCE_DIR}/tests/faults/failing_allocations.c)
target_link_libraries(pmu_exporter_failing PRIVATE service)
target_include_directories(pmu_exporter_failing PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                        ${PROJECT_SOURCE_DIR}/tests)
foreach(function malloc calloc realloc reallocarray aligned_alloc posix_memalign strdup strndup
        asprintf vasprintf fopen fdopen open_memstream opendir fdopendir getline)
  target_link_options(pmu_exporter_failing PRIVATE -Wl,--wrap=${function})
endforeach()
add_fault_test(nth_allocation)
get_test_property(faults/nth_allocation ENVIRONMENT environment)
string(REPLACE "$<TARGET_FILE:pmu_exporter>" "$<TARGET_FILE:pmu_exporter_failing>" environment
       "${environment}")
set_tests_properties(faults/nth_allocation PROPERTIES ENVIRONMENT "${environment}")

add_fault_test(connections)
add_fault_test(crowd)
add_fault_test(configuration)
add_fault_test(life)
add_fault_test(cgroups)
add_fault_test(processes)
add_fault_test(hidepid)
add_fault_test(memory)
add_fault_test(soak)
add_fault_test(memory_limit)
set_tests_properties(faults/processes PROPERTIES PROCESSORS 3)
if(NOT SANITIZE)
  add_program_test_by(bpf faults perf)
  add_program_test_by(auto faults descriptors)
  add_program_test_by(auto faults memory_limit)
  add_program_test_by(auto faults cgroups)
  add_program_test_by(auto faults configuration)
  foreach(family life connections crowd disk nth_call processes tracefs soak)
    add_program_test_by(auto faults ${family})
    set_tests_properties(faults/${family}_by_auto PROPERTIES LABELS long RUN_SERIAL TRUE)
  endforeach()
  set_property(TEST faults/soak_by_auto APPEND PROPERTY ENVIRONMENT "PMU_TEST_SECONDS=600")
endif()

add_long_program_test(faults connections 30 3600)
add_long_program_test(faults configuration 60 3600)
add_long_program_test(faults life 0 3600)
set_property(TEST long/life APPEND PROPERTY ENVIRONMENT "PMU_TEST_KILLS=200")

if(NOT SANITIZE) # sanitizers make calls of their own
  add_fault_test(under_filter)
  set_tests_properties(faults/under_filter PROPERTIES LABELS long TIMEOUT 7200 RUN_SERIAL TRUE)
endif()

add_long_program_test(faults soak 600 3600)
if(NOT SANITIZE)
  set_tests_properties(faults/soak PROPERTIES LABELS long) # where a leak of seconds would show
  add_fault_test(churn) # which is about costs
  set_tests_properties(faults/churn PROPERTIES PROCESSORS 4)
  set_property(TEST faults/churn APPEND PROPERTY ENVIRONMENT "PMU_TEST_CHURN=$<TARGET_FILE:churn>")
  add_long_program_test(faults churn 600 3600)
  takes(120 faults/churn)
  takes(70 faults/perf_by_bpf)
  takes(45 faults/configuration_by_auto)
  takes(25 faults/cgroups_by_auto)
endif()
takes(30 faults/descriptors)
takes(70 faults/processes faults/perf faults/nth_call)
takes(60 faults/connections faults/crowd)
takes(45 faults/soak faults/configuration)
takes(25 faults/life)
takes(25 faults/cgroups)
takes(20 faults/memory)
takes(40 faults/memory_limit)

if(SANITIZE MATCHES "thread")
  add_fault_test(threads)
  has_threads(faults/threads live/http PROGRAMS pmu_exporter control_load)
endif()
