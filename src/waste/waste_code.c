#include "waste/waste_code.h"

#include "program/insn/decoded.h"

/* ---- registers */

static uint32_t register_of(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole == ZYDIS_REGISTER_NONE) /* flags have none */
        whole = reg;
    switch (ZydisRegisterGetClass(whole)) {
    case ZYDIS_REGCLASS_GPR64: return (uint32_t)(whole - ZYDIS_REGISTER_RAX);
    case ZYDIS_REGCLASS_ZMM: return WASTE_VECTORS + (uint32_t)(whole - ZYDIS_REGISTER_ZMM0);
    case ZYDIS_REGCLASS_MASK: return WASTE_MASKS + (uint32_t)(whole - ZYDIS_REGISTER_K0);
    case ZYDIS_REGCLASS_FLAGS: return WASTE_NO_REGISTER; /* flags_take */
    case ZYDIS_REGCLASS_SEGMENT: return WASTE_NO_REGISTER;
    case ZYDIS_REGCLASS_IP: return WASTE_NO_REGISTER;
    default: return reg == ZYDIS_REGISTER_NONE ? WASTE_NO_REGISTER : WASTE_OTHERS;
    }
}

static uint64_t set_of(ZydisRegister reg)
{
    uint32_t number = register_of(reg);
    return number == WASTE_NO_REGISTER ? 0 : UINT64_C(1) << number;
}

static bool is_general(ZydisRegister reg)
{
    return register_of(reg) < WASTE_VECTORS;
}

/* These leave the rest of the register, or all of it, as it was, whatever the tables say. */
static bool keeps_rest(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR: return true;
    default: break;
    }
    if (instruction->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return false;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_MOVSS: /* from memory, they clear it */
    case ZYDIS_MNEMONIC_MOVSD: return decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    case ZYDIS_MNEMONIC_MOVLPS:
    case ZYDIS_MNEMONIC_MOVLPD:
    case ZYDIS_MNEMONIC_MOVHPS:
    case ZYDIS_MNEMONIC_MOVHPD:
    case ZYDIS_MNEMONIC_MOVHLPS:
    case ZYDIS_MNEMONIC_MOVLHPS:
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
    case ZYDIS_MNEMONIC_CVTSD2SS:
    case ZYDIS_MNEMONIC_CVTSS2SD:
    case ZYDIS_MNEMONIC_CVTPI2PS:
    case ZYDIS_MNEMONIC_SQRTSS:
    case ZYDIS_MNEMONIC_SQRTSD:
    case ZYDIS_MNEMONIC_RCPSS:
    case ZYDIS_MNEMONIC_RSQRTSS:
    case ZYDIS_MNEMONIC_ROUNDSS:
    case ZYDIS_MNEMONIC_ROUNDSD:
    case ZYDIS_MNEMONIC_INSERTPS:
    case ZYDIS_MNEMONIC_PINSRB:
    case ZYDIS_MNEMONIC_PINSRW:
    case ZYDIS_MNEMONIC_PINSRD:
    case ZYDIS_MNEMONIC_PINSRQ: return true;
    default: return false;
    }
}

static void register_take(struct waste_code *code, const struct decoded *decoded,
                          const ZydisDecodedOperand *operand)
{
    uint64_t bit = set_of(operand->reg.value);
    bool whole = !is_general(operand->reg.value) || operand->size >= 32;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        code->reads |= bit;
    if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    code->writes |= bit;
    if (!(operand->actions & ZYDIS_OPERAND_ACTION_WRITE) || !whole || keeps_rest(decoded))
        code->reads |= bit;
}

/* A shift by no bits leaves the flags as they were. */
static bool may_keep_flags(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    bool shifts = instruction->meta.category == ZYDIS_CATEGORY_SHIFT ||
                  instruction->meta.category == ZYDIS_CATEGORY_ROTATE;
    return shifts || instruction->attributes &
                         (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REP);
}

