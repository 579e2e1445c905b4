# SPDX-License-Identifier: Apache-2.0
# Against the real kernel, as root: all in the release build, those that break things with the
# sanitizers too. Several at once: each has ports, cgroups and names of its own.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

# A test of the program on this machine: tests/<folder>/test_<name>.py
function(add_program_test folder name)
  add_test(NAME ${folder}/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_${name}.py)
  if(SANITIZE)
    set(sanitized 1)
  else()
    set(sanitized 0)
  endif()
  set_tests_properties(${folder}/${name} PROPERTIES
    LABELS live TIMEOUT 2400 SKIP_RETURN_CODE 77
    ENVIRONMENT "PMU_EXPORTER=$<TARGET_FILE:pmu_exporter>;PMU_TEST_LOAD=$<TARGET_FILE:load>;\
PMU_TEST_CROWD=$<TARGET_FILE:crowd>;PMU_TEST_MECHANISMS=$<TARGET_FILE:mechanisms>;\
PMU_TEST_PROBED=$<TARGET_FILE:probed>;PMU_TEST_TURNS=$<TARGET_FILE:turns>;\
PMU_TEST_SLEEPERS=$<TARGET_FILE:sleepers>;PMU_TEST_BLOCK_REQUESTS=$<TARGET_FILE:block_requests>;\
PMU_TEST_OBSERVED=$<TARGET_FILE:observed>;PMU_TEST_TRAFFIC=$<TARGET_FILE:traffic>;\
PMU_TEST_SMALL_GUEST=$<TARGET_FILE:small_guest>;\
PMU_TEST_KNOWN_LOOPS=$<TARGET_FILE:known_loops>;\
PMU_TEST_KNOWN_LOOPS_SPLIT=$<TARGET_FILE:known_loops_split>;\
PMU_TEST_KNOWN_PACES=$<TARGET_FILE:known_paces>;\
PMU_TEST_KNOWN_TOUCHES=$<TARGET_FILE:known_touches>;\
PMU_TEST_LOCK_HOLDER=$<TARGET_FILE:lock_holder>;\
PMU_TEST_SLOW_FRAMES=$<TARGET_FILE:slow_frames>;\
PMU_TEST_KNOWN_SHARES=$<TARGET_FILE:known_shares>;\
PMU_TEST_KNOWN_STACKS=$<TARGET_FILE:known_stacks>;\
PMU_TEST_FAILING_CALLS=$<TARGET_FILE:failing_calls>;\
PMU_TEST_CONTROL_LOAD=$<TARGET_FILE:control_load>;\
PMU_TEST_UNDER_FILTER=$<TARGET_FILE:under_filter>;\
PMU_SANITIZED=${sanitized};PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/support")
endfunction()

function(add_live_test name)
  add_program_test(live ${name})
endfunction()

add_live_test(http)
add_live_test(annotation)
add_live_test(api)
add_live_test(api_examples)
add_live_test(names)
add_live_test(names_joins)
add_live_test(block_requests)
add_live_test(tls)
add_live_test(web_config)
add_live_test(history)
add_live_test(machine)
add_live_test(man_examples)
add_live_test(block_io)
add_live_test(by_key)
add_live_test(spans)
add_live_test(hooks)
add_live_test(system_calls)
add_live_test(system_call_times)
add_live_test(latency)
add_live_test(latency_crowd)
add_live_test(observers)
add_live_test(probes)
add_live_test(profile)
add_live_test(profile_files)
add_live_test(profile_lost)
add_live_test(profile_record)
add_live_test(profile_jit)
add_live_test(profile_storm)
add_live_test(processes)
add_live_test(refreshes)
add_live_test(reload)
add_live_test(runs)
add_live_test(uncore)
add_live_test(hybrid)
add_live_test(control)
add_live_test(encodings)
add_live_test(formats)
add_live_test(mechanism_choice)
add_live_test(namespaces)
add_live_test(schedule)
add_live_test(schedule_requests)
add_live_test(schedule_ends)
add_live_test(service)
add_live_test(stat)
add_live_test(stat_ends)
add_live_test(top)
add_live_test(pmutool_latency)
add_live_test(pmutool_profile)
add_live_test(pmutool_record)
add_live_test(tracepoints)
if(NOT SANITIZE)
  add_live_test(against_perf_stat)
  add_live_test(by_domain)
  add_live_test(series_budget)
  add_live_test(birth_and_death)
  add_live_test(cgroup_v1)
  add_live_test(prometheus)
  add_live_test(client)
  add_live_test(scrapers)
  add_live_test(short_lives)
  set_tests_properties(live/cgroup_v1 PROPERTIES RUN_SERIAL TRUE) # takes perf_event away from v2
  set_tests_properties(live/against_perf_stat PROPERTIES PROCESSORS 4)
