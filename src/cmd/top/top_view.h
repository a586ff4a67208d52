/* What gait top shows, and what keys make of it. */
#pragma once

#include "cmd/top/screen.h"
#include "view/live/live_view.h"

enum { TOP_LEVELS = 4 };

struct top_view {
    struct live live;
    struct live_about about;
    struct screen screen;
    struct live_rows rows;
    /* The query, and below it those that the keys came from. */
    struct live_query queries[TOP_LEVELS];
    char titles[TOP_LEVELS][64]; /* what each is about; "": everything */
    size_t level;
    size_t selected, first; /* rows */
    bool paused, help;
};

void top_view_init(struct top_view *view, uint64_t span_ns, bool measured, enum live_by by);
void top_view_release(struct top_view *view);
/* Makes the rows of what is asked for now. */
void top_view_refresh(struct top_view *view);
/* Draws the screen. */
void top_view_draw(struct top_view *view);
/* False: it asks to quit. */
bool top_view_key(struct top_view *view, int key);
