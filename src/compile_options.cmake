# SPDX-License-Identifier: Apache-2.0
# Warnings, hardening and sanitizers, for every target of the project.
include(CheckCCompilerFlag)

add_library(compile_options INTERFACE)
target_include_directories(compile_options INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(compile_options INTERFACE _GNU_SOURCE)
target_compile_options(compile_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla
  -Wundef -Wpointer-arith -Wcast-align -Wwrite-strings -Wformat=2 -Wnull-dereference
  -Wimplicit-fallthrough -Wredundant-decls -Wno-missing-field-initializers)

# What distributions build services with; one that this compiler or CPU lacks is left out.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection
             -ftrivial-auto-var-init=zero)
  string(MAKE_C_IDENTIFIER "has${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(compile_options INTERFACE ${flag})
  endif()
endforeach()
target_link_options(compile_options INTERFACE
  -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
# A program that is packaged tells nothing of the folder in which it was built, and so is the same in
# each (config/package).
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(paths_left_out -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
  add_compile_options(${paths_left_out}) # for generated code, too, which has no warnings of ours
endif()
include(CheckPIESupported)
check_pie_supported()

if(SANITIZE)
  target_compile_options(compile_options INTERFACE -fsanitize=${SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(compile_options INTERFACE -fsanitize=${SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Debian's compilers may define a level of their own
  target_compile_options(compile_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
if(COVERAGE)
  target_compile_options(compile_options INTERFACE --coverage)
  target_link_options(compile_options INTERFACE --coverage)
endif()
