/* The physical pages behind the accesses of windows, as the kernel tells them: each access gets a
 * value VALUE_OF_PAGE (profile/value_kinds.h).
 *
 * /proc/PID/pagemap is read when the window arrives, a moment after the accesses. A page that is
 * not in memory then, or whose process is gone, is counted as unknown. Who has not the capability
 * CAP_SYS_ADMIN reads zeroes there. */
#pragma once

#include "values/payloads.h"
#include "values/value_lists.h"

struct err;

enum { PHYSICAL_KNOWN = 64 };

struct physical_pages {
    struct payload_consumer consumer;
    struct value_lists *lists;
    bool on, tried;
    int fd; /* of pagemap; -1: none */
    struct {
        VEC(uint32_t);
    } places; /* by item of units->payload: index + 1 in the lists */
    /* Of the window at hand. 0: not looked up; physical 0: not known. */
    struct physical_page {
        uint64_t window, page, physical;
    } known[PHYSICAL_KNOWN];
    uint64_t window;  /* number, from 1 */
    uint64_t unknown; /* accesses */
};

/* Fails if the kernel tells this process no physical pages. */
bool physical_pages_permitted(struct err *err);

void physical_pages_init(struct physical_pages *pages, struct value_lists *lists);
void physical_pages_release(struct physical_pages *pages);
/* A window that the lists have taken: the part that counts. */
void physical_pages_window(struct physical_pages *pages, const struct payload_window *window);
