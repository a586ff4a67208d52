#include "program/unwind/unwind_derive.h"

#include "base/map.h"
#include "program/elf/image.h"
#include "program/elf/symtab.h"
#include "program/unwind/unwind.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

/* A file without any entries may be large; a stack through it is worth 80 ms. */
enum { INSTRUCTIONS_MAX = 100000, WAYS_MAX = 4096, HEIGHT_MAX = 1 << 24 };

/* What is known before an instruction. Heights are distances down from the CFA. */
struct state {
    int32_t height; /* of rsp; 0: not known, then the frame pointer is */
    int32_t frame;  /* of rbp, when it is a frame pointer; else 0 */
    uint32_t saved; /* bit r: register r is at CFA - slot[r] */
    int32_t slot[UNWIND_REGISTERS];
};
struct way {
    uint64_t at;
    struct state state;
};

struct reader {
    const struct unwind *unwind; /* code that has rules already; NULL: none */
    uint64_t low, high;          /* nothing outside is read */
    const struct image *image;
    struct deriveds *deriveds;
    struct map seen;                   /* addresses of instructions */
    struct map starts;                 /* of functions */
    struct derive_functions functions; /* those of the symbol table first, by start */
    size_t n_symbols;
    struct ways {
        VEC(struct way);
    } ways;
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* ---- state */

/* DWARF's number of a register that callees keep, or -1. */
static int kept_register(ZydisRegister reg)
{
    switch (reg) {
    case ZYDIS_REGISTER_RBX: return UNWIND_RBX;
    case ZYDIS_REGISTER_RBP: return UNWIND_RBP;
    case ZYDIS_REGISTER_R12: return 12;
    case ZYDIS_REGISTER_R13: return 13;
    case ZYDIS_REGISTER_R14: return 14;
    case ZYDIS_REGISTER_R15: return 15;
    default: return -1;
    }
}

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister reg)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == reg;
}

static void state_push(struct state *state, ZydisRegister reg)
{
    int number = kept_register(reg);
    state->height += 8;
    if (number >= 0 && !(state->saved >> number & 1)) {
        state->saved |= 1u << number;
        state->slot[number] = state->height;
    }
}

static void state_pop(struct state *state, ZydisRegister reg)
{
    int number = kept_register(reg);
    if (number >= 0 && state->slot[number] == state->height)
        state->saved &= ~(1u << number);
    if (number == UNWIND_RBP)
        state->frame = 0;
    state->height -= 8;
}

/* rsp = rsp or rbp, plus a constant. */
static bool state_move(struct state *state, ZydisRegister from, int64_t add)
{
    int64_t base = from == ZYDIS_REGISTER_RSP   ? state->height
                   : from == ZYDIS_REGISTER_RBP ? state->frame
                                                : 0;
    if (!base || add <= -HEIGHT_MAX || add >= HEIGHT_MAX)
        return false;
    state->height = (int32_t)(base - add);
    return true;
}

/* rsp gets a value that is not followed: the frame is known by rbp from now on, if at all. */
static bool state_lose(struct state *state)
{
    state->height = 0;
    return state->frame != 0;
}

static bool writes(const struct reader *reader, ZydisRegister reg)
{
    for (size_t i = 0; i < reader->instruction.operand_count; i++)
        if ((reader->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
            reader->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
                                             reader->operands[i].reg.value) == reg)
            return true;
    return false;
}

