/* Reads the Python frames of the interrupted thread. It does not run meanwhile, so they are of one
 * moment; the texts of code objects that the tool does not have yet are sent before. */
#pragma once

#include <stdint.h>

struct thread;

/* Returns how many frames thread->python has now. */
uint32_t python_copy_take(struct thread *thread);
