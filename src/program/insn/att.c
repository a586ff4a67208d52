#include "program/insn/att.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct renaming {
    const char *intel, *att;
};

static const char *rename_find(const struct renaming *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].intel, name) == 0)
            return list[i].att;
    return NULL;
}

#define RENAMED(list, name) rename_find(list, sizeof(list) / sizeof *(list), name)

/* ---- sizes */

static const char *integer_letter(unsigned bits)
{
    return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : bits == 64 ? "q" : "";
}

static const ZydisDecodedOperand *memory_of(const ZydisDecodedInstruction *instruction,
                                            const ZydisDecodedOperand *operands)
{
    for (uint8_t i = 0; i < instruction->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return &operands[i];
    return NULL;
}

/* A register that is as wide as the memory; %cl of shifts is not. */
static bool register_tells(const ZydisDecodedInstruction *instruction,
                           const ZydisDecodedOperand *operands)
{
    if (instruction->meta.category == ZYDIS_CATEGORY_SHIFT ||
        instruction->meta.category == ZYDIS_CATEGORY_ROTATE)
        return false;
    for (uint8_t i = 0; i < instruction->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            return true;
    return false;
}

static const char *integer_size(const ZydisDecodedInstruction *instruction,
                                const ZydisDecodedOperand *operands)
{
    const ZydisDecodedOperand *memory = memory_of(instruction, operands);
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_DATAXFER:
        return memory && !register_tells(instruction, operands) ? integer_letter(memory->size) : "";
    case ZYDIS_CATEGORY_CONVERT: /* of integers in memory: cvtsi2sd */
        return memory && strstr(ZydisMnemonicGetString(instruction->mnemonic), "si2s")
                   ? integer_letter(memory->size)
                   : "";
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP: return memory ? integer_letter(instruction->operand_width) : "";
    default:
        return memory && instruction->mnemonic == ZYDIS_MNEMONIC_CRC32
                   ? integer_letter(memory->size)
                   : "";
    }
}

/* ---- the old floating point unit */

static const char *float_size(const ZydisDecodedInstruction *instruction,
                              const ZydisDecodedOperand *operands)
{
    const ZydisDecodedOperand *memory = memory_of(instruction, operands);
    bool integer = strncmp(ZydisMnemonicGetString(instruction->mnemonic), "fi", 2) == 0;
    if (!memory)
        return "";
    if (integer)
        return memory->size == 16 ? "s" : memory->size == 32 ? "l" : "ll";
    switch (memory->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT32: return "s";
    case ZYDIS_ELEMENT_TYPE_FLOAT64: return "l";
    case ZYDIS_ELEMENT_TYPE_FLOAT80: return "t";
    default: return "";
    }
}

/* AT&T's assembler once had these the wrong way around, and everybody kept it so. */
static const char *float_swapped(const ZydisDecodedInstruction *instruction,
                                 const ZydisDecodedOperand *operands, const char *name)
{
    static const struct renaming swapped[] = {
        {"fsub", "fsubr"}, {"fsubr", "fsub"}, {"fsubp", "fsubrp"}, {"fsubrp", "fsubp"},
        {"fdiv", "fdivr"}, {"fdivr", "fdiv"}, {"fdivp", "fdivrp"}, {"fdivrp", "fdivp"}};
    bool popped = name[strlen(name) - 1] == 'p';
    bool to_stack = instruction->operand_count_visible &&
                    operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                    (operands[0].reg.value != ZYDIS_REGISTER_ST0 || popped);
    const char *other = to_stack ? RENAMED(swapped, name) : NULL;
    return other ? other : name;
}

/* ---- names */

/* "movzx", "movsx", "movsxd": from what to what. */
static bool extension_name(const ZydisDecodedInstruction *instruction,
                           const ZydisDecodedOperand *operands, char name[ATT_NAME_MAX])
{
    bool sign = instruction->mnemonic == ZYDIS_MNEMONIC_MOVSX ||
                instruction->mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    if (!sign && instruction->mnemonic != ZYDIS_MNEMONIC_MOVZX)
        return false;
    if (operands[0].size == operands[1].size) /* movsxd that extends nothing: no other name */
        return false;
    snprintf(name, ATT_NAME_MAX, "mov%c%s%s", sign ? 's' : 'z', integer_letter(operands[1].size),
             integer_letter(operands[0].size));
    return true;
}

/* "jnbe" -> "ja", "setz" -> "sete", "cmovnl" -> "cmovge". */
static bool condition_name(const ZydisDecodedInstruction *instruction, char name[ATT_NAME_MAX])
{
    static const struct renaming conditions[] = {{"z", "e"},   {"nz", "ne"}, {"nb", "ae"},
                                                 {"nbe", "a"}, {"nl", "ge"}, {"nle", "g"}};
    const char *intel = ZydisMnemonicGetString(instruction->mnemonic);
    size_t stem = instruction->meta.category == ZYDIS_CATEGORY_COND_BR ? 1
                  : instruction->meta.category == ZYDIS_CATEGORY_SETCC ? 3
                  : instruction->meta.category == ZYDIS_CATEGORY_CMOV  ? 4
                                                                       : 0;
    const char *other = stem && strlen(intel) > stem ? RENAMED(conditions, intel + stem) : NULL;
    if (other)
        snprintf(name, ATT_NAME_MAX, "%.*s%s", (int)stem, intel, other);
    return other != NULL;
}

static const char *whole_name(const ZydisDecodedInstruction *instruction)
{
    static const struct renaming strings[] = {
        {"movsd", "movsl"}, {"stosd", "stosl"}, {"lodsd", "lodsl"}, {"cmpsd", "cmpsl"},
        {"scasd", "scasl"}, {"insd", "insl"},   {"outsd", "outsl"}};
    static const struct renaming others[] = {{"cbw", "cbtw"}, {"cwde", "cwtl"}, {"cdqe", "cltq"},
                                             {"cwd", "cwtd"}, {"cdq", "cltd"},  {"cqo", "cqto"}};
    const char *intel = ZydisMnemonicGetString(instruction->mnemonic);
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_STRINGOP:
    case ZYDIS_CATEGORY_IOSTRINGOP: return RENAMED(strings, intel);
    case ZYDIS_CATEGORY_CONVERT: return RENAMED(others, intel);
    default: return NULL;
    }
}

void att_name(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
              char name[ATT_NAME_MAX])
{
    const char *intel = ZydisMnemonicGetString(instruction->mnemonic);
    const char *whole = whole_name(instruction);
    bool far = instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
    if (whole)
        snprintf(name, ATT_NAME_MAX, "%s", whole);
    else if (instruction->meta.category == ZYDIS_CATEGORY_X87_ALU)
        snprintf(name, ATT_NAME_MAX, "%s%s", float_swapped(instruction, operands, intel),
                 float_size(instruction, operands));
    else if (!extension_name(instruction, operands, name) && !condition_name(instruction, name))
        snprintf(name, ATT_NAME_MAX, "%s%s%s", far ? "l" : "", intel,
                 integer_size(instruction, operands));
}

void att_trim(ZydisDecodedInstruction *instruction)
{
    if (instruction->mnemonic == ZYDIS_MNEMONIC_NOP && instruction->operand_count_visible > 1)
        instruction->operand_count_visible = 1;
}
