/* Consistent counts for the functions of a module, from infer/.
 *
 * What enters a block leaves it, all instructions of a block have its count, and a function is
 * entered as often as it is called. Deviations stay those of the recorded counts; an unseen count
 * has a deviation as large as itself. A whole exact run keeps its counts: passages that do not fit
 * are counted, not repaired. */
#pragma once

#include "infer/program.h"
#include "analysis/counts/counted.h"
#include "analysis/counts/event_sums.h"

struct inference {
    const struct scene *scene;
    uint32_t side, module;
    enum infer_method method;
    bool whole; /* an exact run that is the truth: nothing to solve */
    struct infer_program program;
    uint32_t *index;          /* by function of the module: its problem, or TIES_NONE */
    function_id *functions;   /* by problem */
    struct event_sums events; /* of INFER_CLASSES */
};

/* Whether the side is an exact run that is the truth already. */
bool inference_is_whole(const struct scene *scene, uint32_t side);

/* Solves all functions of a module, by the scene's method. `functions`: all that any side has seen,
 * shown or not, with counts as recorded; a whole exact run does not read them. The module has a
 * binary. */
void inference_open(struct inference *inference, const struct scene *scene, uint32_t side,
                    uint32_t module, const struct counted_functions *functions);
void inference_close(struct inference *inference);

/* Whether calls to that address are among those of the program, which add up to how often the
 * function there is entered. */
bool inference_calls(const struct inference *inference, uint64_t to);
/* Replaces the recorded counts of one of its functions: blocks, edges, entries and body. */
void inference_apply(const struct inference *inference, struct counted_function *function);
