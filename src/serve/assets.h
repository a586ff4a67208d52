/* The front end, embedded by the build: ui/index.html, ui/style.css, and the modules of ui/ as one
 * script (tools/bundle-ui). */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* as the page asks for it; "" is the page itself */
    const char *type; /* its Content-Type */
    const char *begin, *end;
};

enum { ASSET_PAGE, ASSET_STYLE, ASSET_SCRIPT, ASSETS_N };
extern const struct asset assets[ASSETS_N];
/* ui/questions.txt, for wanted_read; no part of the page. */
extern const struct asset asset_wanted;

/* NULL: there is none of that name. */
const struct asset *asset_find(const char *name);
static inline size_t asset_bytes(const struct asset *asset)
{
    return (size_t)(asset->end - asset->begin);
}
