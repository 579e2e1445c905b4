/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names and labels of targets, as the database has them. */

#include "base/text.h"
#include "history/history_store.h"

/* Appends the kind of the targets whose plan has this prefix: "pmu_cgroup_" are "cgroup". */
void key_append_kind(struct text *text, const char *prefix);

/* Appends name and value of each label, each with a '\0' behind it. */
void key_append_labels(struct text *text, const struct identity *identity);

/* Reads them again. NULL: there is no memory. */
struct history_label *key_read_labels(const char *bytes, size_t length, size_t *ret_n);
void key_free_labels(struct history_label *labels, size_t n);

/* The hash of a key, which strangers choose, for tables of targets. */
unsigned key_hash(const void *bytes, size_t length);
