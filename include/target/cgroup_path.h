/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Paths of cgroups as values of labels. A path of clean UTF-8 is the label as it is, and so begins
 * with `/`. Any other path is percent-encoded (`%` itself too), and the label begins with `%/`. No
 * label has both forms, so a label tells the path exactly.
 * These are not clean: bytes that are not UTF-8, control characters (C0, DEL, C1), bidirectional
 * marks and overrides, separators of lines and paragraphs, and noncharacters.
 *
 * The encoded form writes each byte as `%XX`, except for the printable ones of ASCII. A label that
 * would be longer than CGROUP_LABEL_MAX, clean or not, is cut: it is the encoded form up to the end
 * of some byte of the path, then "…" and a hash of the whole path (FNV-1a, 16 hexadecimal digits).
 * "…" is not ASCII, so only cut labels have it. Somebody who looks for a collision can make two
 * paths with the same cut label, so whoever counts cgroups must refuse the second one
 * (cgroup_label_is_cut()).
 */

#include <stdbool.h>

#include "base/text.h"

/* The longest label value for a path, in bytes. */
#define CGROUP_LABEL_MAX 1024

/* Appends the label of a path of raw bytes that begins with `/`. */
void cgroup_path_append_label(struct text *text, const char *path);

/* Whether this label was cut because the path was too long. */
bool cgroup_label_is_cut(const char *label);

/* What the path alone tells. Each is clean text, and empty if the path does not tell it. */
struct cgroup_names {
    char *unit;         /* the innermost systemd unit that is not a slice: nginx.service */
    char *slice;        /* the innermost slice: system.slice */
    char *container_id; /* 64 hexadecimal digits (docker, cri-containerd, crio, libpod) */
    char *pod_uid;      /* the UID of a Kubernetes pod, with dashes */
};

/* Reads the names out of a path. The caller frees them by cgroup_names_done(). 0 or -ENOMEM. */
int cgroup_names_parse(const char *path, struct cgroup_names *ret_names);
void cgroup_names_done(struct cgroup_names *names);
