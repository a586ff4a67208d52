#include "analysis/whatif/traits.h"

#include "program/elf/image.h"
#include "program/insn/decoded.h"

static int gpr_of(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
               ? (int)(whole - ZYDIS_REGISTER_RAX)
               : -1;
}

static uint32_t bit_of(ZydisRegister reg)
{
    int gpr = gpr_of(reg);
    return gpr < 0 ? 0 : 1u << gpr;
}

/* In the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8... */
enum { RAX = 0, RSP = 4 };
static const uint32_t kept = 1u << 3 | 1u << 5 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;
static const uint32_t passing = 1u << 7 | 1u << 6 | 1u << 2 | 1u << 1 | 1u << 8 | 1u << 9;

static void registers_take(struct traits *traits, const struct decoded *decoded)
{
    for (int i = 0; i < decoded->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            traits->reads |= bit_of(operand->mem.base) | bit_of(operand->mem.index);
            continue;
        }
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            traits->reads |= bit_of(operand->reg.value);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            traits->writes |= bit_of(operand->reg.value);
    }
}

static bool is_reg(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && gpr_of(operand->reg.value) >= 0;
}

static void stack_take(struct traits *traits, const struct decoded *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];
    bool constant = from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (decoded->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        if (is_reg(to) && bit_of(to->reg.value) & kept)
            traits->what |= TRAIT_SAVES;
        break;
    case ZYDIS_MNEMONIC_POP:
        if (is_reg(to) && bit_of(to->reg.value) & kept)
            traits->what |= TRAIT_RESTORES;
        break;
    case ZYDIS_MNEMONIC_LEAVE: traits->what |= TRAIT_RESTORES; break;
    case ZYDIS_MNEMONIC_SUB:
        if (is_reg(to) && gpr_of(to->reg.value) == RSP && constant)
            traits->what |= TRAIT_SAVES;
        break;
    case ZYDIS_MNEMONIC_ADD:
        if (is_reg(to) && gpr_of(to->reg.value) == RSP && constant)
            traits->what |= TRAIT_RESTORES;
        break;
    case ZYDIS_MNEMONIC_MOV:
        if (!is_reg(to) || !is_reg(from))
            break;
        if (to->reg.value == ZYDIS_REGISTER_RBP && from->reg.value == ZYDIS_REGISTER_RSP)
            traits->what |= TRAIT_SAVES;
        else if (bit_of(to->reg.value) & passing)
            traits->what |= TRAIT_ARGUMENT;
        else if (gpr_of(from->reg.value) == RAX)
            traits->what |= TRAIT_RESULT;
        break;
    default: break;
    }
}

static void step_take(struct traits *traits, const struct decoded *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];
    bool steps = false;
    switch (decoded->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC: steps = is_reg(to); break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
        steps = is_reg(to) && from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
        break;
    case ZYDIS_MNEMONIC_LEA:
        steps = is_reg(to) && from->mem.index == ZYDIS_REGISTER_NONE &&
                gpr_of(from->mem.base) == gpr_of(to->reg.value);
        break;
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
        if (is_reg(to) && (is_reg(from) || from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)) {
            traits->what |= TRAIT_COMPARES;
            traits->compares = bit_of(to->reg.value) | (is_reg(from) ? bit_of(from->reg.value) : 0);
        }
        break;
    default: break;
    }
    if (steps && gpr_of(to->reg.value) != RSP) {
        traits->what |= TRAIT_STEPS;
        traits->steps = (uint8_t)gpr_of(to->reg.value);
    }
}

/* Names of packed arithmetic end like those of scalars but for one letter. */
static bool is_packed(const char *name)
{
    size_t n = strlen(name);
    bool integer = name[0] == 'p' || (name[0] == 'v' && name[1] == 'p');
    return n > 2 && (integer || (name[n - 2] == 'p' && (name[n - 1] == 's' || name[n - 1] == 'd')));
}

static void vector_take(struct traits *traits, const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    uint16_t bits = 0;
    for (int i = 0; i < instruction->operand_count_visible; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        ZydisRegisterClass class = operand->type == ZYDIS_OPERAND_TYPE_REGISTER
                                       ? ZydisRegisterGetClass(operand->reg.value)
                                       : ZYDIS_REGCLASS_INVALID;
        bool vector = class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
                      class == ZYDIS_REGCLASS_ZMM;
        if (vector && ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) > bits)
            bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
    }
    if (!bits || !is_packed(ZydisMnemonicGetString(instruction->mnemonic)))
        return;
    traits->what |= TRAIT_PACKED;
    traits->bits = bits;
}

static uint16_t other_traits(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_ENDBR64: return TRAIT_LANDS;
    case ZYDIS_MNEMONIC_CALL: return TRAIT_CALLS;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV: return TRAIT_DIVIDES;
    case ZYDIS_MNEMONIC_DIVSS:
    case ZYDIS_MNEMONIC_DIVSD:
    case ZYDIS_MNEMONIC_DIVPS:
    case ZYDIS_MNEMONIC_DIVPD:
    case ZYDIS_MNEMONIC_VDIVSS:
    case ZYDIS_MNEMONIC_VDIVSD:
    case ZYDIS_MNEMONIC_VDIVPS:
    case ZYDIS_MNEMONIC_VDIVPD: return TRAIT_FDIVIDES;
    default: return 0;
    }
}

bool traits_read(struct core_code *code, uint64_t at, struct traits *ret_traits)
{
    uint32_t module;
    struct svma place;
    struct decoded decoded;
    struct traits traits = {.known = true};
    replay_place(at, &module, &place);
    const struct image *image = code->source.image(code->source.context, module);
    if (!image || !decoded_read(image, place, &decoded))
        return false;
    traits.length = decoded.instruction.length;
    traits.what = other_traits(decoded.instruction.mnemonic);
    registers_take(&traits, &decoded);
    stack_take(&traits, &decoded);
    step_take(&traits, &decoded);
    vector_take(&traits, &decoded);
    *ret_traits = traits;
    return true;
}

const struct traits *traits_of(struct traits_cache *cache, const struct code_insn *insn)
{
    vec_reserve(cache, (size_t)insn->id + 1);
    struct traits *traits = &cache->at[insn->id];
    if (!traits->known && !traits_read(cache->code, insn->at, traits))
        *traits = (struct traits){.known = true};
    return traits;
}
