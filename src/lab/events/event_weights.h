/* What samples of each event say of a block's count, by a regression on programs whose counts are
 * known. */
#pragma once

#include "lab/events/event_blocks.h"

enum { EVENT_COLUMNS = EVENT_ROWS + 1 }; /* the last is the constant */

struct event_program {
    size_t n;
    double *x, *y;            /* n rows of EVENT_COLUMNS; n */
    double roots[EVENT_ROWS]; /* of the mean square of samples by instruction, which became 1 */
};

void event_program_read(struct event_program *program, const struct lab_recording *recording);
void event_program_release(struct event_program *program);
/* Of all programs but one. */
void event_weights_train(const struct event_program *all, size_t n, size_t without,
                         double weights[EVENT_COLUMNS]);
/* What a block of that program counted, in events of the first row for each instruction. */
double event_weights_say(const double weights[EVENT_COLUMNS], const struct event_program *program,
                         const struct event_block *block);
