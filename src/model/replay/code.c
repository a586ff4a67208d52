#include "model/replay/code.h"

#include "program/insn/decoded.h"
#include "program/elf/image.h"

enum { MODULE_SHIFT = 44 };

struct place_key {
    uint64_t module, at;
};

void code_init(struct core_code *code, const struct model *model, struct code_source source)
{
    *code = (struct core_code){.model = model, .source = source};
    map_init(&code->ids, sizeof(struct place_key));
    map_init(&code->lone, sizeof(struct place_key));
}

void code_release(struct core_code *code)
{
    vec_release(&code->insns);
    vec_release(&code->places);
    vec_release(&code->made);
    vec_release(&code->alone);
    map_release(&code->ids);
    map_release(&code->lone);
}

/* The first page stays empty: 0 is no address. Modules lie far apart, and not at the same places of
 * caches. */
uint64_t replay_at(uint32_t module, struct svma at)
{
    return ((uint64_t)module + 1) << MODULE_SHIFT | (at.v & ((UINT64_C(1) << MODULE_SHIFT) - 1));
}

void replay_place(uint64_t at, uint32_t *ret_module, struct svma *ret_at)
{
    *ret_module = (uint32_t)(at >> MODULE_SHIFT) - 1;
    ret_at->v = at & ((UINT64_C(1) << MODULE_SHIFT) - 1);
}

/* ---- addresses that need not be recorded */

static const ZydisDecodedOperand *memory_operand(const struct decoded *decoded)
{
    for (int i = 0; i < decoded->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_MEM)
            return operand;
    }
    return NULL;
}

static void operand_read(struct code_insn *insn, const struct decoded *decoded)
{
    const ZydisDecodedOperand *operand = memory_operand(decoded);
    if (!(insn->core.flags & (INSN_LOAD | INSN_STORE)))
        return;
    insn->kind = OPERAND_ELSEWHERE;
    if (!operand || operand->mem.index != ZYDIS_REGISTER_NONE ||
        operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS)
        return;
    insn->operand = operand->mem.disp.value;
    if (operand->mem.base == ZYDIS_REGISTER_RSP)
        insn->kind = OPERAND_STACK;
    if (operand->mem.base == ZYDIS_REGISTER_RBP)
        insn->kind = OPERAND_FRAME;
    if (operand->mem.base == ZYDIS_REGISTER_RIP) {
        insn->kind = OPERAND_FIXED;
        insn->operand += (int64_t)(insn->at + insn->core.length);
    }
}

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister reg)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == reg;
}

/* What sets the stack pointer otherwise is taken to leave it where it was. */
static void stack_read(struct code_insn *insn, const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    const ZydisDecodedOperand *operands = decoded->operands;
    int32_t width = instruction->operand_width / 8;
    bool constant = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_CALL: insn->moves = -(width ? width : 8), insn->stack = STACK_MOVES; break;
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_RET: insn->moves = width ? width : 8, insn->stack = STACK_MOVES; break;
    case ZYDIS_MNEMONIC_LEAVE: insn->stack = STACK_LEAVES; break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
        if (!is_register(&operands[0], ZYDIS_REGISTER_RSP) || !constant)
            break;
        insn->stack = STACK_MOVES;
        insn->moves = (int32_t)operands[1].imm.value.s;
        if (instruction->mnemonic == ZYDIS_MNEMONIC_SUB)
            insn->moves = -insn->moves;
        break;
    case ZYDIS_MNEMONIC_LEA:
        if (is_register(&operands[0], ZYDIS_REGISTER_RSP) &&
            operands[1].mem.base == ZYDIS_REGISTER_RSP &&
            operands[1].mem.index == ZYDIS_REGISTER_NONE)
            insn->stack = STACK_MOVES, insn->moves = (int32_t)operands[1].mem.disp.value;
        break;
    case ZYDIS_MNEMONIC_MOV:
        if (is_register(&operands[0], ZYDIS_REGISTER_RBP) &&
            is_register(&operands[1], ZYDIS_REGISTER_RSP))
            insn->stack = STACK_TO_FRAME;
        if (is_register(&operands[0], ZYDIS_REGISTER_RSP) &&
            is_register(&operands[1], ZYDIS_REGISTER_RBP))
            insn->stack = STACK_FROM_FRAME;
        break;
    default: break;
    }
}

static void target_read(struct code_insn *insn, const struct decoded *decoded)
{
    const ZydisDecodedOperand *operand = &decoded->operands[0];
    if (insn->core.kind != INSN_PLAIN && operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        operand->imm.is_relative)
        insn->target = insn->at + insn->core.length + (uint64_t)operand->imm.value.s;
}

/* ---- runs */

static bool insn_make(struct core_code *code, const struct image *image, uint32_t module,
                      struct svma at, struct code_insn *ret)
{
    struct place_key key = {module, at.v};
    uint32_t known = map_find(&code->ids, &key);
    struct decoded decoded;
    size_t room;
    if (known != MAP_NONE) {
        *ret = code->made.at[known];
        return true;
    }
    const uint8_t *bytes = image_bytes(image, at, &room);
    *ret = (struct code_insn){.at = replay_at(module, at)};
    if (!bytes || !decoded_read(image, at, &decoded) ||
        !core_insn_make(code->model, bytes, room, &ret->core))
        return false;
    operand_read(ret, &decoded);
    stack_read(ret, &decoded);
    target_read(ret, &decoded);
    ret->id = map_add(&code->ids, &key);
    *vec_push(&code->places) = (struct code_place){module, at, ret->core.length};
    *vec_push(&code->made) = *ret;
    return true;
}

uint32_t code_run(struct core_code *code, uint32_t module, struct svma at, uint32_t bytes,
                  uint32_t instructions)
{
    const struct image *image = code->source.image(code->source.context, module);
    size_t first = code->insns.n;
    struct svma next = at;
    bool good = image;
    for (uint32_t i = 0; i < instructions && good; i++) {
        good = insn_make(code, image, module, next, vec_push(&code->insns));
        next.v += code->insns.at[code->insns.n - 1].core.length;
    }
    if (good && next.v - at.v == bytes)
        return (uint32_t)first;
    code->insns.n = first;
    return REPLAY_NONE;
}

uint32_t code_one(struct core_code *code, uint64_t at)
{
    struct place_key key;
    uint32_t module;
    struct svma where;
    replay_place(at, &module, &where);
    key = (struct place_key){module, where.v};
    uint32_t index = map_add(&code->lone, &key);
    if (index < code->alone.n)
        return code->alone.at[index];
    const struct image *image = code->source.image(code->source.context, module);
    struct code_insn insn;
    uint32_t first = REPLAY_NONE;
    if (image && insn_make(code, image, module, where, &insn)) {
        first = (uint32_t)code->insns.n;
        *vec_push(&code->insns) = insn;
    }
    *vec_push(&code->alone) = first;
    return first;
}
