/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "tool/command.h"

/* The order is that of the list in --help. */
const struct command commands[] = {
    {"check config", "FILE", "Check a configuration, and say what it would count here.",
     run_check_config},
    {"check budget", "FILE",
     "Tell how many hardware counters a configuration would take here, and how many are free.",
     run_check_budget},
    {"check event", "EVENT...",
     "Tell whether events are known and can be counted here, by counting with them.",
     run_check_event},
    {"check web-config", "FILE",
     "Check a web configuration: TLS, users and limits of --web.config.file.",
     run_check_web_config},
    {"encode", "EVENT...", "Show what the kernel is told of events, and perf.", run_encode},
    {"events", "[PATTERN...]", "List the events that have names here, and search them.",
     run_events},
    {"stat", "[-e EVENT,...] [-- COMMAND...]",
     "Count events of a command, the machine, a cgroup or processes, and show them with ratios.",
     run_stat},
    {"latency", "TARGET",
     "Show how long threads of a target waited for a CPU, kept it and were blocked.", run_latency},
    {"profile", "TARGET",
     "Show which functions a target spent its CPU time in, and what has changed.", run_profile},
    {"annotate", "TARGET FUNCTION",
     "Show which instructions of a function its samples were taken at.", run_annotate},
    {"record", "[-e EVENT] [-- COMMAND...]",
     "Record for a while which functions make an event happen, as often as 999 times a second.",
     run_record},
    {"schedule", "TARGET",
     "Record which threads of a target had which CPU when, and show that and their waits.",
     run_schedule},
    {"runs", "[ACTION]", "List and compare what was counted for a while, or begin such a run.",
     run_runs},
    {"reload", "", "Have the running service read its configuration again.", run_reload},
    {"pause", "DURATION|off",
     "Have the running service leave the hardware counters alone for a time.", run_pause},
    {"mark", "TEXT", "Set a mark: a named instant that stands in every plot.", run_mark},
    {"marks", "", "List the marks that there are.", run_marks},
    {"top", "[FILTER]", "Show which cgroups and processes use the CPUs, and how, as a live table.",
     run_top},
};

const size_t n_commands = ARRAY_SIZE(commands);
