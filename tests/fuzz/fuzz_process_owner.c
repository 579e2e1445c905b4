/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whose a process is. The first byte chooses whether the rest is the map of its user namespace or
 * the subordinate ids of all accounts. No file makes a process one of our root.
 */

#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "fuzz/fuzz_directory.h"
#include "target/process_set.h"

#define UID      1000
#define ACCOUNTS 3

static enum name_outcome number_of(const char *name, uid_t *ret_uid)
{
    *ret_uid = ACCOUNTS;
    return *name == 'a' ? NAME_FOUND : NAME_UNKNOWN;
}

static void start(void)
{
    static const char stat[] = "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 42 0 0\n";

    FUZZ_CHECK(mkdirat(fuzz_directory(), "7", 0700) == 0);
    if (geteuid() == 0)
        FUZZ_CHECK(fchownat(fuzz_directory(), "7", UID, UID, 0) == 0);
    fuzz_write("7/stat", stat, strlen(stat));
}

static void take_owner(struct subordinate_ids *ids)
{
    const struct process_targets set = {.procfs_fd = fuzz_directory(), .owners = ids};
    struct process_node node = {.pid = 7}, unowned = {.pid = 7, .unowned = true};
    AUTO(process) struct process *process = NULL;

    FUZZ_CHECK(process_open(fuzz_directory(), 7, &process) == 0);
    process_take_owner(&set, &node, process);
    FUZZ_CHECK(!node.unowned && node.effective_uid == process_uid(process));
    process_note_owner(&set, &unowned);
    FUZZ_CHECK(!unowned.unowned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct name_ops ops = {.number_of = number_of};
    static const char usual_map[] = "0 100000 65536\n", usual_ids[] = "a:100000:65536\n";
    static struct name_service *service;
    AUTO(subordinate_ids) struct subordinate_ids *ids = NULL;
    char path[64];
    bool is_map;

    if (size == 0)
        return 0;
    if (!service) {
        start();
        service = name_service_new(&ops);
        FUZZ_CHECK(service);
    }
    is_map = data[0] % 2 == 0;
    fuzz_write("7/uid_map", is_map ? (const char *)data + 1 : usual_map,
               is_map ? size - 1 : strlen(usual_map));
    fuzz_write("subuid", is_map ? usual_ids : (const char *)data + 1,
               is_map ? strlen(usual_ids) : size - 1);
    (void)snprintf(path, sizeof(path), "%s/subuid", fuzz_directory_path);
    FUZZ_CHECK(subordinate_ids_new(path, service, &ids) == 0);
    take_owner(ids);
    (void)subordinate_ids_owner(ids, 100000);
    return 0;
}
