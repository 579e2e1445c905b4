/* SPDX-License-Identifier: Apache-2.0 */
/* The page for people: "/", and its files below "/page/". A file is a page that never changes. */
#include "service/face_page.h"
#include "service/page_group.h"
#include "web/page_files.h"

/* The page loads nothing from elsewhere, has no script or style within its text, and no frames. */
#define FACE_POLICY                                                                                \
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "            \
    "object-src 'none'"

static int render_face(void *context, const struct route_request *request, size_t form,
                       struct text *text)
{
    const struct pages *pages = context;

    (void)request, (void)form;
    face_page_write(pages->sources.telemetry_path, text);
    return 0;
}

static int render_file(enum page_file file, struct text *text)
{
    size_t length;
    const char *content = page_file_text(file, &length);

    text_append(text, content, length);
    return 0;
}

#define RENDER(symbol, folder, name, type)                                                         \
    static int render_##symbol(void *context, const struct route_request *request, size_t form,    \
                               struct text *text)                                                  \
    {                                                                                              \
        (void)context, (void)request, (void)form;                                                  \
        return render_file(PAGE_FILE_##symbol, text);                                              \
    }
PAGE_FILES(RENDER)

#define ROUTE(symbol, folder, name, type)                                                          \
    {.path = "/page/" name,                                                                        \
     .content_type = (type),                                                                       \
     .security_policy = FACE_POLICY,                                                               \
     .render = render_##symbol},
static const struct route routes[] = {{.path = "/",
                                       .content_type = CONTENT_HTML,
                                       .security_policy = FACE_POLICY,
                                       .render = render_face},
                                      PAGE_FILES(ROUTE)};
const struct page_group face_pages = {routes, ARRAY_SIZE(routes)};
