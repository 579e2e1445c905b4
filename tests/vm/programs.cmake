# SPDX-License-Identifier: Apache-2.0
# Programs of the guest: loads whose instructions are known. Static, so that they wait for nothing.
foreach(program as_nobody known_load known_family known_calls known_naps known_faults)
  add_executable(${program} vm/programs/${program}.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE compile_options Threads::Threads -static)
endforeach()

# Places for probes.
add_executable(probed support/probed.c)
target_include_directories(probed PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(probed PRIVATE compile_options Threads::Threads -static)

# Known stacks, and libraries that come and go in them. They are dynamic, as most programs are.
add_executable(known_stacks support/known_stacks.c support/known_made.c)
target_include_directories(known_stacks PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(known_stacks PRIVATE _GNU_SOURCE)
target_compile_options(known_stacks PRIVATE -O2 -fomit-frame-pointer)
target_link_libraries(known_stacks PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)

# Known shares of cycles and of page faults.
foreach(program known_shares known_touches)
  add_executable(${program} support/${program}.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
  target_compile_options(${program} PRIVATE -O2 -fomit-frame-pointer)
endforeach()

foreach(which one two)
  add_library(known_plugin_${which} MODULE support/known_plugin.c)
  set_target_properties(known_plugin_${which} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_compile_definitions(known_plugin_${which} PRIVATE INNER=in_plugin_${which})
  target_compile_options(known_plugin_${which} PRIVATE -O2 -fomit-frame-pointer)
endforeach()

# Known switches, waits and moves; known traffic; a guest of known exits.
foreach(program load naps turns traffic small_guest)
  add_executable(${program} support/${program}.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE compile_options -static)
endforeach()

# The benchmarks of a switch and a call, here in instructions; both mechanisms at once; known requests of block
# devices; the verifier's work.
add_executable(bench_switch bench/switch.c)
add_executable(bench_system_call bench/system_call.c)
add_executable(mechanisms support/mechanisms.c)
add_executable(block_requests support/block_requests.c)
add_executable(verified support/verified.c)
foreach(program bench_switch bench_system_call mechanisms block_requests verified)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE count)
endforeach()

# What the programs for interrupts, TCP and KVM count.
add_executable(observed support/observed.c)
target_link_libraries(observed PRIVATE sys)

# Calls of more threads at once than there are places for.
add_executable(crowded_calls support/crowded_calls.c)
target_include_directories(crowded_calls PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(crowded_calls PRIVATE sys)
