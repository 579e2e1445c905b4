/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_probes.h"

#include <errno.h>

const struct config_word *config_probe_place(const struct config_probe *probe,
                                             enum probe_kind *ret_kind)
{
    const struct config_word *const words[PROBE_KIND_COUNT_] = {
        [PROBE_KERNEL] = &probe->kernel,
        [PROBE_USER] = &probe->user,
        [PROBE_USDT] = &probe->usdt,
    };
    const struct config_word *place = NULL;

    for (enum probe_kind kind = 0; kind < PROBE_KIND_COUNT_; kind++) {
        if (!words[kind]->text)
            continue;
        if (place)
            return NULL;
        place = words[kind];
        *ret_kind = kind;
    }
    return place;
}

int config_probes_make(const struct config *config, struct probe_spec **ret_specs)
{
    struct probe_spec *specs = calloc(config->n_probes + 1, sizeof(*specs));

    if (!specs)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_probes; i++) {
        specs[i].name = config->probes[i].name.text;
        specs[i].place = config_probe_place(&config->probes[i], &specs[i].kind)->text;
    }
    *ret_specs = specs;
    return 0;
}
