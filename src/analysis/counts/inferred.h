/* Counts of a module's functions made consistent: what infer/ says of them, put in their place.
 *
 * What enters a block leaves it, all instructions of a block have its count, and a function is
 * entered as often as it is called. Deviations stay those of what was seen; a count that was not
 * seen at all is known to itself. What a whole exact run counted stays as it is: passages that do
 * not fit are told, not mended. */
#pragma once

#include "infer/program.h"
#include "analysis/counts/flow.h"

struct inference {
    const struct scene *scene;
    uint32_t side, module;
    enum infer_method method;
    bool whole; /* an exact run that is the truth: nothing to solve */
    struct infer_program program;
    uint32_t *index;        /* by function of the module: its problem, or TIES_NONE */
    function_id *functions; /* by problem */
};

/* All functions of the module that the side has seen, filtered out or not. It has a binary. */
void inference_open(struct inference *inference, const struct scene *scene, uint32_t side,
                    uint32_t module, enum infer_method method);
void inference_close(struct inference *inference);

/* Whether calls to that address are among those of the program, which add up to how often the
 * function there is entered. */
bool inference_calls(const struct inference *inference, uint64_t to);
/* Blocks, edges, entries and bodies of one of its functions; flow and graph are as the scene makes
 * them. */
void inference_apply(const struct inference *inference, struct flow *flow,
                     const struct scene_function *function, const struct cfg *cfg);
