/* The trail: the part of a walk on plain copies. It is timed, and gives the rate of its window. If
 * its copies count (record_options.tally), it is what counts of executions are made of.
 *
 * Trails that count last equally long, by the time that their code takes natively: so a sum over
 * them needs no rates. Slow code gets as much time as fast code, and has executed less in it. */
#pragma once

#include <stdint.h>

struct course;
struct thread;

/* Runs about n instructions, neither timed nor part of the trail. Returns LOSS_N, or why the walk
 * ended. */
uint32_t trail_skip(struct thread *thread, uint32_t n, uint32_t *ret_instructions);
/* Begins a trail of about so many ticks of the program's own time. */
void trail_begin(struct thread *thread, uint64_t ticks);
/* Runs it, until it is over or the walk ends. Returns the same. */
uint32_t trail_run(struct thread *thread);
/* It is over: tells what it was. */
void trail_end(struct thread *thread);
/* How many instructions the next piece shall have, after one that executed `ran`: so that what is
 * left is not exceeded by much, by the pace so far, and by how far the last one missed what it was
 * asked for. Where fast code ends and slow code begins in a piece, the trail becomes longer than
 * others, and slow code counts too much: so pieces are short. */
uint64_t trail_piece_next(const struct course *course, uint64_t ran);
