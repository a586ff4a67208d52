#include "program/fingerprint.h"

#include "program/insn/decoded.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

#include <Zydis/Zydis.h>

#include <string.h>

uint64_t fingerprint_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 29);
}

uint64_t fingerprint_text(const char *text, size_t bytes)
{
    uint64_t hash = bytes;
    for (size_t i = 0; i < bytes; i++)
        hash = fingerprint_mix(hash, (unsigned char)text[i]);
    return hash;
}

size_t name_stem_bytes(const char *linkage)
{
    static const char *const endings[] = {".part.", ".isra.", ".constprop.", ".cold",
                                          ".llvm.", ".lto_",  ".clone.",     ".localalias"};
    size_t least = strlen(linkage);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *found = strstr(linkage, endings[i]);
        if (found && found != linkage && (size_t)(found - linkage) < least)
            least = (size_t)(found - linkage);
    }
    return least;
}

/* An address in a register, or in the instruction itself, moves with every build; a small constant
 * does not. */
static bool is_displacement(const ZydisDecodedOperandMem *memory)
{
    return memory->disp.has_displacement && memory->base != ZYDIS_REGISTER_RIP &&
           (memory->base != ZYDIS_REGISTER_NONE || memory->index == ZYDIS_REGISTER_NONE);
}

static bool is_constant(const struct image *image, const ZydisDecodedOperandImm *constant)
{
    size_t room;
    return !constant->is_relative && !image_bytes(image, (struct svma){constant->value.u}, &room);
}

static uint64_t operand_mix(uint64_t hash, const struct image *image,
                            const ZydisDecodedOperand *operand)
{
    hash = fingerprint_mix(hash, (uint64_t)operand->type << 16 | operand->size);
    switch (operand->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: return fingerprint_mix(hash, operand->reg.value);
    case ZYDIS_OPERAND_TYPE_MEMORY:
        hash = fingerprint_mix(hash, (uint64_t)operand->mem.base << 32 |
                                         (uint64_t)operand->mem.index << 8 | operand->mem.scale);
        return is_displacement(&operand->mem)
                   ? fingerprint_mix(hash, (uint64_t)operand->mem.disp.value)
                   : hash;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return is_constant(image, &operand->imm) ? fingerprint_mix(hash, operand->imm.value.u)
                                                 : hash;
    default: return hash;
    }
}

/* What has no name in one of the builds must not look like something else. */
static uint64_t target_print(const struct symbols *symbols, const struct instruction *instruction)
{
    function_id called = symbols_find(symbols, instruction->target);
    const struct function *function =
        called != FUNCTION_NONE ? &symbols->functions.at[called] : NULL;
    if (!function || (function->source != FUNCTION_SYMBOL && function->source != FUNCTION_STUB))
        return 0;
    return fingerprint_text(function->name, name_stem_bytes(function->name));
}

struct fingerprint fingerprint_of(const struct image *image, const struct symbols *symbols,
                                  const struct instruction *instruction)
{
    struct decoded decoded;
    if (!decoded_read(image, instruction->at, &decoded))
        return (struct fingerprint){0};
    struct fingerprint print = {.loose = fingerprint_mix(1, decoded.instruction.mnemonic)};
    if (symbols && instruction->kind == INSTRUCTION_CALL)
        print.loose = fingerprint_mix(print.loose, target_print(symbols, instruction));
    print.exact = print.loose;
    for (uint8_t i = 0; i < decoded.instruction.operand_count_visible; i++)
        print.exact = operand_mix(print.exact, image, &decoded.operands[i]);
    return print;
}
