/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the names of kubelet's logs tell. A container's log is linked as
 * /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, and that of a pod is the directory
 * /var/log/pods/NAMESPACE_POD_UID. Kubernetes' names have no underscore, so there is one way to
 * take them apart; a name of another form tells nothing.
 */

#include "target/names.h"

/* Whether this is the link of the container with this id; then its names are added. */
bool names_parse_container_log(const char *entry, const char *container_id, struct names *names);

/* Whether this is the directory of the pod with this uid; then its names are added. */
bool names_parse_pod_directory(const char *entry, const char *pod_uid, struct names *names);
