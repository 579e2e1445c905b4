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

function(add_fuzz_target layer name)
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  foreach(kind fuzz replay)
    if(kind STREQUAL "fuzz" AND NOT FUZZ)
      continue()
    endif()
    set(target ${kind}_${name})
    add_executable(${target} fuzz/fuzz_${name}.c)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${layer} ${ARGN})
  endforeach()
  target_sources(replay_${name} PRIVATE fuzz/replay.c)
  if(FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
  add_test(NAME fuzz/${name} COMMAND replay_${name} ${corpus})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

add_fuzz_target(config config)
add_fuzz_target(service api)
add_fuzz_target(config web_config)
add_fuzz_target(metric formula m)
add_fuzz_target(history history)
add_fuzz_target(target cgroup_path)
add_fuzz_target(target glob)
add_fuzz_target(target names_file)
add_fuzz_target(target names_texts)
add_fuzz_target(target process_template)
add_fuzz_target(sys elf)
add_fuzz_target(event event)
add_fuzz_target(event pmu_text m)
add_fuzz_target(web negotiation)
add_fuzz_target(web request_target)
add_fuzz_target(web requests)
add_fuzz_target(run run_json m)
add_fuzz_target(client client_answer PkgConfig::JANSSON)
add_fuzz_target(tool top_page PkgConfig::JANSSON m)
add_fuzz_target(sys cgroup_mounts)
add_fuzz_target(sys process_stat)
add_fuzz_target(profile object)
add_fuzz_target(profile perf_map)
add_fuzz_target(profile profile_tree)
add_fuzz_target(profile store_pack)
foreach(target IN ITEMS replay_event fuzz_event)
  if(TARGET ${target})
    target_compile_definitions(${target} PRIVATE
      FIXTURE_SYSFS="${CMAKE_CURRENT_SOURCE_DIR}/fuzz/sysfs")
  endif()
endforeach()

# The long mode looks for more, once, from the plain gcc build.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SANITIZE)
  add_test(NAME long/fuzz
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/run_long ${CMAKE_BINARY_DIR}/fuzz)
  set_tests_properties(long/fuzz PROPERTIES LABELS long TIMEOUT 5400 SKIP_RETURN_CODE 77)
endif()
