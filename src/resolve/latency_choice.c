/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/latency_choice.h"

#include "resolve/mechanism_size.h"
#include "sys/process.h"

/* The fewest lanes that a program may have. Without events none of them is used. */
#define NO_LANES 3

static const char no_stamps[] =
    "the kernel does not note when threads wait, or too old a kernel refuses the program";

/* Makes one that counts latencies and no events. On failure the choice gets the reason. */
static void make_own(const struct mechanism_question *question, struct latency_choice *choice)
{
    enum bpf_refusal refusal;

    if (mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->mechanism, &refusal) < 0) {
        choice->reason = bpf_refusal_text(refusal);
        return;
    }
    if (!mechanism_bpf_has_latencies(choice->mechanism)) {
        choice->mechanism = mechanism_free(choice->mechanism);
        choice->reason = no_stamps;
        return;
    }
    choice->is_own = true;
    if (mechanism_bpf_own_number(choice->mechanism) != process_self(question->procfs_fd))
        choice->mechanism->counts_processes = false;
}

struct latency_choice latency_choose(const struct mechanism_question *question,
                                     const struct mechanism_choice *events,
                                     struct mechanism *running,
                                     const struct switch_program_size *running_size)
{
    struct latency_choice choice = {0};

    if (!latency_wanted(question->config))
        return choice;
    if (events->bpf && mechanism_bpf_has_latencies(events->bpf)) {
        choice.mechanism = events->bpf;
        choice.size = events->size;
        return choice;
    }
    if (question->lacks_descriptors) {
        choice.reason = mechanism_lacks_descriptors();
        return choice;
    }
    if (events->bpf) {
        choice.reason = no_stamps;
        return choice;
    }
    if (mechanism_size_for(question->config, question->sysfs_fd, question->procfs_fd,
                           !question->root->v2, &choice.size) < 0) {
        choice.reason = "CPUs cannot be read";
        return choice;
    }
    choice.size.n_lanes = NO_LANES;
    choice.reason = mechanism_lacks_memory(question, &choice.size);
    if (choice.reason) {
        choice.lacks_memory = true;
        return choice;
    }
    if (running && mechanism_size_serves(running_size, &choice.size)) {
        choice.mechanism = running;
        choice.size = *running_size;
        choice.is_own = true;
    } else {
        make_own(question, &choice);
    }
    return choice;
}
