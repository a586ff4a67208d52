#include "program/cfg/operations.h"

#include "program/insn/decoded.h"

#include <Zydis/Zydis.h>

/* ---- operands */

/* The register's number, or REGISTER_NONE if it is no general register or a high byte. */
static uint8_t register_of(ZydisRegister reg)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR64:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR16: return (uint8_t)ZydisRegisterGetId(reg);
    case ZYDIS_REGCLASS_GPR8:
        if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
            return REGISTER_NONE;
        return (uint8_t)(reg <= ZYDIS_REGISTER_BL ? reg - ZYDIS_REGISTER_AL
                                                  : 4 + (reg - ZYDIS_REGISTER_SPL));
    default: return REGISTER_NONE;
    }
}

static uint8_t address_register(ZydisRegister reg)
{
    return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR64 ? register_of(reg) : REGISTER_NONE;
}

/* False: memory through something else than 64-bit registers. */
static bool memory_read(struct operand *operand, const ZydisDecodedOperand *decoded,
                        struct svma next)
{
    operand->kind = OPERAND_MEMORY;
    operand->base = address_register(decoded->mem.base);
    operand->index = address_register(decoded->mem.index);
    operand->scale = decoded->mem.scale;
    operand->value = decoded->mem.disp.value;
    operand->segment =
        decoded->mem.segment == ZYDIS_REGISTER_FS || decoded->mem.segment == ZYDIS_REGISTER_GS;
    if (decoded->mem.base == ZYDIS_REGISTER_RIP)
        operand->value = (int64_t)((uint64_t)operand->value + next.v);
    else if (decoded->mem.base != ZYDIS_REGISTER_NONE && operand->base == REGISTER_NONE)
        return false;
    return decoded->mem.index == ZYDIS_REGISTER_NONE || operand->index != REGISTER_NONE;
}

/* False: an operand that is not described. */
static bool operand_read(struct operand *operand, const ZydisDecodedOperand *decoded,
                         struct svma next)
{
    *operand = (struct operand){.bits = decoded->size <= 64 ? (uint8_t)decoded->size : 0};
    switch (decoded->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        operand->kind = OPERAND_REGISTER;
        operand->reg = register_of(decoded->reg.value);
        return operand->reg != REGISTER_NONE;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        operand->kind = OPERAND_IMMEDIATE;
        operand->value = decoded->imm.value.s;
        return true;
    case ZYDIS_OPERAND_TYPE_MEMORY: return memory_read(operand, decoded, next);
    default: return false;
    }
}

/* ---- kinds */

static enum operation_kind kind_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_ENDBR64:
    case ZYDIS_MNEMONIC_RET: return OPERATION_NOP;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX: return OPERATION_MOVE;
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_CDQE: return OPERATION_MOVE_SIGNED;
    case ZYDIS_MNEMONIC_LEA: return OPERATION_LEA;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_INC: return OPERATION_ADD;
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_DEC: return OPERATION_SUB;
    case ZYDIS_MNEMONIC_AND: return OPERATION_AND;
    case ZYDIS_MNEMONIC_SHL: return OPERATION_SHL;
    case ZYDIS_MNEMONIC_SHR: return OPERATION_SHR;
    case ZYDIS_MNEMONIC_CMP: return OPERATION_CMP;
    case ZYDIS_MNEMONIC_TEST: return OPERATION_TEST;
    case ZYDIS_MNEMONIC_PUSH: return OPERATION_PUSH;
    case ZYDIS_MNEMONIC_POP: return OPERATION_POP;
    case ZYDIS_MNEMONIC_LEAVE: return OPERATION_LEAVE;
    case ZYDIS_MNEMONIC_CALL: return OPERATION_CALL;
    default: return OPERATION_OTHER;
    }
}

static enum condition condition_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_JNBE: return CONDITION_ABOVE;
    case ZYDIS_MNEMONIC_JNB: return CONDITION_ABOVE_EQUAL;
    case ZYDIS_MNEMONIC_JB: return CONDITION_BELOW;
    case ZYDIS_MNEMONIC_JBE: return CONDITION_BELOW_EQUAL;
    case ZYDIS_MNEMONIC_JZ: return CONDITION_EQUAL;
    case ZYDIS_MNEMONIC_JNZ: return CONDITION_NOT_EQUAL;
    case ZYDIS_MNEMONIC_JNLE: return CONDITION_GREATER;
    case ZYDIS_MNEMONIC_JNL: return CONDITION_GREATER_EQUAL;
    case ZYDIS_MNEMONIC_JL: return CONDITION_LESS;
    case ZYDIS_MNEMONIC_JLE: return CONDITION_LESS_EQUAL;
    case ZYDIS_MNEMONIC_JS: return CONDITION_SIGN;
    case ZYDIS_MNEMONIC_JNS: return CONDITION_NOT_SIGN;
    default: return CONDITION_NONE;
    }
}

