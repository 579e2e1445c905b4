/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Users may make cgroups of any name below their own slice, and would so take the names of others.
 * What they run there by themselves (a podman without root) keeps its state in their homes, where
 * nobody looks. So a cgroup in a user's slice has no names of the host. Nor do cgroups below a unit
 * or a container have others than that has.
 */
#include "target/names_lookup.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/host_files.h"
#include "sys/name_service.h"
#include "sys/process.h"
#include "sys/small_file.h"
#include "target/cgroup_path.h"
#include "target/names_kubernetes.h"
#include "target/names_machine.h"
#include "target/names_place.h"
#include "target/names_slurm.h"
#include "target/state_files.h"

#define MOST_BYTES     STATE_TEXT_MOST /* of one file */
#define MOST_ENTRIES   10000           /* of one directory */
#define MOST_DOMAINS   1000            /* files of libvirt that are read for one machine */
#define MOST_LEVELS    4               /* of cgroups below a job of Slurm */
#define MOST_PROCESSES 100             /* of one of them whose users are asked for */

#define CONTAINER_LOGS "var/log/containers"
#define POD_LOGS       "var/log/pods"
#define CONTAINERD     "run/containerd/io.containerd.runtime.v2.task"
#define DOCKER         "var/lib/docker/containers"
#define MACHINES       "run/systemd/machines"
#define DOMAINS        "run/libvirt/qemu"

/* Where CRI-O has its bundles, and podman those of a transient store; and where podman has them. */
static const char *const storages[] = {"run/containers/storage/overlay-containers",
                                       "var/lib/containers/storage/overlay-containers"};

/* The second one has containers that need not survive a crash: those of `podman run --rm`. */
static const char *const storage_lists[] = {"containers.json", "volatile-containers.json"};

/* Namespaces of containerd that people start containers in; those of Docker are Docker's. */
static const char *const containerd_namespaces[] = {"k8s.io", "default"};

/* One search: what is looked for, and what has been found. */
struct search {
    const struct name_host *host;
    const char *path;
    const char *part; /* of the path, which programs of the host have made */
    int cgroup_fd;
    struct cgroup_names path_names; /* those of that part */
    struct names *names;
};

static bool knows(const struct search *search, enum name_kind kind)
{
    return search->names->values[kind] != NULL;
}

/* Adds what a file of the host tells. False: it cannot be read, or tells nothing of this kind. */
__attribute__((format(printf, 3, 4))) static bool ask_file(const struct search *search,
                                                           const struct state_question *question,
                                                           const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    char path[PATH_MAX];
    va_list arguments;
    size_t n_text = 0;
    int n;

    va_start(arguments, format);
    n = vsnprintf(path, sizeof(path), format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof(path) || search->host->root_fd < 0)
        return false;
    return host_file_read(search->host->root_fd, path, MOST_BYTES, &text, &n_text) == 0 &&
           state_file_names(search->host->reader, question, text, n_text, path,
                            search->host->refusal, search->names);
}

/* Asks `is_it` for each entry of a directory, until it is. */
static bool search_entries(const struct search *search, const char *path, const char *id,
                           bool (*is_it)(const char *, const char *, struct names *))
{
    AUTO(directory)
    DIR *directory =
        search->host->root_fd >= 0 ? host_file_list(search->host->root_fd, path) : NULL;
    const struct dirent *entry;

    for (size_t i = 0; directory && i < MOST_ENTRIES && (entry = readdir(directory)); i++)
        if (is_it(entry->d_name, id, search->names))
            return true;
    return false;
}

/* A container's link tells all; the directory of its pod at least the pod. */
static bool look_for_pod(struct search *search)
{
    const char *container = search->path_names.container_id, *pod = search->path_names.pod_uid;

    if (!*pod)
        return false;
    if (!*container ||
        !search_entries(search, CONTAINER_LOGS, container, names_parse_container_log))
        (void)search_entries(search, POD_LOGS, pod, names_parse_pod_directory);
    return !knows(search, NAME_POD) || (*container && !knows(search, NAME_CONTAINER));
}

static bool look_at_docker(struct search *search, const char *id)
{
    const struct state_question question = {.kind = STATE_OF_DOCKER};

    return ask_file(search, &question, DOCKER "/%s/config.v2.json", id);
}

