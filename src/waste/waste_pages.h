/* Which pages of memory only one thread was seen to touch.
 *
 * What a thread stores, another may read before it is overwritten. If others read a page about as
 * often as this one stores there, their windows see them do it. So a page is taken to be a thread's
 * own once WASTE_OTHERS_WINDOWS windows of other threads did not touch it; if one does later, it is
 * shared from then on. Who reads so seldom that no window sees it finds few stores in between. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { WASTE_OTHERS_WINDOWS = 8, WASTE_PAGES_MAX = 1 << 18 };

struct waste_page {
    int32_t tid;      /* 0: several */
    uint64_t windows; /* of others, before it was first touched */
};

struct waste_pages {
    struct map pages; /* page numbers */
    struct waste_page_list {
        VEC(struct waste_page);
    } at;
    struct map tids;
    struct waste_tid_windows {
        VEC(uint64_t);
    } own;            /* windows, as tids */
    uint64_t windows; /* of all */
    int32_t tid;      /* of this window */
    uint64_t others;  /* windows of other threads before it */
    uint64_t last;    /* the page that was touched last, + 1; 0: none */
    bool last_alone;
};

void waste_pages_init(struct waste_pages *pages);
void waste_pages_release(struct waste_pages *pages);
void waste_pages_window(struct waste_pages *pages, int32_t tid);
/* The window's thread touches the address. Returns whether the page is its own. */
bool waste_pages_touch(struct waste_pages *pages, uint64_t address);
