#include "analysis/values/register_uses.h"

#include "analysis/values/value_forgets.h"
#include "base/map.h"
#include "base/vec.h"
#include "program/elf/image.h"
#include "program/insn/decoded.h"
#include "wire/payload.h"

#include <string.h>

enum { INSTRUCTIONS_MOST = 3000, CALLS_DEEP = 2, NOT_TRACKED = USED_REGISTERS };

/* Where the search goes on, and what was written on every way to it. */
struct front {
    uint64_t at;
    uint32_t written;
};

struct search {
    const struct image *image;
    struct register_uses *uses;
    struct map known; /* addresses */
    struct {
        VEC(uint32_t);
    } written; /* by known address */
    struct {
        VEC(struct front);
    } fronts;
    uint32_t depth, instructions;
};

static uint32_t number_of(ZydisRegister reg)
{
    ZydisRegister whole =
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg); /* zmm of xmm */
    ZydisRegisterClass class = ZydisRegisterGetClass(whole);
    ZyanI8 id = ZydisRegisterGetId(whole);
    if (class == ZYDIS_REGCLASS_GPR64)
        return (uint32_t)id;
    bool vector = class >= ZYDIS_REGCLASS_XMM && class <= ZYDIS_REGCLASS_ZMM;
    return vector && id < 16 ? PAYLOAD_XMM + (uint32_t)id : NOT_TRACKED;
}

static void read_note(struct search *search, const struct decoded *decoded, ZydisRegister reg,
                      uint32_t written)
{
    uint32_t number = number_of(reg);
    if (number == NOT_TRACKED || (written >> number & 1))
        return;
    struct value_form *form = &search->uses->forms[number];
    if (number >= PAYLOAD_XMM) {
        const char *name = ZydisMnemonicGetString(decoded->instruction.mnemonic);
        size_t n = strlen(name);
        bool single = n > 2 && !strcmp(name + n - 2, "ss");
        if (!form->bytes || single)
            *form =
                single ? (struct value_form){VALUE_FLOAT, 4} : (struct value_form){VALUE_DOUBLE, 8};
        return;
    }
    uint8_t bytes = (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8);
    if (bytes > form->bytes)
        *form = (struct value_form){VALUE_INTEGER, bytes};
}

/* Reads what the instruction reads, and returns what is written after it. */
static uint32_t instruction_note(struct search *search, const struct decoded *decoded,
                                 uint32_t written)
{
    uint32_t after = written;
    bool forgets = value_forgets(decoded);
    for (int i = 0; i < decoded->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            read_note(search, decoded, operand->mem.base, written);
            read_note(search, decoded, operand->mem.index, written);
        }
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) && !forgets)
            read_note(search, decoded, operand->reg.value, written);
        uint32_t number = number_of(operand->reg.value);
        if ((operand->actions & ZYDIS_OPERAND_ACTION_WRITE) && number != NOT_TRACKED)
            after |= 1u << number;
    }
    return after;
}

/* What a way adds to those that came there before; nothing, if it has written no less. */
static void front_add(struct search *search, uint64_t at, uint32_t written)
{
    uint32_t n = search->known.n, index = map_add(&search->known, &at);
    if (index == n)
        *vec_push(&search->written) = written;
    else if (!(search->written.at[index] & ~written))
        return;
    search->written.at[index] &= written;
    *vec_push(&search->fronts) = (struct front){at, search->written.at[index]};
}

static void uses_find(struct register_uses *uses, const struct image *image, uint64_t from,
                      uint32_t depth);

static uint32_t call_note(struct search *search, const struct decoded *decoded, uint64_t at,
                          uint32_t written)
{
    ZyanU64 target = 0;
    if (search->depth < CALLS_DEEP && decoded->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        ZYAN_SUCCESS(
            ZydisCalcAbsoluteAddress(&decoded->instruction, &decoded->operands[0], at, &target))) {
        struct register_uses called = {0};
        uses_find(&called, search->image, target, search->depth + 1);
        for (uint32_t i = 0; i < USED_REGISTERS; i++)
            if (called.forms[i].bytes > search->uses->forms[i].bytes && !(written >> i & 1))
                search->uses->forms[i] = called.forms[i];
    }
    return UINT32_MAX;
}

/* One instruction. False: nothing follows it, or what does was added. */
static bool step(struct search *search, struct front *front)
{
    struct decoded decoded;
    ZyanU64 target = 0;
    if (!decoded_read(search->image, (struct svma){front->at}, &decoded))
        return false;
    const ZydisDecodedInstruction *its = &decoded.instruction;
    bool direct = decoded.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    uint32_t written = instruction_note(search, &decoded, front->written);
    uint64_t next = front->at + its->length;
    switch (its->meta.category) {
    case ZYDIS_CATEGORY_CALL: written = call_note(search, &decoded, front->at, written); break;
    case ZYDIS_CATEGORY_RET: /* what is handed on without a look is taken to be used */
        if (!(written & 1))
            search->uses->forms[0] = (struct value_form){VALUE_INTEGER, 8};
        return false;
    case ZYDIS_CATEGORY_INTERRUPT: return false;
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
        if (direct &&
            ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(its, &decoded.operands[0], front->at, &target)))
            front_add(search, target, written);
        if (its->meta.category == ZYDIS_CATEGORY_COND_BR)
            front_add(search, next, written);
        return false;
    default: break;
    }
    *front = (struct front){next, written};
    return written != UINT32_MAX;
}

static void uses_find(struct register_uses *uses, const struct image *image, uint64_t from,
                      uint32_t depth)
{
    struct search search = {.image = image, .uses = uses, .depth = depth};
    map_init(&search.known, sizeof(uint64_t));
    front_add(&search, from, 0);
    while (search.fronts.n && search.instructions < INSTRUCTIONS_MOST) {
        struct front front = search.fronts.at[--search.fronts.n];
        while (++search.instructions < INSTRUCTIONS_MOST && step(&search, &front))
            ;
    }
    map_release(&search.known);
    vec_release(&search.written);
    vec_release(&search.fronts);
}

void register_uses_find(struct register_uses *uses, const struct image *image, struct svma from)
{
    *uses = (struct register_uses){0};
    uses_find(uses, image, from.v, 0);
}
