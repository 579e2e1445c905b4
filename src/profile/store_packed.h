/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The version of what store_pack.c writes and store_unpack.c reads. Another one is damage. */
#define STORE_PACKED_VERSION 1
