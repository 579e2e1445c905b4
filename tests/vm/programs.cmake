# SPDX-License-Identifier: Apache-2.0
# Programs of the guest: loads whose instructions are known. Static, so that they wait for nothing.
foreach(program as_nobody known_load known_family known_calls known_faults)
  add_executable(${program} vm/programs/${program}.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE compile_options Threads::Threads -static)
endforeach()
