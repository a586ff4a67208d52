/* Reads a counter of the processor in code, as event_page_read does (walk/count/event_clock.h). */
#pragma once

#include "walk/emit/plan_taken.h"

/* The count to %rax; %rdx is overwritten; no other register changes, and no flag. If it is on no
 * counter, the last count, and a loss. */
void event_emit(struct taken *t);