endif()

# The exporter as it is built where no program for the kernel can be: the files that stand for their
# loaders come before the loaders, which then are not taken out of the library.
file(GLOB absent CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sys/bpf/*_absent.c
     ${PROJECT_SOURCE_DIR}/src/sys/bpf/*/*_absent.c)
add_executable(pmu_exporter_without_bpf ${PROJECT_SOURCE_DIR}/src/service/main.c ${absent})
target_link_libraries(pmu_exporter_without_bpf PRIVATE service)
target_include_directories(pmu_exporter_without_bpf PRIVATE ${PROJECT_SOURCE_DIR}/src)
add_live_test(without_bpf)
get_test_property(live/without_bpf ENVIRONMENT environment)
string(REPLACE "$<TARGET_FILE:pmu_exporter>" "$<TARGET_FILE:pmu_exporter_without_bpf>" environment
       "${environment}")
set_tests_properties(live/without_bpf PROPERTIES ENVIRONMENT "${environment}")

# Bounded in the short mode, and for minutes in the long one.
function(add_long_program_test folder name seconds timeout)
  get_test_property(${folder}/${name} ENVIRONMENT environment)
  add_test(NAME long/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_${name}.py)
  set_tests_properties(long/${name} PROPERTIES
    LABELS long TIMEOUT ${timeout} RUN_SERIAL TRUE SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment};PMU_TEST_SECONDS=${seconds}")
endfunction()

# The same by another mechanism: direct, bpf or auto, which is what this machine gets.
function(add_program_test_by mechanism folder name)
  get_test_property(${folder}/${name} ENVIRONMENT environment)
  add_test(NAME ${folder}/${name}_by_${mechanism}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_${name}.py)
  set_tests_properties(${folder}/${name}_by_${mechanism} PROPERTIES
    LABELS live TIMEOUT 2400 SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment};PMU_TEST_COUNTING=${mechanism}")
endfunction()

# Many kills take their time: PMU_TEST_KILLS of them.
get_test_property(live/history ENVIRONMENT environment)
add_test(NAME long/history_kills COMMAND ${Python3_EXECUTABLE} -B
  ${CMAKE_CURRENT_SOURCE_DIR}/live/test_history.py
  History.test_kill_leaves_a_database_that_goes_on)
set_tests_properties(long/history_kills PROPERTIES
  LABELS long TIMEOUT 7200 RUN_SERIAL TRUE SKIP_RETURN_CODE 77
  ENVIRONMENT "${environment};PMU_TEST_KILLS=1000")

# On which CPUs processes ran only bpf tells.
if(NOT SANITIZE)
  add_test(NAME live/history_cpus_bpf COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/live/test_history.py
    History.test_a_process_bound_to_a_cpu_ran_there_and_nowhere_else)
  set_tests_properties(live/history_cpus_bpf PROPERTIES
    LABELS live TIMEOUT 2400 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment};PMU_TEST_COUNTING=bpf")
  takes(40 live/history_cpus_bpf)
endif()

add_long_program_test(live profile_storm 60 1800)
if(NOT SANITIZE)
  add_long_program_test(live short_lives 0 3600) # 30 services in the short mode
  set_property(TEST long/short_lives APPEND PROPERTY ENVIRONMENT "PMU_TEST_SERVICES=200")
  add_program_test_by(bpf live latency) # one program counts both
  add_program_test_by(bpf live by_domain)
  takes(40 live/by_domain live/by_domain_by_bpf)
  foreach(name birth_and_death reload)
    add_program_test_by(auto live ${name})
  endforeach()
endif()

takes(75 live/history)
takes(65 live/schedule_ends)
takes(70 live/tracepoints)
takes(50 live/web_config live/machine)
takes(45 live/reload live/tls live/stat)
takes(35 live/latency)
takes(25 live/top live/pmutool_latency live/processes live/service live/http live/control live/runs live/probes)
takes(20 live/hooks live/encodings live/mechanism_choice live/formats)
if(NOT SANITIZE)
  takes(45 live/short_lives live/reload_by_auto)
  takes(40 live/prometheus live/against_perf_stat)
  takes(35 live/latency_by_bpf)
  takes(25 live/scrapers)
  takes(20 live/birth_and_death_by_auto)
endif()

# The bpf mechanism beside direct, some minutes.
add_live_test(mechanisms)
add_live_test(mechanisms_processes)
set_tests_properties(live/mechanisms live/mechanisms_processes PROPERTIES LABELS long)
