#include "analysis/loops/loop_insn.h"

#include "program/insn/decoded.h"

#include <string.h>

enum { FLAGS = ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_SF, VECTORS_FROM = 16 };

static uint8_t number_of(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE)
        return LOOP_REGISTER_NONE;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    ZydisRegisterClass class = ZydisRegisterGetClass(whole);
    ZyanI8 id = ZydisRegisterGetId(whole);
    if (class == ZYDIS_REGCLASS_GPR64)
        return (uint8_t)id;
    bool vector = class >= ZYDIS_REGCLASS_XMM && class <= ZYDIS_REGCLASS_ZMM;
    return vector && id < 16 ? (uint8_t)(VECTORS_FROM + id) : LOOP_REGISTER_NONE;
}

static uint32_t bit_of(uint8_t reg)
{
    return reg == LOOP_REGISTER_NONE ? 0 : 1u << reg;
}

/* Names of scalar arithmetic end in ss or sd, with a v in front or without. */
static bool is_sum(const char *name)
{
    size_t n = strlen(name);
    const char *stem = *name == 'v' ? name + 1 : name;
    return n > 3 && name[n - 2] == 's' && (name[n - 1] == 's' || name[n - 1] == 'd') &&
           (!strncmp(stem, "add", 3) || !strncmp(stem, "mul", 3) || !strncmp(stem, "sub", 3) ||
            !strncmp(stem, "fma", 3) || !strncmp(stem, "fmadd", 5) || !strncmp(stem, "fnmadd", 6) ||
            !strncmp(stem, "min", 3) || !strncmp(stem, "max", 3));
}

/* Arithmetic alone: what scalar code uses as well (logic, moves, shuffles) says nothing. */
static bool is_packed(const char *name)
{
    static const char *const stems[] = {"padd", "psub", "pmul", "pmadd", "pmin", "pmax", "pavg",
                                        "pcmp", "psad", "psll", "psrl",  "psra", "pabs"};
    static const char *const floats[] = {"add", "sub", "mul", "div", "min",
                                         "max", "fma", "fnm", "sqrt"};
    const char *stem = *name == 'v' ? name + 1 : name;
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (!strncmp(stem, stems[i], strlen(stems[i])))
            return true;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (!strncmp(stem, floats[i], strlen(floats[i])))
            return n > 3 && name[n - 2] == 'p' && (name[n - 1] == 's' || name[n - 1] == 'd');
    return false;
}

static void memory_read(struct loop_insn *insn, const ZydisDecodedOperand *operand)
{
    uint8_t bytes = (uint8_t)(operand->size / 8 > 64 ? 64 : operand->size / 8);
    insn->base = number_of(operand->mem.base);
    insn->index = number_of(operand->mem.index);
    insn->reads |= bit_of(insn->base) | bit_of(insn->index);
    if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
        operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
        return;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        insn->loads = bytes;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        insn->stores = bytes;
}

static void operands_read(struct loop_insn *insn, const struct decoded *decoded)
{
    for (int i = 0; i < decoded->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            memory_read(insn, operand);
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        uint8_t reg = number_of(operand->reg.value);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            insn->reads |= bit_of(reg);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
            insn->writes |= bit_of(reg);
            insn->to = i == 0 ? reg : insn->to;
        }
    }
}

/* add $4, %rax; inc %rax; lea 8(%rax), %rax. */
static bool is_step(const struct loop_insn *insn, const struct decoded *decoded)
{
    const ZydisDecodedOperand *second = &decoded->operands[1];
    if (insn->to >= VECTORS_FROM)
        return false;
    switch (decoded->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC: return true;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB: return second->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    case ZYDIS_MNEMONIC_LEA: return insn->base == insn->to && insn->index == LOOP_REGISTER_NONE;
    default: return false;
    }
}

void loop_insn_read(struct loop_insn *insn, const struct image *image, struct svma at)
{
    struct decoded decoded;
    *insn = (struct loop_insn){.to = LOOP_REGISTER_NONE,
                               .from = LOOP_REGISTER_NONE,
                               .base = LOOP_REGISTER_NONE,
                               .index = LOOP_REGISTER_NONE};
    if (!image || !decoded_read(image, at, &decoded))
        return;
    const ZydisDecodedInstruction *its = &decoded.instruction;
    const char *name = ZydisMnemonicGetString(its->mnemonic);
    insn->known = true;
    operands_read(insn, &decoded);
    insn->steps = is_step(insn, &decoded);
    insn->moves = its->mnemonic == ZYDIS_MNEMONIC_MOV && insn->to < VECTORS_FROM &&
                  decoded.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    insn->from = insn->moves ? number_of(decoded.operands[1].reg.value) : insn->from;
    insn->sums = insn->to != LOOP_REGISTER_NONE && is_sum(name) && (insn->reads & bit_of(insn->to));
    if (is_packed(name) && decoded.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
        insn->packed = (uint8_t)(decoded.operands[0].size / 8);
    insn->sets_flags = its->cpu_flags && (its->cpu_flags->modified & FLAGS) != 0;
}
