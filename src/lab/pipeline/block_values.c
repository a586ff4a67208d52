#include "lab/pipeline/block_values.h"

#include <string.h>

struct place {
    uint64_t address; /* of memory operands */
    int reg;          /* -1: none that is followed */
    uint32_t bits;
    bool high; /* ah and its like */
};

void block_values_init(struct block_values *values, uint64_t fill)
{
    *values = (struct block_values){.fill = fill};
    for (int i = 0; i < 16; i++)
        values->registers[i] = fill;
    for (size_t i = 0; i < FRAME_BYTES; i += sizeof fill)
        memcpy(values->frame + i, &fill, sizeof fill);
}

static int gpr_index(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
               ? (int)(whole - ZYDIS_REGISTER_RAX)
               : -1;
}

static uint64_t mask_of(uint32_t bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t sign_extend(uint64_t value, uint32_t bits)
{
    uint64_t top = 1ull << (bits - 1);
    return bits >= 64 ? value : ((value & mask_of(bits)) ^ top) - top;
}

static uint64_t memory_read(const struct block_values *values, uint64_t address, uint32_t bits)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bits / 8 && i < 8; i++)
        value |= (uint64_t)values->frame[(address + i) % FRAME_BYTES] << 8 * i;
    return value;
}

static void memory_write(struct block_values *values, uint64_t address, uint32_t bits,
                         uint64_t value)
{
    for (uint32_t i = 0; i < bits / 8 && i < 8; i++)
        values->frame[(address + i) % FRAME_BYTES] = (uint8_t)(value >> 8 * i);
}

static uint64_t address_of(const struct block_values *values,
                           const ZydisDecodedInstruction *instruction,
                           const ZydisDecodedOperandMem *memory, uint64_t at)
{
    uint64_t address = (uint64_t)memory->disp.value;
    int base = gpr_index(memory->base), index = gpr_index(memory->index);
    if (memory->base == ZYDIS_REGISTER_RIP)
        address += at + instruction->length;
    if (base >= 0)
        address += values->registers[base];
    if (index >= 0)
        address += values->registers[index] * memory->scale;
    return address;
}

static uint64_t operand_read(const struct block_values *values, const ZydisDecodedOperand *operand,
                             uint64_t address)
{
    switch (operand->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: {
        int index = gpr_index(operand->reg.value);
        bool high =
            operand->reg.value >= ZYDIS_REGISTER_AH && operand->reg.value <= ZYDIS_REGISTER_BH;
        uint64_t value = index >= 0 ? values->registers[index] : values->fill;
        return (high ? value >> 8 : value) & mask_of(operand->size);
    }
    case ZYDIS_OPERAND_TYPE_MEMORY:
        return operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN
                   ? address
                   : memory_read(values, address, operand->size);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE: return operand->imm.value.u;
    default: return 0;
    }
}

static void register_write(struct block_values *values, ZydisRegister reg, uint32_t bits,
                           uint64_t value)
{
    int index = gpr_index(reg);
    if (index < 0)
        return;
    uint64_t *to = &values->registers[index];
    if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
        *to = (*to & ~0xff00ull) | (value & 0xff) << 8;
    else if (bits < 32)
        *to = (*to & ~mask_of(bits)) | (value & mask_of(bits));
    else
        *to = value & mask_of(bits);
}

static void operand_write(struct block_values *values, const ZydisDecodedOperand *operand,
                          uint64_t address, uint64_t value)
{
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
        register_write(values, operand->reg.value, operand->size, value);
    else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->size <= 64)
        memory_write(values, address, operand->size, value);
}

static void flags_set(struct block_values *values, uint64_t result, uint32_t bits)
{
    values->zero = (result & mask_of(bits)) == 0;
    values->sign = result >> (bits - 1) & 1;
}

static bool condition(const struct block_values *values, uint32_t code)
{
    bool holds;
    switch (code >> 1 & 7) {
    case 0: holds = values->overflow; break;
    case 1: holds = values->carry; break;
    case 2: holds = values->zero; break;
    case 3: holds = values->carry || values->zero; break;
    case 4: holds = values->sign; break;
    case 5: holds = false; break; /* parity is not followed */
    case 6: holds = values->sign != values->overflow; break;
    default: holds = values->zero || values->sign != values->overflow; break;
    }
    return holds != (code & 1);
}

static uint64_t sum(struct block_values *values, uint64_t a, uint64_t b, bool carry, uint32_t bits)
{
    uint64_t mask = mask_of(bits), result = (a + b + carry) & mask;
    values->carry = result < (a & mask) || (carry && result == (a & mask));
    values->overflow = (~(a ^ b) & (a ^ result)) >> (bits - 1) & 1;
    flags_set(values, result, bits);
    return result;
}

