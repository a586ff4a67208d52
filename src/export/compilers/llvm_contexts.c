/* Blocks and calls in their calling contexts, for llvm-profgen (--perfscript=FILE), which makes a
 * context-sensitive profile of them: CSSPGO, best of programs built with
 * -fpseudo-probe-for-profiling. Its own raw format has no contexts that it could read back for such
 * programs, so they are written as it would get them from hardware: a count, a stack, innermost
 * first, and branches, the latest first. A block from S to E is told by two branches: one that left
 * at E, and one that came to S from elsewhere, so that nobody counts it; a call by itself.
 *
 * Counts are those of the other formats, export/code.h. Which contexts share them, and by how much,
 * is told by what windows went through there (profile->passages), or, where they did not come,
 * anywhere in the function. */
#include "export/job/job.h"
#include "export/compilers/runs.h"

#include "base/err.h"
#include "profile/sums.h"
#include "program/binary.h"
#include "program/insn/disasm.h"

#include <inttypes.h>
#include <stdlib.h>

/* Beyond it compilers do not look. */
enum { FRAMES_MAX = 64 };
/* Where no code is. */
#define ELSEWHERE UINT64_C(0x7fffffff0000)

/* A run that windows went through. */
struct witness {
    function_id function;
    uint64_t start, last;
    uint32_t context; /* node of the passages: the innermost call, or the root */
    uint64_t weight;
};

struct share {
    uint32_t context;
    uint64_t weight;
};

struct teller {
    FILE *to;
    const struct export_job *job;
    const struct stacks *passages;
    struct witnesses {
        VEC(struct witness); /* by function, then start, last, context */
    } witnesses;
    struct opened_runs {
        VEC(struct run); /* whose end is still to come */
    } opened;
    struct shares {
        VEC(struct share); /* of what is being told; by context */
    } shares;
};