static void flags_take(struct waste_code *code, const struct decoded *decoded)
{
    const ZydisAccessedFlags *flags = decoded->instruction.cpu_flags;
    const ZydisAccessedFlagsMask six = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF |
                                       ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
    const uint64_t bit = UINT64_C(1) << WASTE_FLAGS;
    if (!flags)
        return;
    ZydisAccessedFlagsMask written =
        flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    if (flags->tested)
        code->reads |= bit;
    if (!(written & six))
        return;
    code->writes |= bit;
    if ((written & six) != six || may_keep_flags(decoded))
        code->reads |= bit;
}

/* ---- memory */

static bool is_string(const ZydisDecodedInstruction *instruction)
{
    return instruction->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static bool is_masked(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ: return true;
    default: return instruction->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED;
    }
}

static bool touches(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
           operand->mem.type != ZYDIS_MEMOP_TYPE_MIB &&
           instruction->meta.category != ZYDIS_CATEGORY_NOP &&
           instruction->meta.category != ZYDIS_CATEGORY_WIDENOP &&
           instruction->meta.category != ZYDIS_CATEGORY_PREFETCH && operand->actions;
}

static void memory_take(struct waste_code *code, const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operand)
{
    uint64_t bytes = operand->size / 8;
    bool hidden = operand->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    code->reads |= set_of(operand->mem.base) | set_of(operand->mem.index);
    if (!touches(instruction, operand))
        return;
    code->accesses++;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        code->flags |= WASTE_STORES;
    if (is_masked(instruction))
        code->flags |= WASTE_MASKED;
    if (!bytes || bytes > WASTE_BYTES_MAX || operand->size % 8 ||
        operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        code->flags |= WASTE_BARRIER;
    if (!hidden || is_string(instruction))
        code->bytes = (uint8_t)bytes;
}

/* ---- what kind of instruction it is */

static bool is_quiet(const struct decoded *decoded)
{
    ZydisMnemonic mnemonic = decoded->instruction.mnemonic;
    return decoded->instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK ||
           mnemonic == ZYDIS_MNEMONIC_XCHG || mnemonic == ZYDIS_MNEMONIC_CMPXCHG ||
           mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B || mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B ||
           mnemonic == ZYDIS_MNEMONIC_XADD;
}

/* They look at the machine, or change how others work. */
static bool has_effect(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_FLAGOP:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
    case ZYDIS_CATEGORY_STRINGOP: return true;
    default: break;
    }
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_LEAVE:
    case ZYDIS_MNEMONIC_VZEROALL:
    case ZYDIS_MNEMONIC_VZEROUPPER:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP: return true;
    default: return false;
    }
}

/* What it writes depends on more than registers and memory. */
static bool asks(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED: return true;
    default: break;
    }
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDPID: return true;
    default: return false;
    }
}