static uint64_t difference(struct block_values *values, uint64_t a, uint64_t b, bool borrow,
                           uint32_t bits)
{
    uint64_t mask = mask_of(bits), result = (a - b - borrow) & mask;
    values->carry = (a & mask) < (b & mask) || (borrow && (a & mask) == (b & mask));
    values->overflow = ((a ^ b) & (a ^ result)) >> (bits - 1) & 1;
    flags_set(values, result, bits);
    return result;
}

static uint64_t logic(struct block_values *values, uint64_t result, uint32_t bits)
{
    values->carry = values->overflow = false;
    flags_set(values, result, bits);
    return result;
}

static uint64_t shifted(struct block_values *values, ZydisMnemonic how, uint64_t a, uint64_t by,
                        uint32_t bits)
{
    by &= bits == 64 ? 63 : 31;
    a &= mask_of(bits);
    uint64_t result = a;
    if (by >= bits)
        result = how == ZYDIS_MNEMONIC_SAR && a >> (bits - 1) ? mask_of(bits) : 0;
    else if (how == ZYDIS_MNEMONIC_SHL)
        result = a << by & mask_of(bits);
    else if (how == ZYDIS_MNEMONIC_SHR)
        result = a >> by;
    else if (how == ZYDIS_MNEMONIC_SAR)
        result = (uint64_t)((int64_t)sign_extend(a, bits) >> by) & mask_of(bits);
    else if (by) /* rol and ror of a whole register */
        result =
            (how == ZYDIS_MNEMONIC_ROL ? a << by | a >> (bits - by) : a >> by | a << (bits - by)) &
            mask_of(bits);
    if (by)
        flags_set(values, result, bits);
    return result;
}

static uint8_t bits_of(uint64_t value)
{
    return value ? (uint8_t)(64 - __builtin_clzll(value)) : 1;
}

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

/* rdx:rax of twice the bits (ax, for bytes), signed or not; as magnitudes. */
static wide dividend(const struct block_values *values, bool is_signed, uint32_t bits,
                     bool *ret_minus)
{
    uint64_t low = values->registers[0] & mask_of(bits);
    uint64_t high =
        bits == 8 ? values->registers[0] >> 8 & 0xff : values->registers[2] & mask_of(bits);
    if (is_signed)
        high = sign_extend(high, bits);
    *ret_minus = is_signed && high >> 63;
    wide whole = (*ret_minus ? ~(wide)0 << 64 | high : (wide)high) << bits | low;
    return *ret_minus ? -whole : whole;
}

/* Bits of the quotient. What would fault leaves all as it is. */
static uint8_t divide(struct block_values *values, bool is_signed, uint64_t by, uint32_t bits)
{
    bool minus, by_minus = is_signed && by >> (bits - 1) & 1;
    wide whole = dividend(values, is_signed, bits, &minus);
    by &= mask_of(bits);
    if (by_minus)
        by = -by & mask_of(bits);
    if (!by || whole / by > mask_of(bits))
        return (uint8_t)bits;
    uint64_t quotient = (uint64_t)(whole / by), rest = (uint64_t)(whole % by);
    uint8_t quotient_bits = bits_of(quotient);
    quotient = minus != by_minus ? -quotient : quotient;
    rest = minus ? -rest : rest;
    if (bits == 8) {
        register_write(values, ZYDIS_REGISTER_AL, 8, quotient);
        register_write(values, ZYDIS_REGISTER_AH, 8, rest);
    } else {
        register_write(values, ZYDIS_REGISTER_RAX, bits, quotient);
        register_write(values, ZYDIS_REGISTER_RDX, bits, rest);
    }
    return quotient_bits;
}

static bool is_conditional(ZydisInstructionCategory category)
{
    return category == ZYDIS_CATEGORY_CMOV || category == ZYDIS_CATEGORY_SETCC;
}

/* push, pop, leave: the address, and what they move. */
static bool stack_step(struct block_values *values, ZydisMnemonic mnemonic,
                       const ZydisDecodedOperand *operands, uint64_t at_operand, uint64_t *address)
{
    uint64_t *rsp = &values->registers[4], *rbp = &values->registers[5], value;
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        value = operand_read(values, &operands[0], at_operand);
        *rsp -= 8;
        memory_write(values, *rsp, 64, value);
        *address = *rsp;
        return true;
    case ZYDIS_MNEMONIC_POP:
        *address = *rsp;
        value = memory_read(values, *rsp, 64);
        *rsp += 8;
        operand_write(values, &operands[0], at_operand, value);
        return true;
    case ZYDIS_MNEMONIC_LEAVE:
        *address = *rbp;
        *rsp = *rbp + 8;
        *rbp = memory_read(values, *address, 64);
        return true;
    default: return false;
    }
}

