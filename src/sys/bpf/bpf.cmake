# SPDX-License-Identifier: Apache-2.0
# Programs in the kernel, each in a folder of its own, built by clang and embedded as a skeleton by
# bpftool. add_bpf_program(NAME) takes
#   bpf/NAME/NAME.bpf.c        the program; it may include bpf/*.h and bpf/*/*.h
#   bpf/NAME/program.c         its loader, which includes <NAME.skel.h>
#   bpf/NAME/program_absent.c  what is built in place of the loader where libbpf, clang or bpftool is
#                              missing or WITH_BPF is off: it says so at run time
# and adds what is to be built to BPF_SOURCES.
option(WITH_BPF "Build the bpf mechanism, where clang, bpftool and libbpf are there" ON)

set(BPF_SOURCES bpf/keyed_program.c bpf/keyed_table_absent.c)
set(BPF_LIBRARIES "")
set(BPF_SKELETONS ${CMAKE_CURRENT_BINARY_DIR}/skeleton)
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
  set(BPF_LIBRARIES PkgConfig::BPF)
  set(BPF_SOURCES bpf/block/hooks.c bpf/keyed_loading.c bpf/keyed_program.c bpf/keyed_table.c
      bpf/kvm/find_layout.c bpf/loading.c bpf/profile/asking.c bpf/profile/events.c
      bpf/profile/listing.c bpf/profile/lost.c bpf/tracepoint.c bpf/values.c)
  file(MAKE_DIRECTORY ${BPF_SKELETONS})
endif()

function(add_bpf_program name)
  if(NOT WITH_BPF)
    set(BPF_SOURCES ${BPF_SOURCES} bpf/${name}/program_absent.c PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/bpf)
  set(program ${folder}/${name}/${name}.bpf.c)
  set(output ${BPF_SKELETONS}/${name})
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*/*.h
       ${PROJECT_SOURCE_DIR}/include/sys/bpf/*.h ${PROJECT_SOURCE_DIR}/include/sys/bpf/*/*.h)
  # asm/types.h stands with the headers of some architecture; any will do
  file(GLOB asm_headers /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /usr/include/*-linux-gnu*)
  list(TRANSFORM asm_headers PREPEND -idirafter)
  add_custom_command(OUTPUT ${output}.skel.h
    COMMAND ${BPF_CLANG} -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter
            -target bpf -mcpu=v3 -fdebug-compilation-dir=. ${paths_left_out}
            -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include ${asm_headers}
            -c ${program} -o ${output}.bpf.o
    COMMAND ${BPFTOOL} gen skeleton ${output}.bpf.o name ${name}_bpf > ${output}.skel.h
    DEPENDS ${program} ${headers} VERBATIM)
  set(BPF_SOURCES ${BPF_SOURCES} bpf/${name}/program.c ${output}.skel.h PARENT_SCOPE)
endfunction()
