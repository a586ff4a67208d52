/* What Zydis thinks of an instruction, in our words. Written from its mnemonics and operands, never
 * from our tables. */
#pragma once

#include "x86/insn.h"

#include <Zydis/Zydis.h>
#include <stdio.h>

struct oracle {
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static inline void oracle_init(struct oracle *oracle)
{
    ZydisDecoderInit(&oracle->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static inline bool oracle_decode(struct oracle *oracle, const uint8_t *bytes, size_t room)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&oracle->decoder, bytes, room < 15 ? room : 15,
                                               &oracle->insn, oracle->operands));
}

static inline bool oracle_has_prefix(const struct oracle *oracle, uint8_t byte)
{
    for (unsigned i = 0; i < oracle->insn.raw.prefix_count; i++)
        if (oracle->insn.raw.prefixes[i].value == byte)
            return true;
    return false;
}

/* The base register of the memory operand is the instruction pointer. */
static inline bool oracle_based_on(const struct oracle *oracle, ZydisRegister pointer)
{
    for (unsigned i = 0; i < oracle->insn.operand_count; i++)
        if (oracle->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            oracle->operands[i].mem.base == pointer)
            return true;
    return false;
}

/* But for mov to %ss, which has a copy. */
static inline bool oracle_loads_segment(const struct oracle *oracle)
{
    const ZydisDecodedOperand *first = &oracle->operands[0];
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_LSS: return true;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_POP:
        return first->type == ZYDIS_OPERAND_TYPE_REGISTER &&
               ZydisRegisterGetClass(first->reg.value) == ZYDIS_REGCLASS_SEGMENT &&
               first->reg.value != ZYDIS_REGISTER_SS;
    default: return false;
    }
}

/* What the mnemonic alone forbids. */
static inline enum insn_refusal oracle_mnemonic_refusal(const struct oracle *oracle)
{
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_CLRSSBSY:
    case ZYDIS_MNEMONIC_INCSSPD:
    case ZYDIS_MNEMONIC_INCSSPQ:
    case ZYDIS_MNEMONIC_RSTORSSP:
    case ZYDIS_MNEMONIC_SAVEPREVSSP:
    case ZYDIS_MNEMONIC_SETSSBSY:
    case ZYDIS_MNEMONIC_WRSSD:
    case ZYDIS_MNEMONIC_WRSSQ:
    case ZYDIS_MNEMONIC_WRUSSD:
    case ZYDIS_MNEMONIC_WRUSSQ: return REFUSAL_SHADOW_STACK;
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XSUSLDTRK:
    case ZYDIS_MNEMONIC_XRESLDTRK: return REFUSAL_TRANSACTION;
    case ZYDIS_MNEMONIC_WRFSBASE: return REFUSAL_FSBASE;
    case ZYDIS_MNEMONIC_RDGSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
    case ZYDIS_MNEMONIC_SWAPGS: return REFUSAL_GS;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_UIRET:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_ENCLU: return REFUSAL_FAR;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_CLI:
    case ZYDIS_MNEMONIC_STI:
    case ZYDIS_MNEMONIC_IN:
    case ZYDIS_MNEMONIC_OUT:
    case ZYDIS_MNEMONIC_INSB:
    case ZYDIS_MNEMONIC_INSW:
    case ZYDIS_MNEMONIC_INSD:
    case ZYDIS_MNEMONIC_OUTSB:
    case ZYDIS_MNEMONIC_OUTSW:
    case ZYDIS_MNEMONIC_OUTSD:
    case ZYDIS_MNEMONIC_CLUI:
    case ZYDIS_MNEMONIC_STUI:
    case ZYDIS_MNEMONIC_TESTUI:
    case ZYDIS_MNEMONIC_SENDUIPI: return REFUSAL_TRAP;
    default: return REFUSAL_NONE;
    }
}

/* Instructions of hypervisors, enclaves' hosts and kernels that Zydis does not call privileged. */
static inline bool oracle_is_for_kernels(const struct oracle *oracle)
{
    switch (oracle->insn.meta.isa_ext) {
    case ZYDIS_ISA_EXT_VTX:
    case ZYDIS_ISA_EXT_VMFUNC:
    case ZYDIS_ISA_EXT_SVM:
    case ZYDIS_ISA_EXT_SMX:
    case ZYDIS_ISA_EXT_SNP:
    case ZYDIS_ISA_EXT_TDX:
    case ZYDIS_ISA_EXT_SGX_ENCLV:
    case ZYDIS_ISA_EXT_PCONFIG:
    case ZYDIS_ISA_EXT_HRESET:
    case ZYDIS_ISA_EXT_AMD_INVLPGB:
    case ZYDIS_ISA_EXT_MONITOR: return true;
    default: break;
    }
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_ENCLS:
    case ZYDIS_MNEMONIC_ENQCMDS:
    case ZYDIS_MNEMONIC_RSM:
    case ZYDIS_MNEMONIC_XSAVES:
    case ZYDIS_MNEMONIC_XSAVES64:
    case ZYDIS_MNEMONIC_XRSTORS:
    case ZYDIS_MNEMONIC_XRSTORS64: return true;
    default: return false;
    }
}

