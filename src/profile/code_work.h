/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a worker does to make a listing of the instructions of a function (code_listing_parse()).
 * The starts of its job are where the function begins and where it ends.
 */

#include "profile/object_worker.h"

int code_work(const struct worker_job *job);
