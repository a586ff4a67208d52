#include "model/core/insn.h"

#include "model/core/insn_words.h"

#include <Zydis/Zydis.h>

#include <string.h>

/* Which of the core's registers, or -1: one that nothing waits for (segments, control, the
 * instruction pointer). */
static int register_index(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole == ZYDIS_REGISTER_NONE)
        whole = reg;
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
        return REGISTER_GPR + (int)(whole - ZYDIS_REGISTER_RAX);
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
        return REGISTER_VEC + (int)(whole - ZYDIS_REGISTER_ZMM0);
    if (whole >= ZYDIS_REGISTER_K0 && whole <= ZYDIS_REGISTER_K7)
        return REGISTER_MASK + (int)(whole - ZYDIS_REGISTER_K0);
    if (whole >= ZYDIS_REGISTER_ST0 && whole <= ZYDIS_REGISTER_ST7)
        return REGISTER_X87 + (int)(whole - ZYDIS_REGISTER_ST0);
    if (whole >= ZYDIS_REGISTER_MM0 && whole <= ZYDIS_REGISTER_MM7)
        return REGISTER_X87 + (int)(whole - ZYDIS_REGISTER_MM0);
    return whole == ZYDIS_REGISTER_MXCSR ? REGISTER_MXCSR : -1;
}

static void list_add(uint8_t *list, uint8_t *n, uint8_t most, int index)
{
    for (uint8_t i = 0; i < *n; i++)
        if (list[i] == index)
            return;
    if (index >= 0 && *n < most)
        list[(*n)++] = (uint8_t)index;
}

static void source_add(struct core_insn *insn, int index)
{
    list_add(insn->sources, &insn->n_sources, INSN_SOURCES, index);
}

static void result_add(struct core_insn *insn, int index)
{
    list_add(insn->results, &insn->n_results, INSN_RESULTS, index);
    if (index >= REGISTER_GPR && index < REGISTER_VEC)
        insn->flags |= INSN_WRITES_INT;
    if (index >= REGISTER_VEC && index < REGISTER_CARRY)
        insn->flags |= INSN_WRITES_FP;
}

static bool moves_stack(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET: return true;
    default: return false;
    }
}

static void register_take(struct core_insn *insn, const ZydisDecodedInstruction *instruction,
                          const ZydisDecodedOperand *operand, uint16_t effects)
{
    int index = register_index(operand->reg.value);
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
        operand->reg.value == ZYDIS_REGISTER_K0) /* that is no mask */
        return;
    if (hidden && operand->reg.value == ZYDIS_REGISTER_RSP && moves_stack(instruction))
        return;
    bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    /* What is narrower than 32 bits is put into the old value. */
    bool part = writes && index >= REGISTER_GPR && index < REGISTER_VEC && operand->size < 32;
    part |= (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0; /* or stays as it was */
    if (writes && effects & EFFECT_FRESH)
        reads = false;
    if (reads || part || (writes && effects & EFFECT_MERGE))
        source_add(insn, index);
    if (writes)
        result_add(insn, index);
}

static bool is_vector(ZydisRegister reg)
{
    int index = register_index(reg);
    return index >= REGISTER_VEC && index < REGISTER_CARRY;
}

static void memory_take(struct core_insn *insn, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    int base = register_index(memory->base), index = register_index(memory->index);
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (memory->type == ZYDIS_MEMOP_TYPE_AGEN) {
        source_add(insn, base);
        source_add(insn, index);
        return;
    }
    list_add(insn->addresses, &insn->n_addresses, INSN_ADDRESSES, base);
    list_add(insn->addresses, &insn->n_addresses, INSN_ADDRESSES, index);
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        insn->flags |= INSN_LOAD;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        insn->flags |= INSN_STORE;
    if (index >= 0)
        insn->flags |= memory->scale > 1 ? INSN_INDEXED | INSN_SCALED : INSN_INDEXED;
    else if (base == REGISTER_RSP && (memory->disp.value || hidden))
        insn->flags |= INSN_STACK;
    insn->slot =
        (uint32_t)((uint64_t)memory->disp.value << 2 ^ (uint64_t)memory->disp.value >> 32) ^
        (uint32_t)__builtin_ctz(memory->scale | 16u);
    uint32_t bytes = operand->size / 8;
    insn->memory_bytes = (uint8_t)(bytes > 64 ? 64 : bytes ? bytes : 1);
}

