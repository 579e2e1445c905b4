/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Cgroup paths as labels (DESIGN: names on /metrics). Clean UTF-8 stands as it
 * is and begins with `/`. Any other path is percent-encoded (`%` itself too) and
 * begins with `%/`; the two never meet, so the label tells the path exactly.
 * Not clean are: bytes that are not UTF-8, control characters (C0, DEL, C1),
 * bidirectional marks and overrides, line and paragraph separators,
 * noncharacters.
 *
 * In the encoded form every byte but the printable ones of ASCII is `%XX`. A
 * label that would be longer than CGROUP_LABEL_MAX, clean or not, is the encoded
 * form cut between two bytes of the path, then "…" and a hash of the whole path
 * (FNV-1a, 16 hexadecimal digits). "…" is not ASCII, so no path that is not cut
 * has such a label. Two that are cut can share one, if somebody looks for a
 * collision: who counts cgroups must refuse the second (cgroup_label_is_cut).
 */

#include <stdbool.h>

#include "base/text.h"

/* The longest label value for a path, in bytes. */
#define CGROUP_LABEL_MAX 1024

/* Appends the label of a path of raw bytes that begins with `/`. */
void cgroup_path_append_label(struct text *text, const char *path);

/* Whether this is the label of a path that was too long. */
bool cgroup_label_is_cut(const char *label);

/*
 * The path that a label came from, for tests and people. 0; -EINVAL if no path
 * has that label; -ENAMETOOLONG if it was cut; -ENOMEM. The caller frees it.
 */
int cgroup_path_from_label(const char *label, char **ret_path);

/* What the path alone tells, each as clean text, empty where it does not tell: */
struct cgroup_names {
    char *unit;         /* nginx.service: the innermost systemd unit that is not a slice */
    char *slice;        /* system.slice: the innermost slice */
    char *container_id; /* 64 hexadecimal digits (docker, cri-containerd, crio, libpod) */
    char *pod_uid;      /* of a Kubernetes pod, with dashes */
};

/* 0 or -ENOMEM. The strings belong to the caller, see cgroup_names_done(). */
int cgroup_names_parse(const char *path, struct cgroup_names *ret_names);
void cgroup_names_done(struct cgroup_names *names);