/* What the instruction writes to rsp or rbp in one of the ways that frames are made and left by. */
static bool state_frame(const struct reader *reader, struct state *state, bool *ret_ok)
{
    const ZydisDecodedOperand *to = &reader->operands[0], *from = &reader->operands[1];
    bool to_rsp = is_register(to, ZYDIS_REGISTER_RSP);
    *ret_ok = true;
    switch (reader->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_ADD:
        if (!to_rsp || from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
            return false;
        *ret_ok =
            state_move(state, ZYDIS_REGISTER_RSP,
                       reader->instruction.mnemonic == ZYDIS_MNEMONIC_ADD ? from->imm.value.s
                                                                          : -from->imm.value.s);
        return true;
    case ZYDIS_MNEMONIC_LEA:
        if (!to_rsp || from->mem.index != ZYDIS_REGISTER_NONE)
            return false;
        *ret_ok = state_move(state, from->mem.base, from->mem.disp.value);
        return true;
    case ZYDIS_MNEMONIC_MOV:
        if (to_rsp && is_register(from, ZYDIS_REGISTER_RBP)) {
            *ret_ok = state_move(state, ZYDIS_REGISTER_RBP, 0);
            return true;
        }
        if (!is_register(to, ZYDIS_REGISTER_RBP) || !is_register(from, ZYDIS_REGISTER_RSP))
            return false;
        state->frame = state->height;
        return true;
    case ZYDIS_MNEMONIC_LEAVE:
        *ret_ok = state_move(state, ZYDIS_REGISTER_RBP, 0);
        state_pop(state, ZYDIS_REGISTER_RBP);
        return true;
    default: return false;
    }
}

/* False: nothing is known behind the instruction. */
static bool state_step(const struct reader *reader, struct state *state)
{
    bool ok;
    ZydisRegister reg = reader->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER
                            ? reader->operands[0].reg.value
                            : ZYDIS_REGISTER_NONE;
    switch (reader->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CALL: return true;
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
        if (!state->height)
            return true;
        state_push(state, reg);
        return state->height < HEIGHT_MAX;
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_POPFQ:
        if (reg == ZYDIS_REGISTER_RSP || (!state->height && reg == ZYDIS_REGISTER_RBP))
            return false;
        if (state->height)
            state_pop(state, reg);
        return !state->height || state->height >= 8;
    default: break;
    }
    if (state_frame(reader, state, &ok))
        return ok && state->height >= 8 && state->height < HEIGHT_MAX;
    if (writes(reader, ZYDIS_REGISTER_RSP) && !state_lose(state))
        return false;
    if (writes(reader, ZYDIS_REGISTER_RBP))
        state->frame = 0;
    return state->height || state->frame;
}

static struct unwind_rule state_rule(const struct state *state)
{
    struct unwind_rule rule = {.cfa = CFA_REGISTER, .derived = true};
    rule.cfa_register = state->height ? UNWIND_RSP : UNWIND_RBP;
    rule.number = state->height ? state->height : state->frame;
    rule.columns = state->saved | 1u << UNWIND_RIP;
    for (uint32_t left = state->saved; left; left &= left - 1) {
        int number = __builtin_ctz(left);
        rule.column[number] = -state->slot[number] * (1 << COLUMN_BITS) + COLUMN_AT;
    }
    rule.column[UNWIND_RIP] = -8 * (1 << COLUMN_BITS) + COLUMN_AT;
    return rule;
}

/* ---- functions */

static bool has_rule(const struct reader *reader, uint64_t at)
{
    return reader->unwind && unwind_find(reader->unwind, (struct svma){at});
}

static void function_add(struct reader *reader, uint64_t start, uint64_t end)
{
    uint32_t known = reader->starts.n;
    if (start - reader->low < reader->high - reader->low &&
        image_executable(reader->image, (struct svma){start}) && !has_rule(reader, start) &&
        map_add(&reader->starts, &start) == known)
        *vec_push(&reader->functions) = (struct derive_function){.start = start, .end = end};
}

/* Where a function that was only seen called ends at the latest: where the next symbol starts. */
static uint64_t next_symbol(const struct reader *reader, uint64_t at)
{
    size_t low = 0, high = reader->n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->functions.at[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reader->n_symbols ? reader->functions.at[low].start : UINT64_MAX;
}

void derive_functions_read(struct derive_functions *functions, const struct image *image,
                           struct svma low, struct svma high)
{
    struct symtab symtab;
    symtab_read_between(&symtab, image, low, high);
    for (size_t i = 0; i < symtab.n; i++) {
        const struct symbol *symbol = &symtab.at[i];
        if (i && symbol[-1].start.v == symbol->start.v)
            continue;
        /* Jumped into from the middle of another function, not called. */
        if (strstr(symbol->name, ".cold"))
            continue;
        uint64_t end = symbol->bytes ? symbol->start.v + symbol->bytes : UINT64_MAX;
        for (size_t next = i + 1; end == UINT64_MAX && next < symtab.n; next++)
            if (symtab.at[next].start.v > symbol->start.v)
                end = symtab.at[next].start.v;
        *vec_push(functions) = (struct derive_function){symbol->start.v, end, symbol->bytes != 0};
    }
    symtab_release(&symtab);
}

/* ---- reading */

static bool way_decode(struct reader *reader, uint64_t at)
{
    size_t room;
    const uint8_t *bytes = image_bytes(reader->image, (struct svma){at}, &room);
    return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&reader->decoder, bytes, room,
                                                        &reader->instruction, reader->operands));
}

static void way_push(struct reader *reader, uint64_t at, const struct state *state)
{
    if (reader->ways.n < WAYS_MAX)
        *vec_push(&reader->ways) = (struct way){at, *state};
}

