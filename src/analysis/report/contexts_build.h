/* Builds calling contexts from stacks. Each function fills contexts that have frames and are
 * otherwise empty. */
#pragma once

struct calling_contexts;

/* Top-down. */
void contexts_grow(struct calling_contexts *contexts);
/* Bottom-up. */
void contexts_invert(struct calling_contexts *contexts);
/* Flat. */
void contexts_list(struct calling_contexts *contexts);
/* Where both user and kernel time weigh, and the kernel counted its time but was not sampled: adds
 * one context for it, if nothing is left out. */
void contexts_add_kernel(struct calling_contexts *contexts);