static inline enum insn_refusal oracle_refusal(const struct oracle *oracle)
{
    enum insn_refusal refusal = oracle_mnemonic_refusal(oracle);
    if (refusal != REFUSAL_NONE)
        return refusal;
    if (oracle->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || oracle_loads_segment(oracle))
        return REFUSAL_FAR;
    if ((oracle->insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) || oracle_is_for_kernels(oracle))
        return REFUSAL_TRAP;
    bool memory = oracle->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
    if (oracle->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
        ((oracle_has_prefix(oracle, 0x66) && !oracle->insn.raw.rex.W) ||
         (oracle_has_prefix(oracle, 0x67) && memory)))
        return REFUSAL_ODD_BRANCH;
    if (oracle_has_prefix(oracle, 0x65))
        return REFUSAL_GS;
    return oracle_based_on(oracle, ZYDIS_REGISTER_EIP) ? REFUSAL_ODD_BRANCH : REFUSAL_NONE;
}

static inline enum insn_class oracle_class(const struct oracle *oracle)
{
    if (oracle_refusal(oracle) != REFUSAL_NONE)
        return INSN_REFUSED;
    bool direct = oracle->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_CALL: return direct ? INSN_CALL : INSN_ICALL;
    case ZYDIS_MNEMONIC_JMP: return direct ? INSN_JUMP : INSN_IJUMP;
    case ZYDIS_MNEMONIC_RET: return INSN_RETURN;
    case ZYDIS_MNEMONIC_SYSCALL: return INSN_SYSCALL;
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE: return INSN_COUNT_COND;
    default: break;
    }
    return oracle->insn.meta.category == ZYDIS_CATEGORY_COND_BR ? INSN_COND : INSN_PLAIN;
}

/* From bits of RFLAGS to ours. */
static inline uint8_t oracle_flags(ZyanU32 rflags)
{
    return (uint8_t)((rflags & ZYDIS_CPUFLAG_CF ? FLAG_CF : 0) |
                     (rflags & ZYDIS_CPUFLAG_PF ? FLAG_PF : 0) |
                     (rflags & ZYDIS_CPUFLAG_AF ? FLAG_AF : 0) |
                     (rflags & ZYDIS_CPUFLAG_ZF ? FLAG_ZF : 0) |
                     (rflags & ZYDIS_CPUFLAG_SF ? FLAG_SF : 0) |
                     (rflags & ZYDIS_CPUFLAG_OF ? FLAG_OF : 0));
}

static inline uint8_t oracle_flags_read(const struct oracle *oracle)
{
    return oracle->insn.cpu_flags ? oracle_flags(oracle->insn.cpu_flags->tested) : 0;
}

static inline uint8_t oracle_flags_written(const struct oracle *oracle)
{
    const ZydisAccessedFlags *flags = oracle->insn.cpu_flags;
    return flags ? oracle_flags(flags->modified | flags->set_0 | flags->set_1 | flags->undefined)
                 : 0;
}

/* Written, and not just undefined. */
static inline uint8_t oracle_flags_defined(const struct oracle *oracle)
{
    const ZydisAccessedFlags *flags = oracle->insn.cpu_flags;
    return flags ? oracle_flags(flags->modified | flags->set_0 | flags->set_1) : 0;
}

/* Zydis leaves out the flags that these clear. */
static inline bool oracle_forgets_flags(const struct oracle *oracle)
{
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_VPTEST:
    case ZYDIS_MNEMONIC_VTESTPS:
    case ZYDIS_MNEMONIC_VTESTPD: return true;
    default: return false;
    }
}

static inline uint8_t oracle_shift_may_kill(const struct oracle *oracle)
{
    const ZydisDecodedOperand *last = &oracle->operands[oracle->insn.operand_count_visible - 1];
    if (last->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return 0;
    unsigned mask = oracle->insn.operand_width == 64 ? 63 : 31;
    return last->imm.value.u & mask ? FLAGS_ALL : 0;
}

/* The most that may count as overwritten where Zydis' "modified" means "perhaps", or where some
 * processors keep a flag that the manuals call undefined. */
static inline uint8_t oracle_flags_may_kill(const struct oracle *oracle)
{
    bool repeated = oracle_has_prefix(oracle, 0xF2) || oracle_has_prefix(oracle, 0xF3);
    switch (oracle->insn.mnemonic) {
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
    case ZYDIS_MNEMONIC_ROL:
    case ZYDIS_MNEMONIC_ROR:
    case ZYDIS_MNEMONIC_RCL:
    case ZYDIS_MNEMONIC_RCR:
    case ZYDIS_MNEMONIC_SHLD:
    case ZYDIS_MNEMONIC_SHRD: return oracle_shift_may_kill(oracle);
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ: return repeated ? 0 : FLAGS_ALL;
    case ZYDIS_MNEMONIC_MUL:
    case ZYDIS_MNEMONIC_IMUL: return FLAG_CF | FLAG_OF;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV: return 0;
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC: return FLAG_CF;
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_TZCNT:
    case ZYDIS_MNEMONIC_LZCNT:
    case ZYDIS_MNEMONIC_CMPXCHG8B:
    case ZYDIS_MNEMONIC_CMPXCHG16B: return FLAG_ZF;
    default: return FLAGS_ALL;
    }
}