static bool is_ours(const struct teller *teller, uint32_t module)
{
    return module != MODULE_NONE &&
           scene_module(teller->job->scene, 0, module) == teller->job->code.module;
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

/* Whether it is one of its function's first two instructions. */
static bool is_early(const struct teller *teller, uint64_t address)
{
    const struct binary *binary = teller->job->code.binary;
    function_id id = symbols_find(&binary->symbols, (struct svma){address});
    if (id == FUNCTION_NONE)
        return false;
    struct svma start = binary->symbols.functions.at[id].start;
    struct instruction first;
    return address == start.v ||
           (disasm_at(&binary->image, start, &first) && address == start.v + first.bytes);
}

/* An address not far behind where control went to, whatever function it is in, for the innermost
 * frame: llvm-profgen does not believe stacks that were taken early in a function, nor at a return
 * or right before. 0: there is none. */
static uint64_t leaf_behind(const struct teller *teller, uint64_t left_to)
{
    enum { FAR = 0x100 };
    const struct image *image = &teller->job->code.binary->image;
    struct instruction here, next;
    for (uint64_t at = left_to; at - left_to < FAR; at += here.bytes) {
        if (!disasm_at(image, (struct svma){at}, &here) ||
            !disasm_at(image, (struct svma){at + here.bytes}, &next))
            return 0;
        if (!is_early(teller, at) && here.kind != INSTRUCTION_RETURN &&
            next.kind != INSTRUCTION_RETURN)
            return at;
    }
    return 0;
}

static bool is_call(const struct teller *teller, uint64_t at)
{
    struct instruction instruction;
    return disasm_at(&teller->job->code.binary->image, (struct svma){at}, &instruction) &&
           (instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_ICALL);
}

static uint64_t return_address(const struct teller *teller, uint64_t call)
{
    struct instruction instruction;
    bool known = disasm_at(&teller->job->code.binary->image, (struct svma){call}, &instruction);
    return known ? call + instruction.bytes : 0;
}

/* Where the context's innermost call returns to, as linked; 0: no call of ours. */
static uint64_t returns_to(const struct teller *teller, uint32_t context)
{
    struct stack_key key = stacks_key(teller->passages, context);
    return is_ours(teller, key.module) ? key.address + 1 : 0;
}

/* It left for elsewhere, which is not counted either. From where a function returned is believed
 * only if it went to its caller. */
static void run_write(const struct teller *teller, const struct run *run, uint32_t context,
                      uint64_t count)
{
    struct instruction last;
    if (!disasm_at(&teller->job->code.binary->image, (struct svma){run->last}, &last))
        return;
    uint64_t behind = last.kind == INSTRUCTION_RETURN ? returns_to(teller, context) : 0;
    uint64_t leaf = behind ? leaf_behind(teller, behind) : ELSEWHERE;
    if (!leaf)
        return;
    fprintf(teller->to, "%" PRIu64 "\n\t%" PRIx64 "\n", count, leaf);
    if (last.kind == INSTRUCTION_CALL || last.kind == INSTRUCTION_ICALL)
        fprintf(teller->to, "\t%" PRIx64 "\n", run->last + last.bytes);
    callers_write(teller, behind ? stacks_key(teller->passages, context).parent : context);
    fprintf(teller->to,
            " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0  0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0\n\n",
            run->last, behind ? behind : ELSEWHERE, ELSEWHERE, run->start);
}

static void call_write(const struct teller *teller, const struct run *call, uint32_t context,
                       uint64_t count)
{
    uint64_t leaf = leaf_behind(teller, call->last);
    uint64_t behind = return_address(teller, call->start);
    if (!leaf || !behind)
        return;
    fprintf(teller->to, "%" PRIu64 "\n\t%" PRIx64 "\n\t%" PRIx64 "\n", count, leaf, behind);
    callers_write(teller, context);
    fprintf(teller->to, " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0\n\n", call->start, call->last);
}

/* ---- who shares a count */

static int witness_order(const void *a, const void *b)
{
    const struct witness *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* A weight lies with its run's last instruction; above it is the first, and above that are calls.
 */
static void witness_add(struct teller *teller, uint32_t node, uint64_t weight)
{
    enum { RUN_DEPTH = 2 };
    if (!weight || teller->passages->depths.at[node] < RUN_DEPTH)
        return;
    struct stack_key last = stacks_key(teller->passages, node);
    struct stack_key start = stacks_key(teller->passages, last.parent);
    const struct symbols *symbols = &teller->job->code.binary->symbols;
    if (is_ours(teller, start.module))
        *vec_push(&teller->witnesses) =
            (struct witness){symbols_find(symbols, (struct svma){start.address}), start.address,
                             last.address, start.parent, weight};
}

static void witnesses_gather(struct teller *teller)
{
    const struct stacks *passages = teller->passages;
    uint64_t *weights = mem_alloc((passages->nodes.n + (size_t)1) * sizeof *weights);
    for (uint32_t i = 0; i < passages->cells.n; i++) {
        const struct stack_cell *cell = map_key(&passages->cells, i);
        sum_add(&weights[cell->node], passages->weights.at[i]);
    }
    for (uint32_t i = 0; i < passages->nodes.n; i++)
        witness_add(teller, i, weights[i]);
    mem_free(weights);
    if (teller->witnesses.n)
        qsort(teller->witnesses.at, teller->witnesses.n, sizeof *teller->witnesses.at,
              witness_order);
}

static size_t witnesses_of(const struct teller *teller, function_id function)
{
    size_t low = 0, high = teller->witnesses.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (teller->witnesses.at[middle].function < function)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void share_add(struct shares *shares, const struct witness *witness)
{
    size_t i = 0;
    while (i < shares->n && shares->at[i].context < witness->context)
        i++;
    if (i == shares->n || shares->at[i].context != witness->context) {
        (void)vec_push(shares);
        memmove(shares->at + i + 1, shares->at + i, (shares->n - 1 - i) * sizeof *shares->at);
        shares->at[i] = (struct share){.context = witness->context};
    }
    sum_add(&shares->at[i].weight, witness->weight);
}

/* Of those that went through it, or else of all of its function. */
static void shares_find(struct teller *teller, uint64_t at)
{
    const struct symbols *symbols = &teller->job->code.binary->symbols;
    function_id function = symbols_find(symbols, (struct svma){at});
    const struct witnesses *witnesses = &teller->witnesses;
    size_t first = witnesses_of(teller, function);
    teller->shares.n = 0;
    for (int anywhere = 0; anywhere < 2 && !teller->shares.n; anywhere++)
        for (size_t i = first; i < witnesses->n && witnesses->at[i].function == function; i++)
            if (anywhere || (witnesses->at[i].start <= at && witnesses->at[i].last >= at))
                share_add(&teller->shares, &witnesses->at[i]);
    if (!teller->shares.n) /* nobody saw who calls it: below the root */
        *vec_push(&teller->shares) = (struct share){.context = 0, .weight = 1};
}

/* Parts that add up to the count. */
static void shares_tell(const struct teller *teller, const struct run *what,
                        void (*write)(const struct teller *, const struct run *, uint32_t,
                                      uint64_t))
{
    u128 all = 0, upto = 0;
    uint64_t told = 0;
    for (size_t i = 0; i < teller->shares.n; i++)
        all += teller->shares.at[i].weight;
    for (size_t i = 0; i < teller->shares.n; i++) {
        upto += teller->shares.at[i].weight;
        uint64_t now =
            (uint64_t)((long double)what->count * (long double)upto / (long double)all + 0.5L);
        if (now > told)
            write(teller, what, teller->shares.at[i].context, now - told);
        told = now > told ? now : told;
    }
}

/* Nothing runs straight on across a call, and llvm-profgen believes no range that does not end in a
 * branch: a block that goes on in the next one is told up to the end of that, which is then told
 * that many times less. */
static void opened_tell(struct teller *teller, uint64_t last)
{
    for (size_t i = 0; i < teller->opened.n; i++) {
        const struct run *opened = &teller->opened.at[i];
        shares_find(teller, opened->start);
        shares_tell(teller, &(struct run){opened->start, last, opened->count}, run_write);
    }
    teller->opened.n = 0;
}

static void opened_add(struct teller *teller, uint64_t start, uint64_t count)
{
    uint64_t before = 0;
    for (size_t i = 0; i < teller->opened.n; i++)
        before += teller->opened.at[i].count;
    if (count > before)
        *vec_push(&teller->opened) = (struct run){.start = start, .count = count - before};
}

static bool leaves(const struct instruction *instruction)
{
    switch (instruction->kind) {
    case INSTRUCTION_COND:
    case INSTRUCTION_JUMP:
    case INSTRUCTION_IJUMP:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_RETURN: return true;
    default: return false;
    }
}

/* `at`: where the block before ended; what came from there goes on only here. */
static void block_tell(struct teller *teller, const struct code_block *block, uint64_t *at)
{
    struct instruction instruction;
    if (*at != block->start)
        teller->opened.n = 0;
    bool begins = true; /* nops, which only fill gaps, are nothing that llvm-profgen knows */
    for (*at = block->start; *at <= block->last; *at += instruction.bytes) {
        if (!disasm_at(&teller->job->code.binary->image, (struct svma){*at}, &instruction))
            return;
        if (begins && !instruction.nop) {
            opened_add(teller, *at, block->count);
            begins = false;
        }
        if (leaves(&instruction)) {
            opened_tell(teller, *at);
            begins = true;
        }
    }
}

bool llvm_contexts_write(FILE *to, struct export_job *job, struct err *err)
{
    struct teller teller = {.to = to, .job = job, .passages = &job->profile->passages};
    struct branches branches;
    witnesses_gather(&teller);
    bool any = teller.witnesses.n;
    uint64_t at = 0;
    for (size_t i = 0; any && i < job->code.blocks.n; i++)
        block_tell(&teller, &job->code.blocks.at[i], &at);
    branches_make(&branches, &job->code);
    for (size_t i = 0; any && i < branches.n; i++) {
        struct run call = {branches.at[i].from, branches.at[i].to, branches.at[i].count};
        if (call.start == BRANCH_ELSEWHERE || !is_call(&teller, call.start))
            continue;
        shares_find(&teller, call.start);
        shares_tell(&teller, &call, call_write);
    }
    branches_release(&branches);
    vec_release(&teller.witnesses);
    vec_release(&teller.shares);
    vec_release(&teller.opened);
    return any ||
           err_set(err, ERR_MISSING,
                   "the profile has no calling contexts of this module: record walks with stacks");
}