/* Those that make the first operand, of width bits, from a = it and b = the next. False: not one of
 * them. */
static bool result_step(struct block_values *values, ZydisMnemonic mnemonic, uint64_t a, uint64_t b,
                        uint32_t bits, uint32_t from_bits, uint64_t *ret)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_LEA: *ret = b; return true;
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD: *ret = sign_extend(b, from_bits); return true;
    case ZYDIS_MNEMONIC_ADD: *ret = sum(values, a, b, false, bits); return true;
    case ZYDIS_MNEMONIC_ADC: *ret = sum(values, a, b, values->carry, bits); return true;
    case ZYDIS_MNEMONIC_SUB: *ret = difference(values, a, b, false, bits); return true;
    case ZYDIS_MNEMONIC_SBB: *ret = difference(values, a, b, values->carry, bits); return true;
    case ZYDIS_MNEMONIC_AND: *ret = logic(values, a & b, bits); return true;
    case ZYDIS_MNEMONIC_OR: *ret = logic(values, a | b, bits); return true;
    case ZYDIS_MNEMONIC_XOR: *ret = logic(values, a ^ b, bits); return true;
    case ZYDIS_MNEMONIC_NOT: *ret = ~a; return true;
    case ZYDIS_MNEMONIC_NEG: *ret = difference(values, 0, a, false, bits); return true;
    case ZYDIS_MNEMONIC_IMUL: *ret = a * b; return true;
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
    case ZYDIS_MNEMONIC_ROL:
    case ZYDIS_MNEMONIC_ROR: *ret = shifted(values, mnemonic, a, b, bits); return true;
    default: break;
    }
    bool carry = values->carry; /* inc and dec leave it */
    if (mnemonic == ZYDIS_MNEMONIC_INC)
        *ret = sum(values, a, 1, false, bits);
    else if (mnemonic == ZYDIS_MNEMONIC_DEC)
        *ret = difference(values, a, 1, false, bits);
    else
        return false;
    values->carry = carry;
    return true;
}

static void extend_step(struct block_values *values, ZydisMnemonic mnemonic)
{
    uint64_t *rax = &values->registers[0], *rdx = &values->registers[2];
    if (mnemonic == ZYDIS_MNEMONIC_CDQE)
        *rax = sign_extend(*rax, 32);
    else if (mnemonic == ZYDIS_MNEMONIC_CWDE)
        *rax = sign_extend(*rax, 16) & UINT32_MAX;
    else if (mnemonic == ZYDIS_MNEMONIC_CQO)
        *rdx = *rax >> 63 ? UINT64_MAX : 0;
    else if (mnemonic == ZYDIS_MNEMONIC_CDQ)
        *rdx = *rax >> 31 & 1 ? UINT32_MAX : 0;
}

/* rdx:rax of a product. */
static void multiply(struct block_values *values, bool is_signed, uint64_t by, uint32_t bits)
{
    uint64_t a = values->registers[0] & mask_of(bits);
    by &= mask_of(bits);
    wide product =
        is_signed
            ? (wide)((signed_wide)(int64_t)sign_extend(a, bits) * (int64_t)sign_extend(by, bits))
            : (wide)a * by;
    if (bits == 8) {
        register_write(values, ZYDIS_REGISTER_AX, 16, (uint64_t)product);
        return;
    }
    register_write(values, ZYDIS_REGISTER_RAX, bits, (uint64_t)product);
    register_write(values, ZYDIS_REGISTER_RDX, bits, (uint64_t)(product >> bits));
}

/* Those that make the first operand of those behind it, b and c: counts of bits, and shifts that
 * leave flags alone. */
static bool bits_step(ZydisMnemonic mnemonic, uint64_t b, uint64_t c, uint32_t bits, uint64_t *ret)
{
    uint64_t mask = mask_of(bits), by = c & (bits - 1);
    b &= mask;
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_TZCNT: *ret = b ? (uint64_t)__builtin_ctzll(b) : bits; return true;
    case ZYDIS_MNEMONIC_LZCNT: *ret = b ? bits - bits_of(b) : bits; return true;
    case ZYDIS_MNEMONIC_BSF: *ret = b ? (uint64_t)__builtin_ctzll(b) : 0; return true;
    case ZYDIS_MNEMONIC_BSR: *ret = b ? bits_of(b) - 1u : 0; return true;
    case ZYDIS_MNEMONIC_POPCNT: *ret = (uint64_t)__builtin_popcountll(b); return true;
    case ZYDIS_MNEMONIC_BLSR: *ret = b & (b - 1); return true;
    case ZYDIS_MNEMONIC_BLSI: *ret = b & -b; return true;
    case ZYDIS_MNEMONIC_BLSMSK: *ret = b ^ (b - 1); return true;
    case ZYDIS_MNEMONIC_ANDN: *ret = ~b & c; return true;
    case ZYDIS_MNEMONIC_SHLX: *ret = b << by; return true;
    case ZYDIS_MNEMONIC_SHRX: *ret = b >> by; return true;
    case ZYDIS_MNEMONIC_SARX: *ret = (uint64_t)((int64_t)sign_extend(b, bits) >> by); return true;
    case ZYDIS_MNEMONIC_RORX: *ret = by ? b >> by | b << (bits - by) : b; return true;
    case ZYDIS_MNEMONIC_BZHI:
        *ret = (c & 255) < bits ? b & mask_of((uint32_t)(c & 255)) : b;
        return true;
    default: return false;
    }
}

