#include "values/flight_code.h"

#include "program/insn/decoded.h"

/* Sets: general registers 0 to 15, vectors 16 to 47, masks 48 to 55, flags, and all else as one. */
enum { BIT_VECTORS = 16, BIT_MASKS = 48, BIT_FLAGS = 56, BIT_OTHERS = 57 };

enum { BYTES_MAX = 64 };

static uint64_t register_bit(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return 0;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    switch (ZydisRegisterGetClass(whole)) {
    case ZYDIS_REGCLASS_GPR64: return UINT64_C(1) << (whole - ZYDIS_REGISTER_RAX);
    case ZYDIS_REGCLASS_ZMM: return UINT64_C(1) << (BIT_VECTORS + (whole - ZYDIS_REGISTER_ZMM0));
    case ZYDIS_REGCLASS_MASK: return UINT64_C(1) << (BIT_MASKS + (whole - ZYDIS_REGISTER_K0));
    case ZYDIS_REGCLASS_FLAGS: return UINT64_C(1) << BIT_FLAGS;
    case ZYDIS_REGCLASS_SEGMENT: return 0;
    default: return UINT64_C(1) << BIT_OTHERS;
    }
}

/* Roughly those of machines of the last ten years. */
static uint8_t cycles_of(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV: return 18;
    case ZYDIS_MNEMONIC_IMUL:
    case ZYDIS_MNEMONIC_MUL: return 3;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP: return 0;
    default: break;
    }
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_SSE:
    case ZYDIS_CATEGORY_AVX:
    case ZYDIS_CATEGORY_AVX2:
    case ZYDIS_CATEGORY_VFMA:
    case ZYDIS_CATEGORY_X87_ALU: return 4;
    default: return 1;
    }
}

static bool drains(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    bool memory = decoded->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                  decoded->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_MFENCE:
    case ZYDIS_MNEMONIC_SFENCE:
    case ZYDIS_MNEMONIC_LFENCE:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_SYSCALL: return true;
    case ZYDIS_MNEMONIC_XCHG: return memory;
    default: return instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK;
    }
}

/* How many bytes the operand is of; 0: many, or only some of them. */
static uint8_t operand_bytes(const ZydisDecodedInstruction *instruction,
                             const ZydisDecodedOperand *operand)
{
    uint64_t bytes = operand->size / 8;
    bool repeated = instruction->attributes &
                    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    bool some = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB ||
                instruction->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED;
    return bytes > BYTES_MAX || repeated || some ? 0 : (uint8_t)bytes;
}

static bool moves_stack(const ZydisDecodedInstruction *instruction)
{
    ZydisInstructionCategory category = instruction->meta.category;
    return category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP ||
           category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET;
}

static void operand_take(struct flight_code *code, const ZydisDecodedInstruction *instruction,
                         const ZydisDecodedOperand *operand)
{
    struct flight_step *step = &code->step;
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        uint64_t bit = register_bit(operand->reg.value);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            step->reads |= bit;
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            step->writes |= bit;
    }
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return;
    uint64_t named = register_bit(operand->mem.base) | register_bit(operand->mem.index);
    step->reads |= named;
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || operand->mem.type == ZYDIS_MEMOP_TYPE_MIB ||
        instruction->meta.category == ZYDIS_CATEGORY_NOP || !operand->actions)
        return;
    step->addresses |= named;
    code->stores |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (!moves_stack(instruction) || operand->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
        code->operand_bytes = operand_bytes(instruction, operand);
}

/* xor %eax, %eax waits for nothing. */
static bool clears(const struct decoded *decoded)
{
    const ZydisDecodedOperand *operands = decoded->operands;
    ZydisMnemonic mnemonic = decoded->instruction.mnemonic;
    bool same = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                operands[0].reg.value == operands[1].reg.value;
    return same && (mnemonic == ZYDIS_MNEMONIC_XOR || mnemonic == ZYDIS_MNEMONIC_SUB ||
                    mnemonic == ZYDIS_MNEMONIC_PXOR || mnemonic == ZYDIS_MNEMONIC_XORPS);
}

bool flight_code_read(const struct image *image, struct svma at, struct flight_code *ret_code)
{
    struct decoded decoded;
    if (!decoded_read(image, at, &decoded))
        return false;
    const ZydisDecodedInstruction *instruction = &decoded.instruction;
    struct flight_code code = {
        .step = {.cycles = cycles_of(instruction), .drains = drains(&decoded)},
        .length = instruction->length};
    for (int i = 0; i < instruction->operand_count; i++)
        operand_take(&code, instruction, &decoded.operands[i]);
    if (clears(&decoded))
        code.step.reads = 0;
    if (moves_stack(instruction))
        code.step.moves = register_bit(ZYDIS_REGISTER_RSP);
    *ret_code = code;
    return true;
}
