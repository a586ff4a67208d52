/* The program's registers, from a signal frame to a context and back. */
#pragma once

#include "agent/base/kernel.h"
#include "walk/base/context.h"

void frame_load(struct context *context, const struct kernel_ucontext *frame);
void frame_store(const struct context *context, struct kernel_ucontext *frame);
/* The live vector registers, from and to the vector state of a frame: the kernel clears them when
 * it builds a frame, and rt_sigreturn loads them from it. */
void frame_vectors_load(const uint8_t *state);
void frame_vectors_save(uint8_t *state);
