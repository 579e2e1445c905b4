# SPDX-License-Identifier: Apache-2.0
# Fuzz targets: tests/fuzz/fuzz_<name>.c with a corpus in tests/fuzz/corpus/<name>. The corpus is
# replayed as a test. To look for more, with clang:
#   cmake -S . -B build/fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DFUZZ=ON -DSANITIZE=address,undefined
#   ninja -C build/fuzz fuzz_config && build/fuzz/bin/fuzz_config tests/fuzz/corpus/config
option(FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)

if(FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "FUZZ=ON needs clang")
  endif()
  # everything tells libFuzzer which ways it went
  target_compile_options(compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
option(FUZZ_COVERAGE "Have what replays corpora note which lines it has run (clang)" OFF)
if(FUZZ_COVERAGE)
  target_compile_options(compile_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(compile_options INTERFACE -fprofile-instr-generate)
endif()

# add_fuzz_target(LAYER NAME PARSES FILE... [WITHOUT FUNCTION...] [LIBRARIES LIBRARY...]): of these files
# of src/ it is to run nearly all lines (search), but for functions in them that parse nothing.
function(add_fuzz_target layer name)
  cmake_parse_arguments(PARSE_ARGV 2 target "" "" "PARSES;WITHOUT;LIBRARIES")
  list(TRANSFORM target_WITHOUT PREPEND "!")
  string(JOIN " " parsers ${name} ${target_PARSES} ${target_WITHOUT})
  set_property(GLOBAL APPEND_STRING PROPERTY FUZZ_PARSERS "${parsers}\n")
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  foreach(kind fuzz replay)
    if(kind STREQUAL "fuzz" AND NOT FUZZ)
      continue()
    endif()
    set(target ${kind}_${name})
    add_executable(${target} fuzz/fuzz_${name}.c)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${layer} ${target_LIBRARIES})
  endforeach()
  target_sources(replay_${name} PRIVATE fuzz/replay.c)
  if(FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
  add_test(NAME fuzz/${name} COMMAND replay_${name} ${corpus})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

add_fuzz_target(config config PARSES config/config.c config/yaml_scan.c config/schema.c)
add_fuzz_target(config yaml_answer PARSES config/yaml_answer.c)
add_fuzz_target(service api
  PARSES service/api_arguments.c service/mark_body.c metric/target_filter.c)
add_fuzz_target(config web_config
  PARSES config/web_config.c config/web_config_schema.c config/schema.c
  WITHOUT web_config_read add_source) # of a file, which is waited for
add_fuzz_target(metric formula PARSES metric/formula.c LIBRARIES m)
add_fuzz_target(history history PARSES history/chunk.c history/column_code.c history/layout.c)
add_fuzz_target(target cgroup_path PARSES target/cgroup_path.c target/cgroup_names.c)
add_fuzz_target(target glob PARSES target/glob.c)
add_fuzz_target(target names_file PARSES target/names_file.c)
add_fuzz_target(target names_texts
  PARSES target/names_domain.c target/names_kubernetes.c target/names_machine.c
         target/names_runtime.c target/names_slurm.c)
add_fuzz_target(target state_answer PARSES target/state_answer.c target/state_work.c)
add_fuzz_target(target process_template PARSES target/process_template.c target/label_value.c)
add_fuzz_target(sys elf
  PARSES sys/elf_image.c sys/elf_pieces.c sys/elf_markers.c sys/elf_functions.c)
add_fuzz_target(event event PARSES event/raw.c event/modifiers.c)
add_fuzz_target(event pmu_text
  PARSES event/pmu_format.c event/pmu_terms.c event/pmu_unit.c LIBRARIES m)
add_fuzz_target(web negotiation PARSES web/negotiation.c)
add_fuzz_target(web request_target PARSES web/query.c web/request_target.c)
add_fuzz_target(web requests PARSES web/request_head.c)
add_fuzz_target(run run_json
  PARSES run/recording_parse.c run/recording_pack.c run/request.c run/object.c LIBRARIES m)
add_fuzz_target(run schedule PARSES run/schedule_pack.c LIBRARIES PkgConfig::JANSSON)
add_fuzz_target(client client_answer
  PARSES client/answer.c client/event_stream.c client/targets.c LIBRARIES PkgConfig::JANSSON)
add_fuzz_target(tool top_page PARSES tool/top/page.c LIBRARIES PkgConfig::JANSSON m)
add_fuzz_target(sys cgroup_mounts PARSES sys/cgroup_mounts.c)
add_fuzz_target(sys process_stat PARSES sys/process_stat.c sys/self_stat.c sys/stat_fields.c)
add_fuzz_target(profile object
  PARSES profile/object_table.c profile/object_worker.c profile/perf_map.c profile/name_list.c
         profile/object_names.c profile/code_listing.c profile/object_file.c profile/object_symbols.c
         profile/symbol_names.c profile/clean_name.c profile/function_starts.c profile/table_work.c
         profile/names_work.c profile/frame_section.c profile/frame_rows.c profile/frame_rule.c
         profile/code_lines.c profile/code_work.c)
add_fuzz_target(profile perf_map PARSES profile/map_pieces.c profile/map_lines.c)
add_fuzz_target(profile profile_tree PARSES profile/tree_pack.c)
add_fuzz_target(profile store_pack PARSES profile/store_pack.c profile/store_unpack.c)
add_fuzz_target(sys system_texts
  PARSES sys/cpu_list.c sys/cpu_time.c sys/cgroup_usage.c sys/hidepid.c sys/kernel_functions.c
  WITHOUT kernel_functions_open) # of the running kernel
add_fuzz_target(sys process_files
  PARSES sys/process.c
  # the start of the machine, and numbers of processes in other namespaces
  WITHOUT process_start_realtime_ns process_self process_numbers_are_foreign process_number_in)
add_fuzz_target(sys task_ring
  PARSES sys/task_ring.c sys/perf_ring.c
  WITHOUT task_ring_open perf_ring_map) # of the kernel's ring
add_fuzz_target(target process_owner PARSES target/process_owner.c sys/subordinate_ids.c)
add_fuzz_target(target cmdline_pattern PARSES target/cmdline_pattern.c)
add_fuzz_target(event tracepoint PARSES event/tracepoint_fields.c)
add_fuzz_target(event probe_place PARSES event/probe_place.c)
add_fuzz_target(event probe_answer PARSES event/probe_answer.c)
add_fuzz_target(web credentials PARSES web/credentials.c)
add_fuzz_target(service profile_arguments PARSES service/profile_arguments.c)
add_fuzz_target(tool tool_answers
  PARSES tool/profile/answer.c tool/latency/distribution.c LIBRARIES PkgConfig::JANSSON m)
add_fuzz_target(expose escaping
  PARSES expose/format.c expose/json_text.c expose/history_csv.c LIBRARIES PkgConfig::JANSSON m)
add_fuzz_target(log log_line PARSES log/log_line.c LIBRARIES PkgConfig::JANSSON)
foreach(target IN ITEMS replay_event fuzz_event)
  if(TARGET ${target})
    target_compile_definitions(${target} PRIVATE
      FIXTURE_SYSFS="${CMAKE_CURRENT_SOURCE_DIR}/fuzz/sysfs")
  endif()
endforeach()

get_property(parsers GLOBAL PROPERTY FUZZ_PARSERS)
file(WRITE ${CMAKE_BINARY_DIR}/fuzz_parsers.txt "${parsers}")

# The short mode looks for more with clang, after the build of the targets has been prepared beside the
# tests of the code; the long mode does, once, from the plain gcc build.
set(search ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/search)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND NOT SANITIZE AND NOT FUZZ AND NOT FUZZ_COVERAGE)
  add_test(NAME fuzz/prepare COMMAND ${search} prepare ${CMAKE_BINARY_DIR}/fuzz)
  set_tests_properties(fuzz/prepare PROPERTIES LABELS prepare TIMEOUT 3600 SKIP_RETURN_CODE 77
    PROCESSORS 2 FIXTURES_SETUP fuzz)
  add_test(NAME fuzz/search COMMAND ${search} run ${CMAKE_BINARY_DIR}/fuzz 5)
  set_tests_properties(fuzz/search PROPERTIES LABELS search TIMEOUT 3600 SKIP_RETURN_CODE 77
    PROCESSORS 6 FIXTURES_REQUIRED fuzz)
  add_test(NAME fuzz/search_itself
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/test_search.py)
  set_tests_properties(fuzz/search_itself PROPERTIES LABELS unit TIMEOUT 600)
  takes(150 fuzz/prepare)
  takes(110 fuzz/search)
elseif(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SANITIZE)
  add_test(NAME long/fuzz COMMAND ${search} all ${CMAKE_BINARY_DIR}/fuzz 60)
  set_tests_properties(long/fuzz PROPERTIES LABELS long TIMEOUT 5400 SKIP_RETURN_CODE 77)
endif()
