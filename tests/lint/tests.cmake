# SPDX-License-Identifier: Apache-2.0
# Style as tests, once, in the gcc build without sanitizers. A tool that is not there is skipped
# aloud: test 77 is ctest's "skipped".
function(add_lint name tool)
  if(tool AND NOT ${tool})
    add_test(NAME lint/${name} COMMAND sh -c "echo 'skipped: ${name} is not installed'; exit 77")
  else()
    add_test(NAME lint/${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  set_tests_properties(lint/${name} PROPERTIES LABELS lint TIMEOUT 900 SKIP_RETURN_CODE 77)
endfunction()

if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(CLANG_FORMAT clang-format)
find_program(RUN_CLANG_TIDY run-clang-tidy)
find_program(SHELLCHECK shellcheck)
find_program(PYFLAKES pyflakes3)
find_program(JSONNETFMT jsonnetfmt)
find_program(SYSTEMD_ANALYZE systemd-analyze)
set(lint ${PROJECT_SOURCE_DIR}/tests/lint)

add_lint(clang-format CLANG_FORMAT
  sh -c "find src include tests -name '*.[ch]' -exec '${CLANG_FORMAT}' --dry-run -Werror {} +")
# The build's flags, less what only gcc understands. The analyzer stays within one function: it does
# not see that a function of another file returns an error whenever it leaves its output untouched.
add_lint(clang-tidy RUN_CLANG_TIDY ${RUN_CLANG_TIDY} -quiet -j2 -p ${CMAKE_BINARY_DIR}
  -extra-arg=-Wno-unknown-warning-option
  -extra-arg=-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang
  -extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=ipa=none
  ${PROJECT_SOURCE_DIR}/src/.*)
set_tests_properties(lint/clang-tidy PROPERTIES PROCESSORS 4)
takes(50 lint/clang-tidy)
add_lint(shellcheck SHELLCHECK ${SHELLCHECK} quickstart .ci/run tests/vm/init
  tests/vm/library.sh tests/vm/full_library.sh config/package/debian/postinst
  config/package/debian/prerm config/package/debian/postrm
  config/kubernetes/prometheus-operator/generate)
add_lint(shellcheck-rpm SHELLCHECK ${SHELLCHECK} --shell=sh config/package/rpm/post
  config/package/rpm/preun config/package/rpm/postun)
add_lint(python PYFLAKES ${PYFLAKES} tests dashboards/mixin)
add_lint(jsonnetfmt JSONNETFMT
  sh -c "'${JSONNETFMT}' --test dashboards/mixin/*.libsonnet")
add_lint(layers "" ${Python3_EXECUTABLE} -B ${lint}/layers.py ${PROJECT_SOURCE_DIR})
add_lint(headers "" ${Python3_EXECUTABLE} -B ${lint}/headers.py ${PROJECT_SOURCE_DIR}
  ${CMAKE_BINARY_DIR}/compile_commands.json)
add_lint(circles "" ${Python3_EXECUTABLE} -B ${lint}/circles.py ${PROJECT_SOURCE_DIR}
  ${CMAKE_BINARY_DIR}/compile_commands.json)
add_lint(tests_only "" ${Python3_EXECUTABLE} -B ${lint}/tests_only.py ${PROJECT_SOURCE_DIR})
add_lint(maps "" ${Python3_EXECUTABLE} -B ${lint}/maps.py ${PROJECT_SOURCE_DIR})
add_lint(sources "" ${Python3_EXECUTABLE} -B ${lint}/sources.py ${PROJECT_SOURCE_DIR})
add_lint(page "" ${Python3_EXECUTABLE} -B ${lint}/page.py ${PROJECT_SOURCE_DIR}/src/web/page
  ${PROJECT_SOURCE_DIR}/include/web/page_files.h)
add_lint(units SYSTEMD_ANALYZE ${Python3_EXECUTABLE} -B ${lint}/units.py
  ${PROJECT_BINARY_DIR}/systemd/pmu_exporter.service ${PROJECT_SOURCE_DIR}/systemd
  $<TARGET_FILE:pmu_exporter>)
add_lint(scripts "" ${Python3_EXECUTABLE} -B -m unittest discover -s ${lint} -p "test_*.py")
takes(20 lint/headers)
takes(15 lint/scripts)

# The man pages: what they say, and how they are written.
add_test(NAME lint/man-contents
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/lint/man_pages.py
          ${PROJECT_SOURCE_DIR} $<TARGET_FILE:pmu_exporter> $<TARGET_FILE:pmutool>)
find_program(MANDOC mandoc)
if(MANDOC)
  add_test(NAME lint/man-pages
    COMMAND ${MANDOC} -Tlint -Wwarning pmutool.1 libpmu_exporter.3 pmu_exporter.web.yml.5 pmu_exporter.yml.5 pmu_exporter.8
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/src/man)
else()
  add_test(NAME lint/man-pages
    COMMAND sh -c "echo 'skipped: mandoc is not installed'; exit 77")
endif()
set_tests_properties(lint/man-contents lint/man-pages PROPERTIES
  LABELS lint TIMEOUT 300 SKIP_RETURN_CODE 77)
