/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Virtual machines and containers that systemd-machined or libvirt keep a cgroup for:
 * machine-NAME.scope (NAME as systemd escapes it), systemd-nspawn@NAME.service, and libvirt's own
 * NAME.libvirt-qemu. libvirt calls a machine DRIVER-ID-DOMAIN, with what is plain of the domain's
 * name.
 */

#include "target/names.h"

#define MACHINE_NAME_SIZE 256

/* The innermost machine in the path of a cgroup. False: there is none. */
bool machine_name_of(const char *path, char ret_name[MACHINE_NAME_SIZE]);

/* Whether libvirt runs it; then the domain's number, and what the name tells of its name. */
bool machine_domain(const char *machine, unsigned *ret_id, const char **ret_domain);

/*
 * Whether libvirt may have made this name of a domain, as machine_domain() tells it, from the name
 * that its file has: it leaves characters out, and cuts what is too long.
 */
bool machine_may_be_of(const char *domain, const char *file);

/* Adds what systemd-machined keeps of a machine (/run/systemd/machines/NAME). */
void names_parse_machine(const char *text, size_t n, const char *machine, struct names *names);

/*
 * Adds what libvirt keeps of a running domain (/run/libvirt/qemu/NAME.xml), with what OpenStack's
 * nova has put there. False: it is no such text, or that of a domain with another number; then
 * nothing is added. A text with a document type is refused: it could define entities.
 */
bool names_parse_domain(const char *text, size_t n, unsigned id, struct names *names);
