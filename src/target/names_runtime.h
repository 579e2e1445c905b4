/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the state files of container runtimes tell: JSON that is theirs, with names in it that
 * whoever starts a container chooses. A text of another form tells nothing.
 */

#include "target/names.h"

/*
 * The config.json of a bundle (OCI runtime specification), whose annotations tell the names that
 * containerd's CRI, CRI-O and podman have for the container. `runtime`: who keeps this bundle;
 * NULL: the annotations tell. False: it is no such text.
 */
bool names_parse_oci_config(const char *text, size_t n, const char *runtime, struct names *names);

/* Docker's config.v2.json of a container. */
bool names_parse_docker_config(const char *text, size_t n, struct names *names);

/*
 * The containers.json of containers/storage, a list of all that podman or CRI-O keep. False: it is
 * no such text, or the container with this id is not in it.
 */
bool names_parse_storage_list(const char *text, size_t n, const char *container_id,
                              struct names *names);
