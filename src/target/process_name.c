/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whoever runs a process chooses what its names are made of. So names become labels as paths of
 * cgroups do: a name that is not clean is encoded behind a mark that no clean label begins with.
 * The empty name is encoded as well, since Prometheus takes a label without a value for no label.
 */
#include "target/process_name.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "target/clean_text.h"
#include "target/label_value.h"

void process_name_append_label(struct text *text, const char *name, size_t n)
{
    bool as_it_is = n > 0 && text_is_clean(name, n) &&
                    (n < strlen(PROCESS_NAME_MARK) ||
                     memcmp(name, PROCESS_NAME_MARK, strlen(PROCESS_NAME_MARK)) != 0);

    label_value_append(text, name, n, as_it_is, PROCESS_NAME_MARK);
}

static struct text_piece piece_of(const char *text)
{
    return (struct text_piece){text, strlen(text)};
}

struct text_piece process_name_base(const char *path)
{
    size_t end = strlen(path), begin;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
        ;
    if (begin == end && end > 0)
        begin--;
    return (struct text_piece){path + begin, end - begin};
}

/* Nobody knows, and so nothing is late. */
static const struct process_namers nobody = {NULL, NULL};

/* Buffers for the fields that the process has as numbers. */
struct field_texts {
    char pid[16];
    char start_time[32];
    char user[16];
};

static void write_start_time(const struct process *process, char *text, size_t size)
{
    uint64_t start_ns = process_start_realtime_ns(process_stat(process)->start_ticks);
    time_t start = (time_t)(start_ns / NS_PER_SECOND);
    struct tm parts = {0};

    (void)gmtime_r(&start, &parts);
    if (strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}

/*
 * A process may have no executable: kernel threads have none, and some hide theirs. Then the comm
 * takes its place as it is, for a `/` in a comm separates nothing.
 */
static int take_exe(struct process *process, struct text_piece *fields)
{
    const char *exe = NULL;
    int r = process_exe(process, &exe);

    if (r < 0)
        return r;
    fields[PROCESS_EXE_FULL] = *exe ? piece_of(exe) : fields[PROCESS_COMM];
    fields[PROCESS_EXE_BASE] = *exe ? process_name_base(exe) : fields[PROCESS_COMM];
    return 0;
}

/* Finds the name of the process' user, or writes its number. Returns as process_name_append() does.
 */
static int take_user(const struct process *process, struct user_names *users,
                     struct field_texts *texts, const char **ret_user)
{
    int r = 0;

    (void)snprintf(texts->user, sizeof(texts->user), "%u", process_uid(process));
    *ret_user = texts->user;
    if (users)
        r = user_names_find(users, process_uid(process), ret_user);
    return r == NAME_LATE ? PROCESS_USER_LATE : r;
}

/* Finds the names of the process. Returns as process_name_append() does. */
static int take_names(const struct process *process, struct target_names *asked,
                      struct names *names)
{
    char path[PROCESS_CGROUP_SIZE];
    const bool has_path = process_read_cgroup(process, path) == 0;

    if (!target_names_of_process(asked, process_pid(process), has_path ? path : NULL, names))
        return PROCESS_NAMES_LATE;
    return names->failed ? -ENOMEM : 0;
}

static int take_fields(const struct process_template *parsed, struct process *process,
                       struct user_names *users, struct field_texts *texts,
                       struct text_piece *fields)
{
    const char *user = "";
    int named = 0, r = 0;

    (void)snprintf(texts->pid, sizeof(texts->pid), "%d", (int)process_pid(process));
    fields[PROCESS_PID] = piece_of(texts->pid);
    fields[PROCESS_COMM] = piece_of(process_stat(process)->comm);
    if (process_template_uses(parsed, PROCESS_START_TIME))
        write_start_time(process, texts->start_time, sizeof(texts->start_time));
    fields[PROCESS_START_TIME] = piece_of(texts->start_time);
    if (process_template_uses(parsed, PROCESS_USERNAME))
        named = take_user(process, users, texts, &user);
    fields[PROCESS_USERNAME] = piece_of(user);
    if (named >= 0 && (process_template_uses(parsed, PROCESS_EXE_BASE) ||
                       process_template_uses(parsed, PROCESS_EXE_FULL)))
        r = take_exe(process, fields);
    return r < 0 ? r : named;
}

static int append(const struct process_template *parsed, const struct text_piece *captures,
                  struct process *process, const struct process_namers *namers,
                  struct text *ret_label)
{
    struct text_piece fields[PROCESS_FIELDS_] = {{"", 0}};
    struct field_texts texts = {{0}, {0}, {0}};
    AUTO_NAMES struct names names = {0};
    AUTO_TEXT struct text name = {0};
    int named = take_fields(parsed, process, namers->users, &texts, fields);

    if (named == 0 && namers->names && process_template_uses_names(parsed))
        named = take_names(process, namers->names, &names);
    if (named != 0)
        return named;
    for (size_t i = 0; i < NAMES_; i++)
        fields[PROCESS_NAMES + i] = piece_of(names.values[i] ? names.values[i] : "");
    process_template_expand(parsed, fields, captures, &name);
    if (text_error(&name) < 0)
        return -ENOMEM;
    process_name_append_label(ret_label, name.data, name.length);
    return text_error(ret_label) < 0 ? -ENOMEM : 0;
}

int process_name_append(const struct process_template *parsed, const struct text_piece *captures,
                        struct process *process, const struct process_namers *namers,
                        struct text *ret_label)
{
    const int late = append(parsed, captures, process, namers, ret_label);
    int r;

    if (late <= 0)
        return late;
    r = append(parsed, captures, process, &nobody, ret_label);
    return r < 0 ? r : late;
}
