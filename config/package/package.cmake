# SPDX-License-Identifier: Apache-2.0
# Packages for Debian and for distributions with RPM, by CPack:
#
#   cmake --preset package && cmake --build --preset package --target package
#
# makes pmu-exporter (with -dbgsym), pmu-exporter-dashboards, libpmuexporter0 and libpmuexporter-dev in
# the build directory. With --toolchain tests/vm/arm64.cmake they are for arm64. The same commit gives
# the same bytes wherever and whenever it is built with the same compiler.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  add_custom_target(package
    COMMAND ${CMAKE_COMMAND} -E echo
            "Packages install into /usr; this build is for ${CMAKE_INSTALL_PREFIX}. Use the preset package."
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

set(here ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_CURRENT_BINARY_DIR}/package)
set(PACKAGE_MAINTAINER "pmu_exporter authors <pmu_exporter@example.org>" CACHE STRING
    "Who answers for packages that are built here, as Debian's control files write it")
include(${here}/version.cmake)
configure_file(${here}/debian/changelog.in ${made}/changelog @ONLY)
find_program(GZIP_PROGRAM gzip REQUIRED)
execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${made}/changelog OUTPUT_FILE ${made}/changelog.gz
                COMMAND_ERROR_IS_FATAL ANY)

# What only packages have beside what "cmake --install" installs. The configuration is the
# administrator's as soon as it is there, so "cmake --install" must not write over it.
install(FILES ${PROJECT_SOURCE_DIR}/config/pmu_exporter.yml DESTINATION /etc/pmu_exporter)
install(FILES ${here}/pmu_exporter.default DESTINATION /etc/default RENAME pmu_exporter)
set(packages exporter:pmu-exporter dashboards:pmu-exporter-dashboards library:libpmuexporter0
             development:libpmuexporter-dev)
set(CPACK_COMPONENTS_ALL "")
foreach(entry ${packages})
  string(REPLACE ":" ";" entry ${entry})
  list(GET entry 0 component)
  list(GET entry 1 name)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
  set(CPACK_RPM_${upper}_PACKAGE_NAME ${name})
  set(CPACK_RPM_${upper}_FILE_NAME RPM-DEFAULT)
  install(FILES ${here}/debian/copyright ${made}/changelog.gz DESTINATION share/doc/${name}
          COMPONENT ${component})
  if(EXISTS ${here}/lintian/${name})
    install(FILES ${here}/lintian/${name} DESTINATION share/lintian/overrides COMPONENT ${component})
  endif()
endforeach()

# describe(COMPONENT SUMMARY TEXT): Debian wants the summary as the first line of the description.
function(describe component summary text)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_SUMMARY "${summary}" PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_DESCRIPTION "${text}" PARENT_SCOPE)
endfunction()

describe(EXPORTER "counters of the PMU for Prometheus, by machine, cgroup and process"
"It keeps groups of performance counters open for the machine, for each of
its cgroups and for the processes that its configuration names, and serves
counters, rates, ratios and distributions on /metrics. It has a page with
live plots, flame graphs and a history of its own, and pmutool for the
terminal. It is useful on machines without a PMU, too.")
describe(DASHBOARDS "dashboards and alert rules for pmu_exporter"
"Dashboards for Grafana, and rules for Prometheus with their runbooks, for
the machines on which these run.")
describe(LIBRARY "what a running pmu_exporter counts, for programs"
"The library asks a running pmu_exporter over its control socket or over
HTTP.")
describe(DEVELOPMENT "what a running pmu_exporter counts, for programs - development files"
"The header, the static library, the manual and examples of the library that
asks a running pmu_exporter.")

set(CPACK_GENERATOR DEB)
find_program(RPMBUILD rpmbuild)
if(RPMBUILD AND NOT CMAKE_CROSSCOMPILING) # rpmbuild refuses programs that this machine cannot run
  list(APPEND CPACK_GENERATOR RPM)
endif()
set(CPACK_PACKAGE_NAME pmu-exporter)
set(CPACK_PACKAGE_VERSION ${PACKAGE_VERSION})
set(CPACK_PACKAGE_VENDOR "pmu_exporter authors")
set(CPACK_PACKAGE_CONTACT ${PACKAGE_MAINTAINER})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_SET_DESTDIR ON) # /etc is not below the prefix
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${here}/set_times.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${made}/at_packing.cmake)
file(CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE}
     CONTENT "set(ENV{SOURCE_DATE_EPOCH} @PACKAGE_EPOCH@)
# or it would stand before each package's own
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY \"\")
" @ONLY)
include(${here}/deb.cmake)
include(${here}/rpm.cmake)
include(CPack)
