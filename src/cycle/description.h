/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

struct collector;

/*
 * Writes into the status what stands for all of the collector's life: its interval, and how it
 * counts. What a predecessor's status had beside its counts is cleared.
 */
void collector_describe(struct collector *collector);