/* Where the way goes on, or 0. */
static uint64_t way_next(struct reader *reader, uint64_t at, const struct state *state)
{
    const ZydisDecodedInstruction *got = &reader->instruction;
    uint64_t behind = at + got->length, target = 0;
    bool direct = reader->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                  reader->operands[0].imm.is_relative;
    if (direct)
        target = behind + (uint64_t)reader->operands[0].imm.value.s;
    switch (got->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        if (target)
            way_push(reader, target, state);
        return behind;
    case ZYDIS_CATEGORY_UNCOND_BR: return target;
    case ZYDIS_CATEGORY_RET: return 0;
    case ZYDIS_CATEGORY_CALL:
        if (target)
            function_add(reader, target, 0);
        return behind;
    default: break;
    }
    if (got->mnemonic == ZYDIS_MNEMONIC_LEA && reader->operands[1].mem.base == ZYDIS_REGISTER_RIP)
        function_add(reader, behind + (uint64_t)reader->operands[1].mem.disp.value, 0);
    bool ends = got->mnemonic == ZYDIS_MNEMONIC_HLT || got->mnemonic == ZYDIS_MNEMONIC_UD2;
    return ends ? 0 : behind;
}

/* What is called elsewhere is no part of this function: it came behind a call that does not return.
 */
static bool is_inside(const struct reader *reader, const struct derive_function *function,
                      uint64_t at)
{
    return at >= function->start && at < function->end &&
           (at == function->start || map_find(&reader->starts, &at) == MAP_NONE) &&
           !has_rule(reader, at);
}

static void way_follow(struct reader *reader, const struct derive_function *function,
                       struct way way)
{
    while (is_inside(reader, function, way.at) && reader->deriveds->n < INSTRUCTIONS_MAX) {
        uint32_t known = reader->seen.n;
        if (map_add(&reader->seen, &way.at) != known || !way_decode(reader, way.at))
            return;
        *vec_push(reader->deriveds) =
            (struct derived){{way.at}, reader->instruction.length, state_rule(&way.state)};
        if (!state_step(reader, &way.state))
            return;
        way.at = way_next(reader, way.at, &way.state);
    }
}

static void function_read(struct reader *reader, size_t i)
{
    struct derive_function function = reader->functions.at[i];
    if (!function.end)
        function.end = next_symbol(reader, function.start);
    if (function.end > reader->high)
        function.end = reader->high;
    way_push(reader, function.start, &(struct state){.height = 8});
    while (reader->ways.n) {
        reader->ways.n--;
        way_follow(reader, &function, reader->ways.at[reader->ways.n]);
    }
}

static int derived_order(const void *a, const void *b)
{
    const struct derived *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

/* Bytes of no function, read as if they were, may overlap others: the first start wins. */
static void deriveds_sort(struct deriveds *deriveds)
{
    size_t kept = 0;
    if (deriveds->n)
        qsort(deriveds->at, deriveds->n, sizeof *deriveds->at, derived_order);
    for (size_t i = 0; i < deriveds->n; i++)
        if (!kept || deriveds->at[i].start.v >=
                         deriveds->at[kept - 1].start.v + deriveds->at[kept - 1].bytes)
            deriveds->at[kept++] = deriveds->at[i];
    deriveds->n = kept;
}

static void derive(struct reader *reader, const struct derive_function *functions, size_t n)
{
    *reader->deriveds = (struct deriveds){0};
    map_init(&reader->seen, sizeof(uint64_t));
    map_init(&reader->starts, sizeof(uint64_t));
    ZydisDecoderInit(&reader->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t i = 0; i < n; i++)
        function_add(reader, functions[i].start, functions[i].end);
    reader->n_symbols = reader->functions.n;
    /* Twice: at first not all starts are known. */
    for (int pass = 0; pass < 2; pass++) {
        map_clear(&reader->seen);
        reader->deriveds->n = 0;
        for (size_t i = 0; i < reader->functions.n; i++)
            function_read(reader, i);
    }
    deriveds_sort(reader->deriveds);
    map_release(&reader->seen);
    map_release(&reader->starts);
    vec_release(&reader->functions);
    vec_release(&reader->ways);
}

void unwind_derive(struct deriveds *deriveds, const struct unwind *unwind,
                   const struct image *image)
{
    struct derive_functions functions = {0};
    derive_functions_read(&functions, image, (struct svma){0}, (struct svma){UINT64_MAX});
    struct reader reader = {
        .unwind = unwind, .high = UINT64_MAX, .image = image, .deriveds = deriveds};
    derive(&reader, functions.at, functions.n);
    vec_release(&functions);
}

void unwind_derive_functions(struct deriveds *deriveds, const struct image *image,
                             const struct derive_function *functions, size_t n, struct svma low,
                             struct svma high)
{
    struct reader reader = {.low = low.v, .high = high.v, .image = image, .deriveds = deriveds};
    derive(&reader, functions, n);
}

void deriveds_release(struct deriveds *deriveds)
{
    vec_release(deriveds);
}
