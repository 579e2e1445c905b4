/* SPDX-License-Identifier: Apache-2.0 */

/* The keys below `targets`: who is counted, and what of it. */
#include <assert.h>

#include "config/config_schema.h"
#include "count/latency.h"
#include "target/glob.h"

#define LONGEST_CPUS  1024
#define MOST_RULES    256
#define MOST_PATTERNS 256 /* of one list */

/* A comm is shorter than what struct process_stat has room for, an executable than PATH_MAX. */
#define LONGEST_COMM     63
#define LONGEST_EXE      4095
#define LONGEST_TEMPLATE 256
#define LONGEST_REGEX    1024
#define MOST_REGEXES     16 /* of one rule */
#define MOST_NAMES       256
#define LARGEST_PID      4194304 /* PID_MAX_LIMIT, proc(5) */

#define EXPECTED_GROUPS  "a list of names of groups, such as [core]"
#define EXPECTED_LATENCY "a list such as [scheduler], of " /* the choices follow */

static_assert(sizeof(enum config_by) == sizeof(unsigned), "read_choice() stores an unsigned");

/* The words of `latency`, and what each stands for. */
static const char *const latency_choices[] = {"run_queue",  "on_cpu",    "off_cpu",      "switches",
                                              "migrations", "scheduler", "block_io",     "kvm",
                                              "tcp",        "spans",     "system_calls", NULL};
static const unsigned latency_bits[] = {
    LATENCY_KIND_RUN_QUEUE,  LATENCY_KIND_ON_CPU, LATENCY_KIND_OFF_CPU,     LATENCY_KIND_SWITCHES,
    LATENCY_KIND_MIGRATIONS, LATENCY_SCHEDULER,   LATENCY_KIND_BLOCK_IO,    LATENCY_KIND_KVM,
    LATENCY_KIND_TCP,        LATENCY_KIND_SPANS,  LATENCY_KIND_SYSTEM_CALLS};
static_assert(ARRAY_SIZE(latency_choices) == ARRAY_SIZE(latency_bits) + 1, "and NULL");

/* The same for the machine, to which interrupts belong. */
static const char *const machine_latency_choices[] = {
    "run_queue", "on_cpu", "off_cpu",    "switches", "migrations",   "scheduler", "block_io",
    "kvm",       "tcp",    "interrupts", "spans",    "system_calls", NULL};
static const unsigned machine_latency_bits[] = {
    LATENCY_KIND_RUN_QUEUE,  LATENCY_KIND_ON_CPU,     LATENCY_KIND_OFF_CPU,
    LATENCY_KIND_SWITCHES,   LATENCY_KIND_MIGRATIONS, LATENCY_SCHEDULER,
    LATENCY_KIND_BLOCK_IO,   LATENCY_KIND_KVM,        LATENCY_KIND_TCP,
    LATENCY_KIND_INTERRUPTS, LATENCY_KIND_SPANS,      LATENCY_KIND_SYSTEM_CALLS};
static_assert(ARRAY_SIZE(machine_latency_choices) == ARRAY_SIZE(machine_latency_bits) + 1,
              "and NULL");

static const char *const by_choices[] = {
    [CONFIG_BY_ALL] = "all", [CONFIG_BY_CPU] = "cpu", [CONFIG_BY_NODE] = "node", NULL};

static const struct schema_key system_keys[] = {
    {.name = "groups",
     .type = SCHEMA_WORDS,
     .expected = EXPECTED_GROUPS,
     .offset = offsetof(struct config_system, groups),
     .required = true,
     .minimum = 1,
     .maximum = LONGEST_NAME,
     .most = MOST_GROUPS},
    {.name = "latency",
     .type = SCHEMA_SET,
     .expected = EXPECTED_LATENCY,
     .offset = offsetof(struct config_system, latency),
     .choices = machine_latency_choices,
     .bits = machine_latency_bits},
    {.name = "by",
     .type = SCHEMA_CHOICE,
     .offset = offsetof(struct config_system, by),
     .choices = by_choices},
    {.name = "cpus",
     .type = SCHEMA_WORD,
     .expected = "auto or a list of CPUs, such as 0-3,8",
     .offset = offsetof(struct config_system, cpus),
     .maximum = LONGEST_CPUS,
     .takes_auto = true},
};