static void flags_take(struct core_insn *insn, const ZydisDecodedInstruction *instruction)
{
    const ZydisAccessedFlags *flags = instruction->cpu_flags;
    const ZydisAccessedFlagsMask rest = ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                                        ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
    if (!flags)
        return;
    ZydisAccessedFlagsMask written =
        flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    if (flags->tested & ZYDIS_CPUFLAG_CF)
        source_add(insn, REGISTER_CARRY);
    if (flags->tested & rest)
        source_add(insn, REGISTER_FLAGS);
    if (written & ZYDIS_CPUFLAG_CF)
        result_add(insn, REGISTER_CARRY);
    if (written & rest)
        result_add(insn, REGISTER_FLAGS);
}

static uint8_t branch_kind(const ZydisDecodedInstruction *instruction,
                           const ZydisDecodedOperand *operands)
{
    bool direct = instruction->operand_count && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR: return INSN_COND;
    case ZYDIS_CATEGORY_UNCOND_BR: return direct ? INSN_JUMP : INSN_INDIRECT;
    case ZYDIS_CATEGORY_CALL: return direct ? INSN_CALL : INSN_CALL_INDIRECT;
    case ZYDIS_CATEGORY_RET: return INSN_RETURN;
    default: return INSN_PLAIN;
    }
}

static bool fuses(const struct model *model, ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST: return model->fuse_branch >= 1;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC: return model->fuse_branch >= 2;
    default: return false;
    }
}

static const struct model_rule *rule_find(const struct model *model,
                                          const ZydisDecodedInstruction *instruction,
                                          const ZydisDecodedOperand *operands)
{
    const char *name = ZydisMnemonicGetString(instruction->mnemonic);
    uint32_t words = insn_words(instruction, operands);
    bool vex = instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
               instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    for (size_t i = 0; i < model->rules.n; i++) {
        const struct model_rule *rule = &model->rules.at[i];
        if ((rule->words & ~words) == 0 && rule_names(rule, name, vex))
            return rule;
    }
    return &model->rules.at[model->rules.n - 1];
}

static bool reads(const struct core_insn *insn, uint8_t reg)
{
    return memchr(insn->sources, reg, insn->n_sources) ||
           memchr(insn->addresses, reg, insn->n_addresses);
}

static void operands_take(struct core_insn *insn, const ZydisDecodedInstruction *instruction,
                          const ZydisDecodedOperand *operands, uint16_t effects)
{
    bool vector = false;
    for (uint8_t i = 0; i < instruction->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            if (instruction->meta.category != ZYDIS_CATEGORY_WIDENOP)
                memory_take(insn, operand);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   operand->reg.value != ZYDIS_REGISTER_RFLAGS &&
                   operand->reg.value != ZYDIS_REGISTER_EFLAGS) {
            register_take(insn, instruction, operand, effects);
            vector |= is_vector(operand->reg.value);
        }
    }
    flags_take(insn, instruction);
    if (vector)
        insn->flags |= INSN_FP | INSN_FP_DATA;
    if (moves_stack(instruction))
        insn->flags |= INSN_PUSHES;
    else if (reads(insn, REGISTER_RSP))
        insn->flags |= INSN_USES_STACK;
}

/* Vectors that are wider than ports go through them in two halves. */
static void passes_take(struct core_insn *insn, const struct model *model,
                        const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operands)
{
    uint32_t bits = 0;
    for (uint8_t i = 0; i < instruction->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_vector(operands[i].reg.value) &&
            operands[i].size > bits)
            bits = operands[i].size;
    insn->passes = model->vector_bits && bits > model->vector_bits ? 2 : 1;
    insn->every = (uint8_t)(insn->every * insn->passes);
}

