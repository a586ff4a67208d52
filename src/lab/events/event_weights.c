#include "lab/events/event_weights.h"

#include "lab/events/svr.h"

#include <math.h>

/* Of each program, what events say of a block is divided by its instructions and scaled so that the
 * mean square over the program's blocks is 1; so are the true counts. Weights can then be compared
 * with each other, and programs of any length. */

enum { TURNS = 3000 };
/* A high cost only takes longer: there are tens of thousands of rows for each weight. */
static const double COST = 0.01, EPSILON = 0.01;

static double column_scale(double *at, size_t n, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += at[i * step] * at[i * step];
    for (size_t i = 0; sum > 0 && i < n; i++)
        at[i * step] /= sqrt(sum / (double)n);
    return sum > 0 ? sqrt(sum / (double)n) : 1;
}

void event_program_read(struct event_program *program, const struct lab_recording *recording)
{
    struct event_blocks blocks = {0};
    event_blocks_read(&blocks, recording);
    *program = (struct event_program){.n = blocks.n,
                                      .x = mem_alloc(blocks.n * EVENT_COLUMNS * sizeof(double) + 1),
                                      .y = mem_alloc(blocks.n * sizeof(double) + 1)};
    for (size_t i = 0; i < blocks.n; i++) {
        const struct event_block *block = &blocks.at[i];
        for (int e = 0; e < EVENT_ROWS; e++)
            program->x[i * EVENT_COLUMNS + (size_t)e] = block->samples[e] / block->instructions;
        program->x[i * EVENT_COLUMNS + EVENT_ROWS] = 1;
        program->y[i] = block->count;
    }
    for (size_t e = 0; e < EVENT_ROWS; e++)
        program->roots[e] = column_scale(program->x + e, blocks.n, EVENT_COLUMNS);
    column_scale(program->y, blocks.n, 1);
    vec_release(&blocks);
}

void event_program_release(struct event_program *program)
{
    mem_free(program->x);
    mem_free(program->y);
}

void event_weights_train(const struct event_program *all, size_t n, size_t without,
                         double weights[EVENT_COLUMNS])
{
    size_t rows = 0, at = 0;
    for (size_t p = 0; p < n; p++)
        rows += p == without ? 0 : all[p].n;
    double *x = mem_alloc(rows * EVENT_COLUMNS * sizeof *x + 1),
           *y = mem_alloc(rows * sizeof *y + 1);
    for (size_t p = 0; p < n; p++)
        for (size_t i = 0; p != without && i < all[p].n; i++, at++) {
            for (size_t c = 0; c < EVENT_COLUMNS; c++)
                x[at * EVENT_COLUMNS + c] = all[p].x[i * EVENT_COLUMNS + c];
            y[at] = all[p].y[i];
        }
    struct svr_problem problem = {x, y, rows, EVENT_COLUMNS, COST, EPSILON};
    svr_solve(&problem, TURNS, weights);
    mem_free(x);
    mem_free(y);
}

/* Without its constant, which would give a little to all code that was never seen. */
double event_weights_say(const double weights[EVENT_COLUMNS], const struct event_program *program,
                         const struct event_block *block)
{
    double said = 0;
    for (int e = 0; e < EVENT_ROWS; e++)
        said += weights[e] * block->samples[e] / (block->instructions * program->roots[e]);
    return said > 0 ? said * program->roots[0] : 0;
}