static const struct schema_key cgroup_rule_keys[] = {
    {.name = "include",
     .type = SCHEMA_WORDS,
     .expected = "a list of patterns, such as [\"/system.slice/*.service\"]",
     .offset = offsetof(struct config_cgroup_rule, include),
     .required = true,
     .minimum = 1,
     .maximum = GLOB_PATTERN_MAX,
     .most = MOST_PATTERNS},
    {.name = "exclude",
     .type = SCHEMA_WORDS,
     .expected = "a list of patterns, such as [\"/system.slice/cron.service\"]",
     .offset = offsetof(struct config_cgroup_rule, exclude),
     .maximum = GLOB_PATTERN_MAX,
     .most = MOST_PATTERNS},
    {.name = "groups",
     .type = SCHEMA_WORDS,
     .expected = EXPECTED_GROUPS,
     .offset = offsetof(struct config_cgroup_rule, groups),
     .required = true,
     .minimum = 1,
     .maximum = LONGEST_NAME,
     .most = MOST_GROUPS},
    {.name = "latency",
     .type = SCHEMA_SET,
     .expected = EXPECTED_LATENCY,
     .offset = offsetof(struct config_cgroup_rule, latency),
     .choices = latency_choices,
     .bits = latency_bits},
    {.name = "by",
     .type = SCHEMA_CHOICE,
     .offset = offsetof(struct config_cgroup_rule, by),
     .choices = by_choices},
};

static const struct schema_key process_rule_keys[] = {
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a template in quotes, such as \"{{.Comm}}\"",
     .offset = offsetof(struct config_process_rule, name),
     .maximum = LONGEST_TEMPLATE},
    {.name = "comm",
     .type = SCHEMA_WORDS,
     .expected = "a list of names, such as [nginx, postgres]",
     .offset = offsetof(struct config_process_rule, comm),
     .selects = true,
     .minimum = 1,
     .maximum = LONGEST_COMM,
     .most = MOST_NAMES},
    {.name = "exe",
     .type = SCHEMA_WORDS,
     .expected = "a list of programs, such as [java, /usr/sbin/nginx]",
     .offset = offsetof(struct config_process_rule, exe),
     .selects = true,
     .minimum = 1,
     .maximum = LONGEST_EXE,
     .most = MOST_NAMES},
    {.name = "cmdline",
     .type = SCHEMA_WORDS,
     .expected = "a list of regular expressions, such as ['-jar\\s+(?P<jar>\\S+)']",
     .offset = offsetof(struct config_process_rule, cmdline),
     .selects = true,
     .minimum = 1,
     .maximum = LONGEST_REGEX,
     .most = MOST_REGEXES},
    {.name = "pid",
     .type = SCHEMA_NUMBERS,
     .expected = "a list of numbers of processes, such as [4711]",
     .offset = offsetof(struct config_process_rule, pid),
     .selects = true,
     .minimum = 1,
     .maximum = LARGEST_PID,
     .most = MOST_NAMES},
    {.name = "children",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_process_rule, children)},
    {.name = "groups",
     .type = SCHEMA_WORDS,
     .expected = EXPECTED_GROUPS,
     .offset = offsetof(struct config_process_rule, groups),
     .required = true,
     .minimum = 1,
     .maximum = LONGEST_NAME,
     .most = MOST_GROUPS},
    {.name = "latency",
     .type = SCHEMA_SET,
     .expected = EXPECTED_LATENCY,
     .offset = offsetof(struct config_process_rule, latency),
     .choices = latency_choices,
     .bits = latency_bits},
    {.name = "by",
     .type = SCHEMA_CHOICE,
     .offset = offsetof(struct config_process_rule, by),
     .choices = by_choices},
};

static const struct schema system_schema = {"targets.system", system_keys,
                                            SCHEMA_N_KEYS(system_keys)};
static const struct schema cgroup_rule_schema = {"a rule of targets.cgroups", cgroup_rule_keys,
                                                 SCHEMA_N_KEYS(cgroup_rule_keys)};
static const struct schema process_rule_schema = {"a rule of targets.processes", process_rule_keys,
                                                  SCHEMA_N_KEYS(process_rule_keys)};

static const struct schema_key targets_keys[] = {
    {.name = "system",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, system),
     .given_offset = offsetof(struct config, system.enabled),
     .inner = &system_schema},
    {.name = "cgroups",
     .type = SCHEMA_LIST,
     .expected = "a list of rules",
     .offset = offsetof(struct config, cgroups),
     .maximum = MOST_RULES,
     .inner = &cgroup_rule_schema,
     .count_offset = offsetof(struct config, n_cgroups),
     .element_size = sizeof(struct config_cgroup_rule)},
    {.name = "processes",
     .type = SCHEMA_LIST,
     .expected = "a list of rules",
     .offset = offsetof(struct config, processes),
     .maximum = MOST_RULES,
     .inner = &process_rule_schema,
     .count_offset = offsetof(struct config, n_processes),
     .element_size = sizeof(struct config_process_rule)},
};

const struct schema config_targets_schema = {"targets", targets_keys, SCHEMA_N_KEYS(targets_keys)};
