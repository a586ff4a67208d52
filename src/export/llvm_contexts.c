/* Straight runs in their calling contexts, for llvm-profgen (--perfscript=FILE), which makes a context-sensitive profile
 * of them: CSSPGO, best of programs built with -fpseudo-probe-for-profiling. Its own raw format has no contexts that
 * it could read back for such programs, so runs are written as it would get them from hardware: a count, a stack,
 * innermost first, and branches, the latest first.
 *
 * A run from S to E is told by two branches: one that left at E, and one that came to S before. What llvm-profgen counts is
 * the run, in the context of the stack, and branches that are calls. So that each is counted once, the one that came is always from
 * elsewhere. */
#include "export/export.h"

#include "base/err.h"
#include "profile/sums.h"
#include "program/binary.h"
#include "program/disasm.h"
#include "view/estimate.h"

#include <inttypes.h>

/* Beyond it compilers do not look. */
enum { FRAMES_MAX = 64 };
/* Where no code is. */
#define ELSEWHERE UINT64_C(0x7fffffff0000)

/* One run with all of its weight. */
struct told_run {
    uint32_t context; /* node of the passages: the innermost call, or the root */
    uint64_t start, last;
    uint64_t to; /* 0: elsewhere */
    uint64_t weight;
};

struct teller {
    FILE *to;
    const struct export_job *job;
    const struct stacks *passages;
    double scale; /* executions that one unit of weight stands for */
    uint64_t told;
};

static bool is_ours(const struct teller *teller, uint32_t module)
{
    return module != MODULE_NONE &&
           scene_module(teller->job->scene, 0, module) == teller->job->code.module;
}

/* Where the context's innermost call returns to, as linked; 0: no call of ours. */
static uint64_t returns_to(const struct teller *teller, uint32_t context)
{
    struct stack_key key = stacks_key(teller->passages, context);
    return is_ours(teller, key.module) ? key.address + 1 : 0;
}

/* Callers, the innermost first; those elsewhere end what llvm-profgen can use. */
static void callers_write(const struct teller *teller, uint32_t context)
{
    for (int n = 0; n < FRAMES_MAX; n++) {
        struct stack_key key = stacks_key(teller->passages, context);
        if (key.parent == STACK_NONE)
            return;
        bool ours = is_ours(teller, key.module);
        fprintf(teller->to, "\t%" PRIx64 "\n", ours ? key.address + 1 : ELSEWHERE);
        if (!ours)
            return;
        context = key.parent;
    }
}

static bool starts_function(const struct teller *teller, uint64_t address)
{
    const struct symbols *symbols = &teller->job->code.binary->symbols;
    function_id id = symbols_find(symbols, (struct svma){address});
    return id != FUNCTION_NONE && symbols->functions.at[id].start.v == address;
}

/* An address not far behind where the run left to, whatever function it is in, for the innermost frame: llvm-profgen
 * does not believe stacks that were taken in a function's first two instructions, nor at a return or right before. 0: there is none. */
static uint64_t leaf_behind(const struct teller *teller, uint64_t left_to)
{
    enum { FIRST = 2, FAR = 0x100 };
    const struct image *image = &teller->job->code.binary->image;
    struct instruction here, next;
    int first = 0;
    for (uint64_t at = left_to; at - left_to < FAR; at += here.bytes) {
        if (!disasm_at(image, (struct svma){at}, &here) ||
            !disasm_at(image, (struct svma){at + here.bytes}, &next))
            return 0;
        if (starts_function(teller, at))
            first = FIRST;
        if (!first && here.kind != INSTRUCTION_RETURN && next.kind != INSTRUCTION_RETURN)
            return at;
        first -= first > 0;
    }
    return 0;
}

static void run_write(struct teller *teller, const struct told_run *run)
{
    struct instruction last;
    uint64_t count = (uint64_t)((double)run->weight * teller->scale + 0.5);
    if (!count || !disasm_at(&teller->job->code.binary->image, (struct svma){run->last}, &last))
        return;
    bool returns = last.kind == INSTRUCTION_RETURN;
    uint64_t left_to = returns ? returns_to(teller, run->context) : run->to ? run->to : run->last;
    if (!left_to)
        return; /* nobody is known to whom it returned */
    uint64_t leaf = leaf_behind(teller, left_to);
    if (!leaf)
        return;
    fprintf(teller->to, "%" PRIu64 "\n\t%" PRIx64 "\n", count, leaf);
    if (last.kind == INSTRUCTION_CALL || last.kind == INSTRUCTION_ICALL)
        fprintf(teller->to, "\t%" PRIx64 "\n", run->last + last.bytes);
    callers_write(teller,
                  returns ? stacks_key(teller->passages, run->context).parent : run->context);
    fprintf(teller->to,
            " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0  0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0\n\n",
            run->last, left_to, ELSEWHERE, run->start);
    teller->told++;
}

/* A weight lies with where its run went; above it are the run's last instruction and its first, and above those calls. */
static void passage_write(struct teller *teller, uint32_t node, uint64_t weight)
{
    enum { RUN_DEPTH = 3 };
    if (teller->passages->depths.at[node] < RUN_DEPTH)
        return;
    struct stack_key to = stacks_key(teller->passages, node);
    struct stack_key last = stacks_key(teller->passages, to.parent);
    struct stack_key start = stacks_key(teller->passages, last.parent);
    if (is_ours(teller, start.module))
        run_write(teller, &(struct told_run){.context = start.parent,
                                             .start = start.address,
                                             .last = last.address,
                                             .to = is_ours(teller, to.module) ? to.address : 0,
                                             .weight = weight});
}

bool llvm_contexts_write(FILE *to, struct export_job *job, struct err *err)
{
    const struct tally one = {.count = UINT32_MAX};
    struct teller teller = {.to = to,
                            .job = job,
                            .passages = &job->profile->passages,
                            .scale = estimate_count(job->profile, &one).value / (double)UINT32_MAX};
    uint32_t n = teller.passages->nodes.n;
    uint64_t *weights = mem_alloc((n + (size_t)1) * sizeof *weights);
    for (uint32_t i = 0; i < teller.passages->cells.n; i++) {
        const struct stack_cell *cell = map_key(&teller.passages->cells, i);
        sum_add(&weights[cell->node], teller.passages->weights.at[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (weights[i])
            passage_write(&teller, i, weights[i]);
    mem_free(weights);
    return teller.told ||
           err_set(err, ERR_MISSING,
                   "the profile has no calling contexts of this module: record walks with stacks");
}