/* Of a register that the ABI has functions leave as it was. */
static bool saves(const struct decoded *decoded)
{
    ZydisInstructionCategory category = decoded->instruction.meta.category;
    if (category != ZYDIS_CATEGORY_PUSH && category != ZYDIS_CATEGORY_POP)
        return false;
    if (decoded->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return false;
    switch (decoded->operands[0].reg.value) {
    case ZYDIS_REGISTER_RBX:
    case ZYDIS_REGISTER_RBP:
    case ZYDIS_REGISTER_R12:
    case ZYDIS_REGISTER_R13:
    case ZYDIS_REGISTER_R14:
    case ZYDIS_REGISTER_R15: return true;
    default: return false;
    }
}

static void kind_take(struct waste_code *code, const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    const uint64_t never = UINT64_C(1) << WASTE_OTHERS | UINT64_C(1) << 4; /* rsp */
    ZydisInstructionCategory category = instruction->meta.category;
    if (is_quiet(decoded))
        code->flags |= WASTE_QUIET;
    if (asks(instruction))
        code->flags |= WASTE_ASKS;
    if (saves(decoded))
        code->flags |= WASTE_SAVES;
    if (category == ZYDIS_CATEGORY_CALL)
        code->flags |= WASTE_CALLS;
    if (category == ZYDIS_CATEGORY_RET)
        code->flags |= WASTE_RETURNS;
    if (category == ZYDIS_CATEGORY_SYSCALL || category == ZYDIS_CATEGORY_INTERRUPT ||
        instruction->mnemonic == ZYDIS_MNEMONIC_STD || category == ZYDIS_CATEGORY_XSAVE ||
        instruction->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
        code->flags |= WASTE_BARRIER;
    if (instruction->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        code->flags |= WASTE_REPEATED;
    if (code->writes && !(code->writes & never) && !(code->flags & (WASTE_STORES | WASTE_QUIET)) &&
        !has_effect(instruction))
        code->flags |= WASTE_RESULT;
}

/* ---- moves */

static bool moves(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU:
    case ZYDIS_MNEMONIC_VMOVDQU8:
    case ZYDIS_MNEMONIC_VMOVDQU16:
    case ZYDIS_MNEMONIC_VMOVDQU32:
    case ZYDIS_MNEMONIC_VMOVDQU64:
    case ZYDIS_MNEMONIC_VMOVDQA32:
    case ZYDIS_MNEMONIC_VMOVDQA64:
    case ZYDIS_MNEMONIC_VMOVQ:
    case ZYDIS_MNEMONIC_VMOVD:
    case ZYDIS_MNEMONIC_VMOVSS:
    case ZYDIS_MNEMONIC_VMOVSD:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTPS: return true;
    default: return false;
    }
}

static bool is_data(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           register_of(operand->reg.value) < WASTE_MASKS;
}

static void data_take(struct waste_code *code, const ZydisDecodedOperand *operand)
{
    ZydisRegister reg = operand->reg.value;
    code->data = (uint8_t)register_of(reg);
    code->data_shift = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? 8 : 0;
}

static void move_take(struct waste_code *code, const struct decoded *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ: code->move = MOVE_SET, code->data = 0; return;
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSQ: code->move = MOVE_STRING; return;
    case ZYDIS_MNEMONIC_MOVSD:
        if (is_string(instruction)) {
            code->move = MOVE_STRING;
            return;
        }
        break;
    default: break;
    }
    if (!moves(instruction->mnemonic) || instruction->operand_count_visible != 2 ||
        is_masked(instruction))
        return;
    if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        code->move = MOVE_CONSTANT;
        code->constant = from->imm.value.u;
    } else if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && is_data(from)) {
        code->move = MOVE_STORE;
        data_take(code, from);
    } else if (from->type == ZYDIS_OPERAND_TYPE_MEMORY && is_data(to)) {
        code->move = MOVE_LOAD;
        data_take(code, to);
    } else if (is_data(to) && is_data(from) && to->size >= 32 && from->size >= 32) {
        code->move = MOVE_REGISTER;
        data_take(code, from);
    }
}

/* xor %eax, %eax and the like: what was there does not matter. */
static uint64_t forgotten(const struct decoded *decoded)
{
    const ZydisDecodedOperand *operands = decoded->operands;
    bool three = decoded->instruction.operand_count_visible == 3;
    const ZydisDecodedOperand *a = &operands[three ? 1 : 0], *b = &operands[three ? 2 : 1];
    if (a->type != ZYDIS_OPERAND_TYPE_REGISTER || b->type != ZYDIS_OPERAND_TYPE_REGISTER ||
        a->reg.value != b->reg.value || a->size < 32)
        return 0;
    switch (decoded->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD: return set_of(a->reg.value);
    default: return 0;
    }
}

bool waste_code_read(const struct image *image, struct svma at, struct waste_code *ret_code)
{
    struct decoded decoded;
    if (!decoded_read(image, at, &decoded))
        return false;
    const ZydisDecodedInstruction *instruction = &decoded.instruction;
    struct waste_code code = {.length = instruction->length, .data = WASTE_NO_REGISTER};
    for (int i = 0; i < instruction->operand_count; i++) {
        if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            register_take(&code, &decoded, &decoded.operands[i]);
        else if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            memory_take(&code, instruction, &decoded.operands[i]);
    }
    code.reads &= ~forgotten(&decoded);
    flags_take(&code, &decoded);
    kind_take(&code, &decoded);
    move_take(&code, &decoded);
    *ret_code = code;
    return true;
}
