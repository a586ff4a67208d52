#include "program/insn/assembly.h"

#include "program/insn/att.h"
#include "program/elf/image.h"

#include <Zycore/Format.h>
#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A function of ours that takes the place of one of the formatter's, which is then here. */
union hook {
    ZydisFormatterFunc function;
    ZydisFormatterRegisterFunc of_register;
    const void *pointer;
};

struct naming {
    assembly_name *name;
    void *context;
    union hook address, registers;
};

static ZyanStatus text_append(ZydisFormatterBuffer *buffer, ZydisTokenType token, const char *text)
{
    ZyanString *string;
    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, token));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    return ZyanStringAppendFormat(string, "%s", text);
}

/* In place of the formatter's own way of writing absolute addresses. */
static ZyanStatus address_write(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const struct naming *naming = context->user_data;
    ZyanU64 address;
    ZYAN_CHECK(ZydisCalcAbsoluteAddress(context->instruction, context->operand,
                                        context->runtime_address, &address));
    const char *text = naming->name ? naming->name(naming->context, (struct svma){address}) : NULL;
    return text ? text_append(buffer, ZYDIS_TOKEN_SYMBOL, text)
                : naming->address.function(formatter, buffer, context);
}

static ZyanStatus mnemonic_write(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                 ZydisFormatterContext *context)
{
    char name[ATT_NAME_MAX];
    (void)formatter;
    att_name(context->instruction, context->operands, name);
    return text_append(buffer, ZYDIS_TOKEN_MNEMONIC, name);
}

/* "%st(1)": the formatter's "%st1" is nobody's. */
static ZyanStatus register_write(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                 ZydisFormatterContext *context, ZydisRegister which)
{
    const struct naming *naming = context->user_data;
    char text[16] = "%st";
    if (which < ZYDIS_REGISTER_ST0 || which > ZYDIS_REGISTER_ST7)
        return naming->registers.of_register(formatter, buffer, context, which);
    if (which > ZYDIS_REGISTER_ST0)
        snprintf(text, sizeof text, "%%st(%d)", (int)(which - ZYDIS_REGISTER_ST0));
    return text_append(buffer, ZYDIS_TOKEN_REGISTER, text);
}

/* AT&T writes branches through registers and memory with a star, which the formatter leaves out. */
static void star_insert(char *text, size_t room)
{
    size_t bytes = strlen(text);
    char *operand = strrchr(text, ' ');
    if (!operand || operand[1] == '*' || bytes + 2 > room)
        return;
    memmove(operand + 2, operand + 1, bytes - (size_t)(operand + 1 - text) + 1);
    operand[1] = '*';
}

static void formatter_init(ZydisFormatter *formatter, enum assembly_syntax syntax,
                           struct naming *naming)
{
    union hook mnemonic = {.function = mnemonic_write};
    naming->address.function = address_write;
    naming->registers.of_register = register_write;
    ZydisFormatterInit(formatter, syntax == ASSEMBLY_ATT ? ZYDIS_FORMATTER_STYLE_ATT
                                                         : ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
    ZydisFormatterSetHook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS,
                          &naming->address.pointer);
    if (syntax == ASSEMBLY_INTEL)
        return;
    ZydisFormatterSetHook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_MNEMONIC, &mnemonic.pointer);
    ZydisFormatterSetHook(formatter, ZYDIS_FORMATTER_FUNC_PRINT_REGISTER,
                          &naming->registers.pointer);
}

/* What the address is that an operand names by how far it is from here: "   # 0x4010 <leaf>". */
static bool comment_append(const ZydisDecodedInstruction *decoded,
                           const ZydisDecodedOperand *operands, struct svma at,
                           const struct naming *naming, char *text, size_t room)
{
    for (uint8_t i = 0; i < decoded->operand_count_visible; i++) {
        ZyanU64 address;
        if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
            operands[i].mem.base != ZYDIS_REGISTER_RIP ||
            !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(decoded, &operands[i], at.v, &address)))
            continue;
        const char *name =
            naming->name ? naming->name(naming->context, (struct svma){address}) : NULL;
        size_t used = strlen(text);
        int more = snprintf(text + used, room - used, "   # 0x%" PRIx64 "%s%s%s", address,
                            name ? " <" : "", name ? name : "", name ? ">" : "");
        return (size_t)more < room - used;
    }
    return true;
}

bool assembly_text(const struct image *image, struct svma at, enum assembly_syntax syntax,
                   assembly_name *name, void *context, char *text, size_t room)
{
    size_t bytes_room;
    const uint8_t *bytes = image_bytes(image, at, &bytes_room);
    if (!bytes)
        return false;
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, bytes_room, &decoded, operands)))
        return false;
    bool att = syntax == ASSEMBLY_ATT;
    ZydisFormatter formatter;
    struct naming naming = {.name = name, .context = context};
    formatter_init(&formatter, syntax, &naming);
    if (att)
        att_trim(&decoded);
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &decoded, operands,
                                                      decoded.operand_count_visible, text, room,
                                                      at.v, &naming)))
        return false;
    if (att && decoded.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
        decoded.operand_count_visible == 1 && operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        star_insert(text, room);
    return comment_append(&decoded, operands, at, &naming, text, room);
}
