/* How contexts come out of stacks. Each fills contexts that have frames and are otherwise empty. */
#pragma once

struct contexts;

/* Top-down. */
void contexts_grow(struct contexts *contexts);
/* Makes bottom-up contexts of top-down ones. */
void contexts_invert(struct contexts *contexts);
/* Flat. */
void contexts_list(struct contexts *contexts);
