#include "program/insn/disasm.h"

#include "program/elf/image.h"

#include <Zydis/Zydis.h>

static uint8_t kind_of(const ZydisDecodedInstruction *decoded)
{
    bool direct = decoded->raw.imm[0].is_relative;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT: return INSTRUCTION_TRAP;
    /* A branch to Zydis; outside of a transaction it does nothing, inside it never retires. */
    case ZYDIS_MNEMONIC_XABORT: return INSTRUCTION_PLAIN;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER: return INSTRUCTION_SYSCALL;
    default: break;
    }
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_COND_BR: return direct ? INSTRUCTION_COND : INSTRUCTION_PLAIN;
    case ZYDIS_CATEGORY_UNCOND_BR: return direct ? INSTRUCTION_JUMP : INSTRUCTION_IJUMP;
    case ZYDIS_CATEGORY_CALL: return direct ? INSTRUCTION_CALL : INSTRUCTION_ICALL;
    case ZYDIS_CATEGORY_RET: return INSTRUCTION_RETURN;
    default: return INSTRUCTION_PLAIN;
    }
}

bool disasm_at(const struct image *image, struct svma at, struct instruction *ret)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, at, &room);
    if (!bytes)
        return false;
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecodedInstruction decoded;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, room, &decoded)))
        return false;
    *ret = (struct instruction){.at = at, .bytes = decoded.length, .kind = kind_of(&decoded)};
    ret->nop = decoded.mnemonic == ZYDIS_MNEMONIC_NOP;
    if (decoded.raw.imm[0].is_relative)
        ret->target.v = at.v + decoded.length + (uint64_t)decoded.raw.imm[0].value.s;
    return true;
}
