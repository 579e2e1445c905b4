# SPDX-License-Identifier: Apache-2.0
# The program in the kernel, as a skeleton: built by clang, embedded by bpftool. Where one of
# them or libbpf is missing, or WITH_BPF is off, another file says so at run time.
option(WITH_BPF "Build the bpf mechanism, where clang, bpftool and libbpf are there" ON)

set(BPF_SOURCES switch_program_absent.c)
set(BPF_LIBRARIES "")
if(WITH_BPF)
  pkg_check_modules(BPF IMPORTED_TARGET libbpf>=1.1)
  find_program(BPF_CLANG clang)
  find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin)
  if(NOT BPF_FOUND OR NOT BPF_CLANG OR NOT BPFTOOL)
    message(STATUS "bpf is not built: it takes libbpf >= 1.1, clang and bpftool")
    set(WITH_BPF OFF)
  endif()
endif()
if(WITH_BPF)
  set(BPF_SOURCES switch_program.c)
  set(BPF_LIBRARIES PkgConfig::BPF)
  set(program ${CMAKE_CURRENT_SOURCE_DIR}/bpf/switch.bpf.c)
  file(GLOB program_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bpf/*.h)
  set(skeleton ${CMAKE_CURRENT_BINARY_DIR}/skeleton)
  file(MAKE_DIRECTORY ${skeleton})
  # asm/types.h stands with the headers of some architecture; any will do
  file(GLOB asm_headers /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /usr/include/*-linux-gnu*)
  list(TRANSFORM asm_headers PREPEND -idirafter)
  add_custom_command(OUTPUT ${skeleton}/switch.skel.h
    COMMAND ${BPF_CLANG} -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter
            -target bpf -mcpu=v3
            -I${PROJECT_SOURCE_DIR}/src ${asm_headers}
            -c ${program} -o ${skeleton}/switch.bpf.o
    COMMAND ${BPFTOOL} gen skeleton ${skeleton}/switch.bpf.o name switch_bpf >
            ${skeleton}/switch.skel.h
    DEPENDS ${program} ${program_headers} VERBATIM)
  list(APPEND BPF_SOURCES ${skeleton}/switch.skel.h)
endif()
