/* One window in full: its tree, and when each of its instructions retires on the core model. */
#pragma once

#include "analysis/windows/window_cycles.h"
#include "analysis/windows/window_list.h"

struct window_detail {
    struct window_list *list;
    uint32_t number;
    size_t index; /* in the profile */
    struct window_tree tree;
    /* At each instruction and at the end: modelled cycles from the first retirement to this one. Of
     * an instruction that could not be modelled, those of the one before. */
    uint64_t *cycles;
    bool modelled;
    uint32_t warming;  /* so many instructions only warm the core up */
    uint32_t from, to; /* the part that is asked for */
};

/* number: from 1. The part ends at `to`; 0: at the end. */
bool window_detail_make(struct window_detail *detail, struct window_list *list, uint32_t number,
                        uint32_t from, uint32_t to, struct err *err);
/* The same of all of it, with times that are known already. */
void window_detail_of(struct window_detail *detail, struct window_list *list, uint32_t number,
                      const struct window_times *times);
void window_detail_release(struct window_detail *detail);

/* Modelled cycles from one instruction to another. */
uint64_t window_detail_cycles(const struct window_detail *detail, uint32_t from, uint32_t to);
