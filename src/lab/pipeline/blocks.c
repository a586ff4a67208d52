#include "lab/pipeline/blocks.h"

#include "base/err.h"
#include "model/core/core.h"
#include "model/core/insn.h"
#include "lab/pipeline/block_values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COPIES_MOST = 150, /* of a short block; what is longer fills as many bytes as these */
    CODE_BYTES = 3072,
    BLOCK_MOST = 4096,
};

static const uint64_t fill = 0x10000000, code_at = 0x400000;

static bool hex_read(const char *text, size_t digits, uint8_t *to)
{
    for (size_t i = 0; i < digits; i += 2) {
        unsigned byte;
        if (!isxdigit((unsigned char)text[i]) || !isxdigit((unsigned char)text[i + 1]) ||
            sscanf(text + i, "%2x", &byte) != 1)
            return false;
        to[i / 2] = (uint8_t)byte;
    }
    return true;
}

static bool line_read(char *line, uint32_t number, struct blocks *blocks)
{
    char *comma = strchr(line, ','), *end;
    size_t digits = comma ? (size_t)(comma - line) : 0;
    if (!digits || digits % 2 || digits / 2 > BLOCK_MOST)
        return false;
    double measured = strtod(comma + 1, &end);
    if (end == comma + 1 || !(measured > 0) || measured > 1e9 || end[strspn(end, " \t\r\n")])
        return false;
    uint8_t *bytes = mem_alloc(digits / 2);
    if (!hex_read(line, digits, bytes)) {
        mem_free(bytes);
        return false;
    }
    *vec_push(blocks) = (struct block){
        .line = number, .bytes = bytes, .n = (uint32_t)(digits / 2), .measured = measured};
    return true;
}

/* An empty line, a comment, or names of columns at the top. */
static bool is_aside(const char *line, unsigned number)
{
    const char *text = line + strspn(line, " \t\r\n");
    return !*text || *text == '#' || (number == 1 && !strpbrk(text, "0123456789"));
}

bool blocks_read(const char *path, struct blocks *ret_blocks, struct err *err)
{
    struct blocks blocks = {0};
    FILE *from = fopen(path, "re");
    if (!from)
        return err_errno(err, "%s", path);
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    for (unsigned n = 1; good && getline(&line, &room, from) > 0; n++)
        if (!is_aside(line, n) && !line_read(line, n, &blocks))
            good = err_set(err, ERR_FORMAT, "%s:%u: not HEX,CYCLES", path, n);
    if (good && ferror(from))
        good = err_errno(err, "%s", path);
    if (good && !blocks.n)
        good = err_set(err, ERR_FORMAT, "%s: no block in it: lines of HEX,CYCLES are wanted", path);
    free(line);
    fclose(from);
    if (!good) {
        blocks_release(&blocks);
        return false;
    }
    *ret_blocks = blocks;
    return true;
}

void blocks_release(struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->n; i++)
        mem_free(blocks->at[i].bytes);
    vec_release(blocks);
}

struct piece {
    struct core_insn insn;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

struct pieces {
    VEC(struct piece);
    bool loop; /* ends in a branch to its own start */
};

/* A line whose block goes back to its own start is a loop: it stands once, and is gone through many
 * times. */
static bool is_loop(const struct pieces *pieces, uint32_t bytes)
{
    const struct piece *last = &pieces->at[pieces->n - 1];
    const ZydisDecodedOperand *to = &last->operands[0];
    return (last->insn.kind == INSN_COND || last->insn.kind == INSN_JUMP) &&
           to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && to->imm.value.s == -(int64_t)bytes;
}

static bool pieces_make(struct pieces *pieces, const struct block *block, const struct model *model)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (uint32_t at = 0; at < block->n;) {
        struct piece *piece = vec_push(pieces);
        if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, block->bytes + at, block->n - at,
                                               &piece->instruction, piece->operands)) ||
            !core_insn_make(model, block->bytes + at, block->n - at, &piece->insn))
            return false;
        at += piece->insn.length;
    }
    pieces->loop = pieces->n && is_loop(pieces, block->n);
    return true;
}

/* All copies from the start; the times when the last of each third retires. */
static void copies_run(const struct pieces *pieces, struct core *core, uint32_t copies,
                       uint64_t ret_thirds[3])
{
    static struct block_values values;
    struct core_times times = {0};
    uint64_t at = code_at;
    block_values_init(&values, fill);
    for (uint32_t copy = 0; copy < 3 * copies; copy++) {
        for (size_t i = 0; i < pieces->n; i++) {
            const struct piece *piece = &pieces->at[i];
            bool back = pieces->loop && i == pieces->n - 1;
            struct core_fact fact = {
                .at = {at}, .next = {back ? code_at : at + piece->insn.length}, .taken = back};
            block_values_step(&values, &piece->instruction, piece->operands, at, &fact.address.v,
                              &fact.value_bits);
            fact.physical = FRAME_BYTES + fact.address.v % FRAME_BYTES;
            core_step(core, &piece->insn, &fact, &times);
            at = fact.next.v;
        }
        ret_thirds[copy / copies] = times.retire;
    }
}

