# SPDX-License-Identifier: Apache-2.0
# What CPack is told of packages for Fedora, RHEL, SUSE and their like. rpmbuild finds out which
# libraries they need, so an RPM is for the distribution on which it was built.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT exporter)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_DASHBOARDS_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_EXPORTER_POST_INSTALL_SCRIPT_FILE ${here}/rpm/post)
set(CPACK_RPM_EXPORTER_PRE_UNINSTALL_SCRIPT_FILE ${here}/rpm/preun)
set(CPACK_RPM_EXPORTER_POST_UNINSTALL_SCRIPT_FILE ${here}/rpm/postun)
# Folders that are others' packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc/default /usr/lib/systemd /usr/lib/systemd/system /usr/lib/sysusers.d
    /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/zsh /usr/share/zsh/site-functions /usr/share/zsh/vendor-completions
    /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man5 /usr/share/man/man8
    /usr/${CMAKE_INSTALL_LIBDIR} /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig
    /usr/share/lintian /usr/share/lintian/overrides)
set(CPACK_RPM_EXPORTER_PACKAGE_REQUIRES "systemd")
set(CPACK_RPM_EXPORTER_USER_FILELIST
    "%config(noreplace) /etc/default/pmu_exporter"
    "%config(noreplace) /etc/pmu_exporter/pmu_exporter.yml")
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME libpmuexporter-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "libpmuexporter0 = ${PACKAGE_VERSION}-1, jansson-devel")
# Times of files and the name of the machine are not part of what is packed.
set(CPACK_RPM_SPEC_MORE_DEFINE
"%define _build_id_links none
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost")