static bool look_at_containerd(struct search *search, const char *id)
{
    const struct state_question question = {.kind = STATE_OF_CONTAINERD};

    for (size_t i = 0; i < ARRAY_SIZE(containerd_namespaces); i++)
        if (ask_file(search, &question, CONTAINERD "/%s/%s/config.json", containerd_namespaces[i],
                     id))
            return true;
    return false;
}

/* podman's names are in lists of all its containers. */
static bool look_at_lists(struct search *search, const char *storage, const char *id)
{
    struct state_question question = {.kind = STATE_OF_STORAGE};

    (void)snprintf(question.word, sizeof(question.word), "%s", id);
    for (size_t i = 0; i < ARRAY_SIZE(storage_lists); i++)
        if (ask_file(search, &question, "%s/%s", storage, storage_lists[i]))
            return true;
    return false;
}

static bool look_at_bundle(struct search *search, const char *id)
{
    const struct state_question question = {.kind = STATE_OF_BUNDLE};

    for (size_t i = 0; i < ARRAY_SIZE(storages); i++)
        if (ask_file(search, &question, "%s/%s/userdata/config.json", storages[i], id))
            return true;
    return false;
}

static bool look_at_storage(struct search *search, const char *id)
{
    if (!look_at_bundle(search, id))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(storages) && !knows(search, NAME_POD); i++)
        if (look_at_lists(search, storages[i], id))
            break;
    return true;
}

static bool look_for_container(struct search *search)
{
    const char *id = search->path_names.container_id;

    return *id && !look_at_docker(search, id) && !look_at_containerd(search, id) &&
           !look_at_storage(search, id);
}

static bool take_domain(struct search *search, const char *file, unsigned id)
{
    const struct state_question question = {.kind = STATE_OF_DOMAIN, .number = id};

    return ask_file(search, &question, DOMAINS "/%s", file);
}

/*
 * What a machine is called is not always what its file is. Then those files are looked into whose
 * names could have become this one, and no others: whoever may call a cgroup as he likes could have
 * us read all files for each.
 */
static bool search_domains(struct search *search, const char *domain, unsigned id)
{
    AUTO(directory)
    DIR *directory =
        search->host->root_fd >= 0 ? host_file_list(search->host->root_fd, DOMAINS) : NULL;
    const struct dirent *entry;
    size_t n_domains = 0;

    for (size_t i = 0; directory && i < MOST_ENTRIES && (entry = readdir(directory)); i++) {
        if (!machine_may_be_of(domain, entry->d_name) || ++n_domains > MOST_DOMAINS)
            continue;
        if (take_domain(search, entry->d_name, id))
            return true;
    }
    return false;
}

static bool look_for_domain(struct search *search, const char *domain, unsigned id)
{
    char file[MACHINE_NAME_SIZE + sizeof(".xml")];

    (void)snprintf(file, sizeof(file), "%s.xml", domain);
    return take_domain(search, file, id) || search_domains(search, domain, id);
}

static bool look_for_machine(struct search *search)
{
    struct state_question question = {.kind = STATE_OF_MACHINE};
    char *machine = question.word;
    const char *domain;
    unsigned id;
    bool is_missing;

    if (!machine_name_of(search->part, machine))
        return false;
    is_missing = machine_domain(machine, &id, &domain) && !look_for_domain(search, domain, id);
    (void)ask_file(search, &question, MACHINES "/%s", machine);
    if (is_missing)
        names_add_string(search->names, NAME_VM, domain); /* the path tells that much */
    return is_missing;
}

/*
 * The user of a process in a cgroup; of one that is not root's, if there is any: what Slurm begins
 * is root's until it becomes the user's. False: there is none.
 */