/* stos and its like, once: pointers go on behind what they point to. What is loaded is not
 * followed. */
static void string_step(struct block_values *values, const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operands, uint64_t *address)
{
    for (uint8_t i = 0; i < instruction->operand_count; i++) {
        int base =
            operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY ? gpr_index(operands[i].mem.base) : -1;
        if (base < 0)
            continue;
        *address = values->registers[base];
        values->registers[base] += operands[i].size / 8;
    }
}

/* What is not followed makes `fill` of the registers that it writes. */
static void unknown_step(struct block_values *values, const ZydisDecodedInstruction *instruction,
                         const ZydisDecodedOperand *operands)
{
    for (uint8_t i = 0; i < instruction->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            register_write(values, operands[i].reg.value, operands[i].size, values->fill);
}

void block_values_step(struct block_values *values, const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *operands, uint64_t at, uint64_t *ret_address,
                       uint8_t *ret_bits)
{
    uint64_t address = 0, result;
    uint8_t n = instruction->operand_count_visible;
    ZydisMnemonic mnemonic = instruction->mnemonic;
    for (uint8_t i = 0; i < n; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            address = address_of(values, instruction, &operands[i].mem, at);
    *ret_address = address;
    *ret_bits = 0;
    if (stack_step(values, mnemonic, operands, address, ret_address))
        return;
    if (instruction->meta.category == ZYDIS_CATEGORY_STRINGOP) {
        string_step(values, instruction, operands, ret_address);
        return;
    }
    if (mnemonic == ZYDIS_MNEMONIC_CDQE || mnemonic == ZYDIS_MNEMONIC_CWDE ||
        mnemonic == ZYDIS_MNEMONIC_CQO || mnemonic == ZYDIS_MNEMONIC_CDQ) {
        extend_step(values, mnemonic);
        return;
    }
    if (!n)
        return;
    uint64_t a = operand_read(values, &operands[0], address);
    uint64_t b = n > 1 ? operand_read(values, &operands[1], address) : 0;
    uint32_t bits = operands[0].size, from = n > 1 ? operands[1].size : 0;
    if (n == 3 && mnemonic == ZYDIS_MNEMONIC_IMUL) {
        a = b;
        b = operand_read(values, &operands[2], address);
    }
    if (mnemonic == ZYDIS_MNEMONIC_CMP)
        difference(values, a, b, false, bits);
    else if (mnemonic == ZYDIS_MNEMONIC_TEST)
        logic(values, a & b, bits);
    else if (mnemonic == ZYDIS_MNEMONIC_DIV || mnemonic == ZYDIS_MNEMONIC_IDIV)
        *ret_bits = divide(values, mnemonic == ZYDIS_MNEMONIC_IDIV, a, bits);
    else if (n == 1 && (mnemonic == ZYDIS_MNEMONIC_MUL || mnemonic == ZYDIS_MNEMONIC_IMUL))
        multiply(values, mnemonic == ZYDIS_MNEMONIC_IMUL, a, bits);
    else if (bits_step(mnemonic, b, n > 2 ? operand_read(values, &operands[2], address) : 0, bits,
                       &result))
        operand_write(values, &operands[0], address, result);
    else if (mnemonic == ZYDIS_MNEMONIC_XCHG) {
        operand_write(values, &operands[0], address, b);
        operand_write(values, &operands[1], address, a);
    } else if (is_conditional(instruction->meta.category)) {
        bool holds = condition(values, instruction->opcode & 15);
        bool set = instruction->meta.category == ZYDIS_CATEGORY_SETCC;
        operand_write(values, &operands[0], address, set ? holds : holds ? b : a);
    } else if ((n > 1 || mnemonic != ZYDIS_MNEMONIC_IMUL) &&
               result_step(values, mnemonic, a, b, bits, from, &result))
        operand_write(values, &operands[0], address, result);
    else
        unknown_step(values, instruction, operands);
}
