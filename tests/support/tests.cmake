# SPDX-License-Identifier: Apache-2.0
# What the live tests stand on is tested too, once: no compiler has a part in it.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SANITIZE)
  add_test(NAME support COMMAND ${Python3_EXECUTABLE} -B -m unittest discover
    -s ${PROJECT_SOURCE_DIR}/tests/support -p "test_*.py")
  set_tests_properties(support PROPERTIES LABELS unit TIMEOUT 300)
  in_kernel(support)
endif()

foreach(program crowd known_loops known_paces known_shares known_touches load lock_holder naps sleepers turns)
  add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/support/${program}.c)
  target_link_libraries(${program} PRIVATE compile_options Threads::Threads)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endforeach()
# A step of either function takes as long as one of the other, which it does in registers only.
target_compile_options(known_shares PRIVATE -O2)
# Most of its debugging information is in a file of its own, which nobody who reads it may open.
add_executable(known_loops_split ${PROJECT_SOURCE_DIR}/tests/support/known_loops.c)
target_compile_options(known_loops_split PRIVATE -gsplit-dwarf)
target_link_libraries(known_loops_split PRIVATE compile_options)
target_include_directories(known_loops_split PRIVATE ${PROJECT_SOURCE_DIR}/tests)
add_executable(probed ${PROJECT_SOURCE_DIR}/tests/support/probed.c)
target_link_libraries(probed PRIVATE compile_options Threads::Threads)
target_include_directories(probed PRIVATE ${PROJECT_SOURCE_DIR}/tests)
foreach(program traffic small_guest slow_frames)
  add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/support/${program}.c)
  target_link_libraries(${program} PRIVATE compile_options)
endforeach()
add_executable(under_filter ${PROJECT_SOURCE_DIR}/tests/support/under_filter.c)
target_link_libraries(under_filter PRIVATE compile_options PkgConfig::SECCOMP)
target_include_directories(under_filter PRIVATE ${PROJECT_SOURCE_DIR}/tests)
add_executable(observed ${PROJECT_SOURCE_DIR}/tests/support/observed.c)
target_link_libraries(observed PRIVATE sys)
add_executable(recorded ${PROJECT_SOURCE_DIR}/tests/support/recorded.c)
target_link_libraries(recorded PRIVATE run)
add_executable(mechanisms ${PROJECT_SOURCE_DIR}/tests/support/mechanisms.c)
target_link_libraries(mechanisms PRIVATE count)
target_include_directories(mechanisms PRIVATE ${PROJECT_SOURCE_DIR}/src)

# Known requests of block devices, and what the program for them has counted.
add_executable(block_requests ${PROJECT_SOURCE_DIR}/tests/support/block_requests.c)
target_link_libraries(block_requests PRIVATE sys)

# The kernel's verifier, here; in the guests' kernels: vm/test_verifier.py
add_executable(verified ${PROJECT_SOURCE_DIR}/tests/support/verified.c)
target_link_libraries(verified PRIVATE sys)
add_test(NAME support/verified COMMAND verified)
set_tests_properties(support/verified PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
in_kernel(support/verified)

# Stacks that are known, without frame pointers, and libraries that come and go in them. They are
# what they are: no sanitizer has functions of its own in them.
add_executable(known_stacks ${PROJECT_SOURCE_DIR}/tests/support/known_stacks.c
                            ${PROJECT_SOURCE_DIR}/tests/support/known_made.c)
target_include_directories(known_stacks PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(known_stacks PRIVATE _GNU_SOURCE)
target_compile_options(known_stacks PRIVATE -Wall -Wextra -Werror -O2 -fomit-frame-pointer)
target_link_libraries(known_stacks PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
# else ld.so binds functions late, by a frame that takes rbx for its CFA, which no rule of ours says
target_link_options(known_stacks PRIVATE -Wl,-z,now)
foreach(which one two)
  add_library(known_plugin_${which} MODULE ${PROJECT_SOURCE_DIR}/tests/support/known_plugin.c)
  set_target_properties(known_plugin_${which} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_compile_definitions(known_plugin_${which} PRIVATE INNER=in_plugin_${which})
  target_compile_options(known_plugin_${which} PRIVATE -O2 -fomit-frame-pointer)
endforeach()

# Preloaded into an exporter: it has another time of day (tests/browser/run.py).
add_library(shifted_clock MODULE ${PROJECT_SOURCE_DIR}/tests/support/shifted_clock.c)
set_target_properties(shifted_clock PROPERTIES PREFIX "" SUFFIX ""
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
target_link_libraries(shifted_clock PRIVATE compile_options)
