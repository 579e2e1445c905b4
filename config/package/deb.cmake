# SPDX-License-Identifier: Apache-2.0
# What CPack is told of packages for Debian and its like.
find_program(DPKG_ARCHITECTURE dpkg-architecture)
if(CMAKE_LIBRARY_ARCHITECTURE AND DPKG_ARCHITECTURE)
  execute_process(COMMAND ${DPKG_ARCHITECTURE} -t${CMAKE_LIBRARY_ARCHITECTURE} -qDEB_HOST_ARCH
    OUTPUT_VARIABLE CPACK_DEBIAN_PACKAGE_ARCHITECTURE OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  # dpkg-shlibdeps, objcopy and readelf for what is built, not for the machine that builds it
  file(APPEND ${CPACK_PROJECT_CONFIG_FILE}
       "set(ENV{DEB_HOST_ARCH} ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})\n")
endif()
set(CPACK_OBJCOPY_EXECUTABLE ${CMAKE_OBJCOPY})
set(CPACK_READELF_EXECUTABLE ${CMAKE_READELF})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_EXPORTER_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_LIBRARY_DEBUGINFO_PACKAGE ON)
set(CPACK_POST_BUILD_SCRIPTS ${here}/debug_symbols.cmake)
set(CPACK_DEBIAN_PACKAGE_SOURCE pmu-exporter)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${PACKAGE_MAINTAINER})

set(debian ${here}/debian)
set(CPACK_DEBIAN_EXPORTER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_EXPORTER_PACKAGE_CONTROL_EXTRA
    ${debian}/postinst ${debian}/prerm ${debian}/postrm ${debian}/conffiles)
# systemd-sysusers makes the user. libcurl and libcapstone are loaded when they are needed, so no
# library of the program names them: "systemctl reload" needs the first.
set(CPACK_DEBIAN_EXPORTER_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers | systemd-sysusers, libcurl3-gnutls | libcurl4")
set(CPACK_DEBIAN_EXPORTER_PACKAGE_RECOMMENDS libcapstone4)
set(CPACK_DEBIAN_EXPORTER_PACKAGE_SUGGESTS "pmu-exporter-dashboards, prometheus")

set(CPACK_DEBIAN_DASHBOARDS_PACKAGE_SECTION net)
set(CPACK_DEBIAN_DASHBOARDS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DASHBOARDS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DASHBOARDS_PACKAGE_SUGGESTS "prometheus, grafana")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libcurl3-gnutls | libcurl4")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${debian}/triggers ${made}/shlibs)
file(CONFIGURE OUTPUT ${made}/shlibs @ONLY
     CONTENT "libpmu_exporter 0 libpmuexporter0 (>= @PROJECT_VERSION@~)\n")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libpmuexporter0 (= ${PACKAGE_VERSION}), libjansson-dev")