static bool user_in(const struct search *search, const char *path, uid_t *ret_user)
{
    char procs[PATH_MAX];
    AUTO_FREE char *text = NULL;
    size_t n = 0;
    char *at;
    bool found = false;

    (void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
    if (search->host->procfs_fd < 0 ||
        host_file_read(search->cgroup_fd, procs, MOST_BYTES, &text, &n) < 0)
        return false;
    at = text;
    for (size_t i = 0; i < MOST_PROCESSES && *at; i++) {
        const long pid = strtol(at, &at, 10);

        if (pid <= 0 || pid > INT_MAX)
            break;
        if (process_read_real_uid(search->host->procfs_fd, (pid_t)pid, ret_user) < 0)
            continue;
        found = true;
        if (*ret_user != 0)
            break;
    }
    return found;
}

/* Whether such a cgroup of a step has what the user runs; what Slurm runs itself is in "slurm". */
static bool is_of_user(const char *name)
{
    return strncmp(name, "step_", 5) == 0 || strncmp(name, "task_", 5) == 0 ||
           strcmp(name, "user") == 0;
}

/* The user in a cgroup or below it, as user_in() tells it. */
static bool user_below(const struct search *search, const char *path, int level, uid_t *ret_user)
{
    AUTO(directory) DIR *directory = NULL;
    const struct dirent *entry;
    char inner[PATH_MAX];
    bool found = user_in(search, path, ret_user);

    if (found && *ret_user != 0)
        return true;
    directory = level < MOST_LEVELS ? host_file_list(search->cgroup_fd, path) : NULL;
    for (size_t i = 0; directory && i < MOST_ENTRIES && (entry = readdir(directory)); i++) {
        if (!is_of_user(entry->d_name) ||
            (size_t)snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) >= sizeof(inner))
            continue;
        found |= user_below(search, inner, level + 1, ret_user);
        if (found && *ret_user != 0)
            return true;
    }
    return found;
}

/* Returns whether the account is not known yet. */
static bool add_user(struct search *search, uid_t user)
{
    static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER;
    char name[ACCOUNT_NAME_SIZE];
    enum name_outcome outcome;

    (void)pthread_mutex_lock(&one_caller);
    outcome = name_service_name_of(name_service_of_lookups(), user, name);
    (void)pthread_mutex_unlock(&one_caller);
    if (outcome == NAME_UNKNOWN)
        (void)snprintf(name, sizeof(name), "%u", user);
    if (outcome != NAME_LATE)
        names_add_string(search->names, NAME_SLURM_USER, name);
    return outcome == NAME_LATE;
}

static bool look_for_job(struct search *search)
{
    struct slurm_place place;
    bool by_process;

    if (!names_parse_slurm(search->path, &place, search->names))
        return false;
    by_process = !place.has_user;
    if (by_process)
        place.has_user = search->cgroup_fd >= 0 && user_below(search, ".", 0, &place.user);
    if (!place.has_user)
        return true;
    return add_user(search, place.user) || (by_process && place.user == 0);
}

static void forget(struct names *names, enum name_kind kind)
{
    free(names->values[kind]);
    names->values[kind] = NULL;
}

bool names_need_directory(const char *path)
{
    AUTO_NAMES struct names names = {0};
    struct slurm_place place;

    return !names_are_of_a_user(path) && names_parse_slurm(path, &place, &names) && !place.has_user;
}

/* Asks who is in `sources`. */
static bool ask(struct search *search, unsigned sources)
{
    bool is_missing = false;

    if (sources & NAMES_OF_KUBERNETES)
        is_missing |= look_for_pod(search);
    if (sources & NAMES_OF_CONTAINERS)
        is_missing |= look_for_container(search);
    if (sources & NAMES_OF_MACHINES)
        is_missing |= look_for_machine(search);
    if (sources & NAMES_OF_BATCH)
        is_missing |= look_for_job(search);
    if (!(sources & NAMES_OF_KUBERNETES)) { /* which the annotations of a container tell, too */
        forget(search->names, NAME_POD);
        forget(search->names, NAME_NAMESPACE);
    }
    return is_missing;
}

bool names_look_up(const struct name_host *host, unsigned sources, const char *path, int cgroup_fd,
                   struct names *names)
{
    AUTO_FREE char *part = strndup(path, names_host_part(path));
    struct search search = {
        .host = host, .path = path, .part = part, .cgroup_fd = cgroup_fd, .names = names};
    bool is_missing;

    if (names_are_of_a_user(path))
        return false;
    if (!part || cgroup_names_parse(part, &search.path_names) < 0)
        return true;
    is_missing = ask(&search, sources);
    cgroup_names_done(&search.path_names);
    return is_missing;
}