/* What the last third of thrice the copies takes, the second time: caches have been filled. */
static double pieces_run(const struct pieces *pieces, const struct model *model, uint32_t copies)
{
    struct core *core = core_make(model);
    uint64_t thirds[3];
    copies_run(pieces, core, copies, thirds);
    copies_run(pieces, core, copies, thirds);
    core_free(core);
    return (double)(thirds[2] - thirds[1]) / copies;
}

static uint32_t copies_of(const struct block *block)
{
    uint32_t copies = CODE_BYTES / block->n;
    return copies > COPIES_MOST ? COPIES_MOST : copies < 2 ? 2 : copies;
}

/* How far a time of all copies is from a multiple of the step, in steps. */
static double step_miss(const struct block *block, uint32_t step)
{
    double steps = block->measured * copies_of(block) / step;
    return fabs(steps - round(steps)) / (steps > 1 ? 1 + steps / 20 : 1);
}

static double step_misses(const struct blocks *blocks, uint32_t step, size_t *ret_near)
{
    double sum = 0;
    size_t near = 0;
    for (size_t i = 0; i < blocks->n; i++) {
        double miss = step_miss(&blocks->at[i], step);
        near += miss < 0.05;
        sum += miss;
    }
    *ret_near = near;
    return sum;
}

/* The largest step of which nearly all are near to multiples; of those about as large, the one that
 * fits best. */
static uint32_t clock_step_find(const struct blocks *blocks)
{
    enum { STEP_MOST = 200, STEP_LEAST = 8, BLOCKS_LEAST = 20 };
    uint32_t found = 1, least = STEP_LEAST;
    double best = INFINITY;
    for (uint32_t step = STEP_MOST; blocks->n >= BLOCKS_LEAST && step >= least; step--) {
        size_t near;
        double misses = step_misses(blocks, step, &near);
        if (near * 10 < blocks->n * 9)
            continue;
        if (found == 1)
            least = step - step / 8;
        if (misses < best) {
            best = misses;
            found = step;
        }
    }
    return found;
}

static double reading_of(const struct block *block, uint32_t step)
{
    double copies = copies_of(block);
    /* A clock that shows nothing at all was not written down. */
    double steps = floor(block->cycles * copies / step + 0.5);
    return step > 1 ? (steps < 1 ? 1 : steps) * step / copies : block->cycles;
}

static void block_foretell(struct block *block, const struct pieces *pieces,
                           const struct model *model, uint32_t step)
{
    block->instructions = (uint32_t)pieces->n;
    for (size_t i = 0; i < pieces->n; i++) {
        block->loads |= (pieces->at[i].insn.flags & INSN_LOAD) != 0;
        block->stores |= (pieces->at[i].insn.flags & INSN_STORE) != 0;
    }
    block->cycles = pieces_run(pieces, model, copies_of(block));
    block->reading = reading_of(block, step);
}

void blocks_foretell(struct blocks *blocks, const struct model *model)
{
    blocks->clock_step = clock_step_find(blocks);
    for (size_t i = 0; i < blocks->n; i++) {
        struct pieces pieces = {0};
        if (pieces_make(&pieces, &blocks->at[i], model))
            block_foretell(&blocks->at[i], &pieces, model, blocks->clock_step);
        else
            blocks->unread++;
        vec_release(&pieces);
    }
}

static bool is_of(const struct block *block, enum block_group group)
{
    switch (group) {
    case BLOCKS_NO_MEMORY: return !block->loads && !block->stores;
    case BLOCKS_LOADS: return block->loads && !block->stores;
    case BLOCKS_STORES: return block->stores;
    default: return true;
    }
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void blocks_errors(const struct blocks *blocks, enum block_group group, enum block_part part,
                   struct block_errors *ret_errors)
{
    struct block_errors errors = {.reading = 0};
    struct {
        VEC(double);
    } each = {0};
    for (size_t i = 0; i < blocks->n; i++) {
        const struct block *block = &blocks->at[i];
        bool other = part != BLOCKS_BOTH && (block->line % 2 == 0) != (part == BLOCKS_EVEN);
        if (!block->instructions || other || !is_of(block, group))
            continue;
        double error = fabs(block->reading - block->measured) / block->measured;
        *vec_push(&each) = error;
        errors.reading += error;
        errors.cycles += fabs(block->cycles - block->measured) / block->measured;
    }
    if (each.n)
        qsort(each.at, each.n, sizeof *each.at, number_order);
    errors.n = each.n;
    errors.reading = each.n ? errors.reading / (double)each.n : (double)NAN;
    errors.cycles = each.n ? errors.cycles / (double)each.n : (double)NAN;
    errors.median = each.n ? each.at[each.n / 2] : (double)NAN;
    vec_release(&each);
    *ret_errors = errors;
}
