/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "fuzz/fuzz_names.h"
#include "target/names_kubernetes.h"
#include "target/names_machine.h"
#include "target/names_runtime.h"
#include "target/names_slurm.h"

/*
 * Any bytes, taken as what each program of the host writes: libvirt (XML), container runtimes
 * (JSON), systemd-machined, as the path of a cgroup, and as the name of a log of kubelet's. What
 * they tell are clean names; a text that is refused tells nothing.
 */

static void check(const struct names *names, bool is_good)
{
    struct label labels[NAMES_];

    fuzz_check_names(names);
    FUZZ_CHECK(is_good || names_to_labels(names, labels) == 0);
}

static void fuzz_texts(const char *text, size_t n)
{
    AUTO_NAMES struct names of_domain = {0};
    AUTO_NAMES struct names of_bundle = {0};
    AUTO_NAMES struct names of_docker = {0};
    AUTO_NAMES struct names of_list = {0};
    AUTO_NAMES struct names of_machine = {0};

    check(&of_domain, names_parse_domain(text, n, 7, &of_domain));
    check(&of_bundle, names_parse_oci_config(text, n, NULL, &of_bundle));
    check(&of_docker, names_parse_docker_config(text, n, &of_docker));
    check(&of_list, names_parse_storage_list(text, n, "id", &of_list));
    names_parse_machine(text, n, "qemu-7-web", &of_machine);
    check(&of_machine, true);
}

#define UID "0f6b8a52-6c3e-4d1f-9b7a-2e5d8c4f1a90"

/* Of kubelet's names of files: all of them are known, or none is. */
static void fuzz_entry(const char *entry)
{
    AUTO_NAMES struct names of_log = {0};
    AUTO_NAMES struct names of_pod = {0};

    check(&of_log, names_parse_container_log(entry, "id", &of_log));
    check(&of_pod, names_parse_pod_directory(entry, UID, &of_pod));
    FUZZ_CHECK(!of_log.values[NAME_POD] == !of_log.values[NAME_CONTAINER]);
    FUZZ_CHECK(!of_pod.values[NAME_POD] == !of_pod.values[NAME_NAMESPACE]);
}

/* libvirt may have made the name of a domain from what is plain of its file's name. */
static void fuzz_domain(const char *name)
{
    AUTO_TEXT struct text file = {0}, plain = {0};

    for (const char *c = name; *c; c++)
        if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'))
            text_append_char(&plain, *c);
    text_append_string(&plain, "x");
    text_append_char(&plain, '\0');
    text_append_string(&file, name);
    text_append_string(&file, ".xml");
    text_append_char(&file, '\0');
    FUZZ_CHECK(!machine_may_be_of(plain.data, file.data));
    plain.data[plain.length - 2] = '\0';
    FUZZ_CHECK(machine_may_be_of(plain.data, file.data));
    file.data[file.length - 2] = 'X';
    FUZZ_CHECK(!machine_may_be_of(plain.data, file.data));
}

static void fuzz_path(const char *path)
{
    AUTO_NAMES struct names of_job = {0};
    char machine[MACHINE_NAME_SIZE];
    struct slurm_place place;

    check(&of_job, names_parse_slurm(path, &place, &of_job));
    if (machine_name_of(path, machine))
        FUZZ_CHECK(*machine && *machine != '.' && !strchr(machine, '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *path = malloc(size + 1);

    if (!path)
        return 0;
    memcpy(path, data, size);
    path[size] = '\0';
    fuzz_texts(path, size);
    fuzz_path(path);
    fuzz_entry(path);
    fuzz_domain(path);
    return 0;
}
