/* Descriptors of the agent in a program whose threads open, replace and close descriptors at the
 * same time.
 *
 * The kernel gives a new descriptor the lowest free number, where the program's next one belongs.
 * So ours moves to a high number at once. Meanwhile another thread may put a file in the place of
 * the low one with dup2: that file must be neither kept nor closed. The program's dup2 and fork
 * wait for us, and where they come by raw system calls, it is looked what a descriptor is before it
 * is used or closed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Those that have been moved are never below. */
enum { DESCRIPTOR_MIN = 100 };

/* Around the time that one of ours has a low number. False: the program is in a dup2 or fork, or
 * waits for one; what can be done later should not be done now. */
bool descriptor_low_begin(void);
void descriptor_low_end(void);

/* Around a dup2 or fork of the program's. Waits until none of ours has a low number: microseconds,
 * unless a thread that has one gets no CPU; 0.2 s at most if no such thread goes on meanwhile. */
void descriptor_program_begin(void);
void descriptor_program_end(void);
/* In the child, where the other threads are not. */
void descriptor_program_forked(void);

/* A file, or a copy of a descriptor of ours, that is open for a moment only, as low as it may be.
 */
long descriptor_open(int folder, const char *path, int flags);
long descriptor_copy(int of);
void descriptor_shut(long fd);

/* What is open by this number: the same for copies, different for other perf events and files; 0:
 * unknown. */
uint64_t descriptor_identity(long fd);
/* Gives it a number where programs do not look. Negative: none can be had, or it is not what it was
 * any more; then nothing has changed. */
long descriptor_move(long fd, uint64_t identity);
/* Unless it is another by now. */
void descriptor_close(long fd, uint64_t identity);
