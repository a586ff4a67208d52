/* What clang reads with -prefetch-hints-file: a sample profile whose call targets are prefetches.
 *
 *     FUNCTION:0:0
 *      LINE.DISCRIMINATOR: 0 __prefetch_t0_0:BYTES
 *      LINE.DISCRIMINATOR: INLINED:0
 *       ...
 *
 * For each load of that place clang inserts a prefetch of its address and so many bytes (of a
 * negative number, its 64 bits). Loads are those that gait fix would prefetch and whose address
 * goes on by a stride. clang -x86-discriminate-memops gives each instruction that names memory a
 * place of its own. Without it, one place may have several: these loads are left out, so that no
 * other load gets their hint. */
#include "analysis/fix/fix.h"
#include "base/err.h"
#include "export/compilers/source_counts_build.h"
#include "export/job/job.h"
#include "program/binary.h"
#include "program/insn/decoded.h"

#include <inttypes.h>

struct hint {
    uint32_t body;
    struct source_place place;
    int64_t bytes;
};

struct hints {
    struct source_counts counts;
    uint32_t shared, nowhere; /* loads left out: their place is not theirs alone, or not known */
    VEC(struct hint);
};

/* ---- which */

static bool place_same(const struct hint *hint, uint32_t body, struct source_place place)
{
    return hint->body == body && !source_place_order(hint->place, place);
}

/* As clang counts them: addresses that are only computed have a place of their own, too. */
static bool names_memory(const struct decoded *decoded)
{
    for (int i = 0; i < decoded->instruction.operand_count_visible; i++)
        if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return true;
    return false;
}

static bool block_shares(struct hints *hints, const struct code_block *block, uint64_t load,
                         const struct hint *hint)
{
    struct decoded decoded;
    for (uint64_t at = block->start, end = at + block->bytes; at < end;
         at += decoded.instruction.length) {
        uint32_t body;
        struct source_place place;
        if (!decoded_read(&hints->counts.code->binary->image, (struct svma){at}, &decoded))
            return true;
        if (at != load && names_memory(&decoded) &&
            source_spot_find(&hints->counts, at, &body, &place) && place_same(hint, body, place))
            return true;
    }
    return false;
}

static bool is_shared(struct hints *hints, uint64_t load, const struct hint *hint)
{
    const struct code_counts *code = hints->counts.code;
    function_id function = symbols_find(&code->binary->symbols, (struct svma){load});
    for (size_t i = 0; i < code->blocks.n; i++)
        if (code->blocks.at[i].function == function &&
            block_shares(hints, &code->blocks.at[i], load, hint))
            return true;
    return false;
}

static void hint_add(struct hints *hints, const struct fix_row *row)
{
    struct hint hint = {.bytes = row->ahead};
    if (!source_spot_find(&hints->counts, row->at, &hint.body, &hint.place))
        hints->nowhere++;
    else if (is_shared(hints, row->at, &hint))
        hints->shared++;
    else
        *vec_push(hints) = hint;
}

/* ---- writing */

/* Bodies that have no hint in or below them are left out. */
static bool body_wanted(const struct hints *hints, uint32_t body)
{
    for (size_t i = 0; i < hints->n; i++)
        for (uint32_t at = hints->at[i].body; at != BODY_NONE;
             at = hints->counts.bodies.at[at].parent)
            if (at == body)
                return true;
    return false;
}

static void place_write(FILE *to, uint32_t depth, struct source_place place)
{
    fprintf(to, "%*s%" PRIu32, (int)depth + 1, "", place.line);
    if (place.discriminator)
        fprintf(to, ".%" PRIu32, place.discriminator);
    fputs(": ", to);
}

/* As deep as functions were inlined into each other, which is bounded. */
static void body_write(FILE *to, const struct hints *hints, uint32_t number)
{
    const struct source_counts *counts = &hints->counts;
    const struct source_body *body = &counts->bodies.at[number];
    fprintf(to, "%s:0%s\n", source_name(counts, body->name), body->parent == BODY_NONE ? ":0" : "");
    for (size_t i = 0; i < hints->n; i++)
        if (hints->at[i].body == number) {
            place_write(to, body->depth, hints->at[i].place);
            fprintf(to, "0 __prefetch_t0_0:%" PRIu64 "\n", (uint64_t)hints->at[i].bytes);
        }
    for (uint32_t i = 0; i < body->n_children; i++) {
        uint32_t child = counts->children[body->first_child + i];
        if (!body_wanted(hints, child))
            continue;
        place_write(to, body->depth, counts->bodies.at[child].site);
        body_write(to, hints, child);
    }
}

static bool hints_lack(const struct hints *hints, const struct export_job *job, struct err *err)
{
    const char *module = job->scene->modules.at[job->code.module].name;
    if (hints->shared)
        return err_set(err, ERR_MISSING,
                       "%s: the %" PRIu32 " loads to prefetch share their places in the source "
                       "with other instructions: build it with clang -g "
                       "-fdebug-info-for-profiling -mllvm -x86-discriminate-memops, and record "
                       "that",
                       module, hints->shared);
    if (hints->nowhere)
        return err_set(err, ERR_MISSING,
                       "%s: no line information for the %" PRIu32 " loads to prefetch: build it "
                       "with clang -g -fdebug-info-for-profiling -mllvm -x86-discriminate-memops",
                       module, hints->nowhere);
    return err_set(err, ERR_MISSING,
                   "%s: no load with a long stride is often far; this needs gait record --events "
                   "edge,call,stack,address,latency",
                   module);
}

bool llvm_prefetch_write(FILE *to, struct export_job *job, struct err *err)
{
    struct hints hints = {.counts = {.code = &job->code, .dialect = &llvm_dialect}};
    struct fixes fixes;
    binary_lines(job->code.binary);
    binary_inlines(job->code.binary);
    source_counts_begin(&hints.counts);
    fixes_make(&fixes, job->scene, 1u << FIX_PREFETCH);
    for (size_t i = 0; i < fixes.n; i++)
        if (fixes.at[i].module == job->code.module && fixes.at[i].ahead)
            hint_add(&hints, &fixes.at[i]);
    fixes_release(&fixes);
    source_counts_sort(&hints.counts);
    for (uint32_t i = 0; i < hints.counts.n_outermost; i++)
        if (body_wanted(&hints, hints.counts.outermost[i]))
            body_write(to, &hints, hints.counts.outermost[i]);
    bool ok = hints.n || hints_lack(&hints, job, err);
    source_counts_end(&hints.counts);
    source_counts_release(&hints.counts);
    vec_release(&hints);
    return ok;
}
