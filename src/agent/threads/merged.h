/* Injected processes: samples use a signal that may be the program's too (wire/attach.h).
 *
 * Go interrupts its threads by SIGURG. Where both wait at once, as on a thread that waited for a
 * CPU, two things go wrong. If Go's comes first, its handler moves the thread to another function,
 * and the sample would find it there, not where the time went. If ours comes first, the kernel
 * merges Go's with it, and Go, which sends no second one before the first has arrived, never
 * interrupts that thread again. */
#pragma once

#include <stdint.h>

/* Before anything else is done with a signal: if it is the program's and one of ours waits behind
 * it, ours replaces it in `siginfo`, and the program's is sent again. */
void merged_order(int32_t *siginfo);
/* After a sample's signal: sends the program one in place of any that was merged with it, if its
 * action is that of a runtime that cannot do without. Others would take it for data. */
void merged_repeat(void);