/* The upper half of a product: the first operand of mulx, else rdx. */
static void late_take(struct core_insn *insn, const ZydisDecodedInstruction *instruction,
                      uint8_t cycles)
{
    insn->late = cycles;
    insn->late_register = instruction->operand_count_visible == 3 && insn->n_results
                              ? insn->results[0]
                              : REGISTER_GPR + ZYDIS_REGISTER_RDX - ZYDIS_REGISTER_RAX;
}

/* Flags stay: sbb of a register with itself is all that carry is. */
static void registers_drop(struct core_insn *insn)
{
    uint8_t n = 0;
    for (uint8_t i = 0; i < insn->n_sources; i++)
        if (insn->sources[i] >= REGISTER_CARRY)
            insn->sources[n++] = insn->sources[i];
    insn->n_sources = n;
}

static void rule_apply(struct core_insn *insn, const struct model *model,
                       const struct model_rule *rule)
{
    const struct model_op *first = &model->ops.at[rule->ops[0]];
    insn->cycles = rule->cycles ? rule->cycles : first->cycles;
    insn->every = rule->every ? rule->every : first->every;
    insn->value_bits = rule->effects & EFFECT_VALUE ? rule->value_bits : 0;
    insn->n_ops = rule->n_ops;
    insn->slots = rule->slots ? rule->slots : rule->n_ops;
    for (uint8_t i = 0; i < rule->n_ops; i++)
        insn->ports[i] = model->ops.at[rule->ops[i]].ports;
    if (rule->effects & EFFECT_FREE) {
        insn->flags |= INSN_FREE;
        insn->cycles = rule->cycles;
    }
    if (rule->effects & EFFECT_MOVE && model->eliminate_moves) {
        insn->flags |= INSN_FREE | INSN_MOVE;
        insn->cycles = 0;
    }
    if (rule->effects & EFFECT_NEW)
        registers_drop(insn);
    if (rule->effects & EFFECT_ALONE)
        insn->flags |= INSN_ALONE;
    if (rule->effects & EFFECT_CHAIN)
        insn->flags |= INSN_CHAIN;
    if (rule->effects & EFFECT_ZERO && model->zero_idioms) {
        insn->n_sources = 0;
        insn->flags |= INSN_FREE;
        insn->cycles = 0;
    }
}

/* Constants of 16 bits that a prefix made so: decoders learn late where the instruction ends. */
static bool has_lcp(const ZydisDecodedInstruction *instruction)
{
    return instruction->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE &&
           instruction->raw.imm[0].size == 16;
}

static bool is_update(const struct core_insn *insn)
{
    if (!(insn->flags & INSN_LOAD) || !(insn->flags & INSN_STORE))
        return false;
    for (uint8_t i = 0; i < insn->n_sources; i++)
        if (insn->sources[i] < REGISTER_CARRY)
            return true;
    return false;
}

bool core_insn_make(const struct model *model, const uint8_t *bytes, size_t n,
                    struct core_insn *ret_insn)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, n, &instruction, operands)))
        return false;
    struct core_insn insn = {.length = instruction.length};
    const struct model_rule *rule = rule_find(model, &instruction, operands);
    operands_take(&insn, &instruction, operands, rule->effects);
    rule_apply(&insn, model, rule);
    passes_take(&insn, model, &instruction, operands);
    if (rule->late)
        late_take(&insn, &instruction, rule->late);
    if (instruction.meta.category == ZYDIS_CATEGORY_NOP ||
        instruction.meta.category == ZYDIS_CATEGORY_WIDENOP)
        insn.flags |= INSN_NOP;
    if (has_lcp(&instruction))
        insn.flags |= INSN_LCP;
    if (is_update(&insn))
        insn.flags |= INSN_UPDATE;
    insn.kind = branch_kind(&instruction, operands);
    if (fuses(model, instruction.mnemonic) && !(insn.flags & INSN_STORE))
        insn.flags |= INSN_FUSES;
    if (insn.flags & INSN_LOAD)
        insn.slots = (uint8_t)(insn.slots + model->load_slots);
    if (insn.flags & INSN_STORE)
        insn.slots = (uint8_t)(insn.slots + model->store_slots);
    *ret_insn = insn;
    return true;
}