enum condition condition_negate(enum condition condition)
{
    static const uint8_t negated[] = {
        [CONDITION_NONE] = CONDITION_NONE,          [CONDITION_ABOVE] = CONDITION_BELOW_EQUAL,
        [CONDITION_ABOVE_EQUAL] = CONDITION_BELOW,  [CONDITION_BELOW] = CONDITION_ABOVE_EQUAL,
        [CONDITION_BELOW_EQUAL] = CONDITION_ABOVE,  [CONDITION_EQUAL] = CONDITION_NOT_EQUAL,
        [CONDITION_NOT_EQUAL] = CONDITION_EQUAL,    [CONDITION_GREATER] = CONDITION_LESS_EQUAL,
        [CONDITION_GREATER_EQUAL] = CONDITION_LESS, [CONDITION_LESS] = CONDITION_GREATER_EQUAL,
        [CONDITION_LESS_EQUAL] = CONDITION_GREATER, [CONDITION_SIGN] = CONDITION_NOT_SIGN,
        [CONDITION_NOT_SIGN] = CONDITION_SIGN,
    };
    return (enum condition)negated[condition];
}

/* ---- all */

static void store_read(struct operation *operation, const ZydisDecodedOperand *operand,
                       bool repeated, struct svma next)
{
    bool first = !operation->stores;
    operation->stores = true;
    operation->store_bytes = repeated ? 0 : operand->size / 8;
    if (!first || !operand_read(&operation->dst, operand, next))
        operation->dst = (struct operand){0};
}

static void effects_read(struct operation *operation, const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operands, struct svma next)
{
    const ZydisAccessedFlags *flags = decoded->cpu_flags;
    operation->sets_flags =
        flags && (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) != 0;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && writes)
            store_read(operation, operand, decoded->attributes & ZYDIS_ATTRIB_HAS_REP, next);
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        uint8_t reg = register_of(
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value));
        if (reg < REGISTERS) {
            operation->writes |= (uint16_t)((unsigned)writes << reg);
            operation->reads |= (uint16_t)((unsigned)reads << reg);
        }
    }
}

/* The kernel answers in rax, uses rcx, r11 and, called the old way, r8 to r11; and it may write to
 * any memory that it was told of. */
static void kernel_effects(struct operation *operation)
{
    operation->writes |= 1u << REGISTER_RAX | 1u << REGISTER_RCX | 0xfu << 8;
    operation->stores = true;
    operation->store_bytes = 0;
    operation->dst = (struct operand){0};
}

/* xor of a register with itself is how compilers write zero. */
static bool is_zeroing(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    return (decoded->mnemonic == ZYDIS_MNEMONIC_XOR || decoded->mnemonic == ZYDIS_MNEMONIC_SUB) &&
           operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[0].reg.value == operands[1].reg.value;
}

/* What the kinds above say in dst and src. False: it does not fit, and is OTHER. */
static bool operands_read(struct operation *operation, const ZydisDecodedInstruction *decoded,
                          const ZydisDecodedOperand *operands, struct svma next)
{
    unsigned n = decoded->operand_count_visible;
    switch ((enum operation_kind)operation->kind) {
    case OPERATION_NOP:
    case OPERATION_CALL:
    case OPERATION_LEAVE:
    case OPERATION_OTHER: return true;
    case OPERATION_JUMP:
    case OPERATION_PUSH: return n == 1 && operand_read(&operation->src, &operands[0], next);
    case OPERATION_POP: return n == 1 && operand_read(&operation->dst, &operands[0], next);
    default: break;
    }
    if (decoded->mnemonic == ZYDIS_MNEMONIC_CDQE) {
        operation->dst = (struct operand){.kind = OPERAND_REGISTER, .bits = 64};
        operation->src = (struct operand){.kind = OPERAND_REGISTER, .bits = 32};
        return true;
    }
    if (n == 1 &&
        (decoded->mnemonic == ZYDIS_MNEMONIC_INC || decoded->mnemonic == ZYDIS_MNEMONIC_DEC ||
         decoded->mnemonic == ZYDIS_MNEMONIC_SHL || decoded->mnemonic == ZYDIS_MNEMONIC_SHR)) {
        operation->src = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = 8, .value = 1};
        return operand_read(&operation->dst, &operands[0], next);
    }
    return n == 2 && operand_read(&operation->dst, &operands[0], next) &&
           operand_read(&operation->src, &operands[1], next) && operation->dst.bits &&
           operation->src.bits;
}

static void operation_make(struct operation *operation, const ZydisDecodedInstruction *decoded,
                           const ZydisDecodedOperand *operands,
                           const struct instruction *instruction)
{
    *operation = (struct operation){.kind = (uint8_t)kind_of(decoded->mnemonic),
                                    .condition = (uint8_t)condition_of(decoded->mnemonic)};
    if (instruction->kind == INSTRUCTION_IJUMP)
        operation->kind = OPERATION_JUMP;
    struct svma next = instruction_next(instruction);
    effects_read(operation, decoded, operands, next);
    if (instruction->kind == INSTRUCTION_SYSCALL)
        kernel_effects(operation);
    struct operand stored = operation->dst;
    if (is_zeroing(decoded, operands) && operand_read(&operation->dst, &operands[0], next)) {
        operation->kind = OPERATION_MOVE;
        operation->src = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = operation->dst.bits};
    } else if (!operands_read(operation, decoded, operands, next)) {
        operation->kind = OPERATION_OTHER;
        operation->dst = stored;
        operation->src = (struct operand){0};
    }
    if (operation->kind == OPERATION_OTHER || operation->kind == OPERATION_CALL)
        return;
    operation->writes = operation->reads = 0;
    operation->stores = false;
}

bool operation_read(const struct image *image, const struct instruction *instruction,
                    struct operation *ret)
{
    struct decoded decoded;
    if (!decoded_read(image, instruction->at, &decoded))
        return false;
    operation_make(ret, &decoded.instruction, decoded.operands, instruction);
    return true;
}
