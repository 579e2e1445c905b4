/* SPDX-License-Identifier: Apache-2.0 */

/*
 * jansson takes arrays and objects to a depth of 2048 and no further, so that brackets without an
 * end are refused and no stack is used up; the reader of files bounds the length.
 */
#include "target/names_runtime.h"

#include <string.h>

#include <jansson.h>

/*
 * Which annotation tells what. Who makes a pod gives it annotations of his own, which CRI-O puts
 * among its own ones, so those that only containerd writes are taken of containerd alone.
 */
static const struct annotation {
    const char *key;
    enum name_kind kind;
    bool of_containerd; /* else of all others */
    bool of_pod;        /* it is the same for all containers of a pod */
} annotations[] = {
    {"io.kubernetes.cri.sandbox-name", NAME_POD, true, true},
    {"io.kubernetes.cri.sandbox-namespace", NAME_NAMESPACE, true, true},
    {"io.kubernetes.cri.container-name", NAME_CONTAINER, true, false},
    {"io.kubernetes.cri.image-name", NAME_IMAGE, true, false},
    {"nerdctl/name", NAME_CONTAINER, true, false},
    {"io.kubernetes.pod.name", NAME_POD, false, true},
    {"io.kubernetes.pod.namespace", NAME_NAMESPACE, false, true},
    {"io.kubernetes.container.name", NAME_CONTAINER, false, false},
    {"io.kubernetes.cri-o.ImageName", NAME_IMAGE, false, false},
};

/*
 * Texts have no NUL: jansson refuses one, unless it is asked to take it. It says what is wrong with
 * a text, and says nothing where there was no memory.
 */
static json_t *parse(const char *text, size_t n, struct names *names)
{
    json_error_t error = {0};
    json_t *value = json_loadb(text, n, 0, &error);

    names->failed |= !value && !error.text[0];
    return value;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Whether this is what keeps a pod's namespaces, and no container of a user. */
static bool is_sandbox(const json_t *all, bool of_containerd)
{
    const char *type = text_of(all, of_containerd ? "io.kubernetes.cri.container-type"
                                                  : "io.kubernetes.cri-o.ContainerType");

    return type && strcmp(type, "sandbox") == 0;
}

/* The name of who manages a container, in the word that people have for it. NULL: not known. */
static const char *runtime_of(const json_t *all)
{
    const char *manager = text_of(all, "io.container.manager");

    if (manager && strcmp(manager, "libpod") == 0)
        return "podman";
    return manager && strcmp(manager, "cri-o") == 0 ? manager : NULL;
}

bool names_parse_oci_config(const char *text, size_t n, const char *runtime, struct names *names)
{
    json_auto_t *config = parse(text, n, names);
    const json_t *all = json_object_get(config, "annotations");
    const bool of_containerd = runtime && strcmp(runtime, "containerd") == 0;
    const bool sandbox = is_sandbox(all, of_containerd);

    if (!json_is_object(config))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(annotations); i++)
        if (annotations[i].of_containerd == of_containerd && (annotations[i].of_pod || !sandbox))
            names_add_string(names, annotations[i].kind, text_of(all, annotations[i].key));
    names_add_string(names, NAME_RUNTIME, runtime ? runtime : runtime_of(all));
    return true;
}

bool names_parse_docker_config(const char *text, size_t n, struct names *names)
{
    json_auto_t *config = parse(text, n, names);
    const char *name = text_of(config, "Name");

    if (!name)
        return false;
    names_add_string(names, NAME_CONTAINER, name + (name[0] == '/'));
    names_add_string(names, NAME_IMAGE, text_of(json_object_get(config, "Config"), "Image"));
    names_add_string(names, NAME_RUNTIME, "docker");
    return true;
}

/* Which of the list has this id, or NULL. */
static const json_t *find_container(const json_t *list, const char *container_id)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *id = text_of(one, "id");

        if (id && strcmp(id, container_id) == 0)
            return one;
    }
    return NULL;
}

bool names_parse_storage_list(const char *text, size_t n, const char *container_id,
                              struct names *names)
{
    json_auto_t *list = parse(text, n, names);
    json_auto_t *metadata = NULL;
    const json_t *one = find_container(list, container_id);
    const char *inner = text_of(one, "metadata"); /* a text that is JSON once more */

    if (!one)
        return false;
    names_add_string(names, NAME_CONTAINER,
                     json_string_value(json_array_get(json_object_get(one, "names"), 0)));
    metadata = inner ? parse(inner, strlen(inner), names) : NULL;
    names_add_string(names, NAME_IMAGE, text_of(metadata, "image-name"));
    return true;
}
