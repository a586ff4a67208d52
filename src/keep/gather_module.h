/* What is kept of one module. While a recording goes on, functions that have run are taken ahead
 * (module_gather_ahead), so that its end need only take the rest (module_gather_all). */
#pragma once

#include "base/bytes.h"
#include "keep/gather.h"
#include "keep/gather_lines.h"
#include "keep/references.h"
#include "paths/arrivals.h"
#include "program/binary.h"

struct module_gather {
    uint32_t module;
    struct gather_wish wish;
    uint64_t file_bytes;
    size_t places; /* marked, where that matters */
    struct keep_result gathered;
    bool again; /* all that was taken was taken anew: nothing of it is packed any more */

    /* The rest is its own. */
    enum { MODULE_UNREAD, MODULE_OPEN, MODULE_MISSING } state;
    bool has_paths;
    struct binary binary;
    struct intervals data;
    struct bytes bytes; /* scratch */
    struct function_gather {
        const struct image *image;
        const struct symbols *symbols;
        enum kept_kind kind;
        uint8_t *wanted;  /* by function: enum want of gather_module.c */
        bool *named;      /* likewise: its name */
        uint8_t *taken;   /* likewise: enum taken there */
        uint8_t *samples; /* likewise: places that one sample found; 2: or more */
        bool lines_sought, has_lines, any_taken;
        struct line_gathering lines;
        struct references *references;
        struct path_arrivals arrivals;
    } functions; /* by one set of symbols */
};

/* Takes the functions that have run so far. */
void module_gather_ahead(struct module_gather *gather, const struct profile *profile,
                         const struct places *places);
/* Takes all that is left. */
void module_gather_all(struct module_gather *gather, const struct profile *profile,
                       const struct places *places);
void module_gather_release(struct module_gather *gather);
