#include "program/assembly.h"

#include "program/image.h"

#include <Zycore/Format.h>
#include <Zydis/Zydis.h>
#include <string.h>

struct naming {
    assembly_name *name;
    void *context;
    union {
        ZydisFormatterFunc usual; /* the formatter's own, once ours is in its place */
        const void *hook;
    };
};

/* In place of the formatter's own way of writing absolute addresses. */
static ZyanStatus address_write(const ZydisFormatter *formatter, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const struct naming *naming = context->user_data;
    ZyanU64 address;
    ZYAN_CHECK(ZydisCalcAbsoluteAddress(context->instruction, context->operand,
                                        context->runtime_address, &address));
    const char *text = naming->name ? naming->name(naming->context, (struct svma){address}) : NULL;
    if (!text)
        return naming->usual(formatter, buffer, context);
    ZyanString *string;
    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, ZYDIS_TOKEN_SYMBOL));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    return ZyanStringAppendFormat(string, "%s", text);
}

/* AT&T writes branches through registers and memory with a star, which the formatter leaves out. */
static void star_insert(char *text, size_t room)
{
    size_t bytes = strlen(text);
    char *operand = strrchr(text, ' ');
    if (!operand || bytes + 2 > room)
        return;
    memmove(operand + 2, operand + 1, bytes - (size_t)(operand + 1 - text) + 1);
    operand[1] = '*';
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
    ZydisFormatter formatter;
    struct naming naming = {name, context, {address_write}};
    ZydisFormatterInit(&formatter, syntax == ASSEMBLY_ATT ? ZYDIS_FORMATTER_STYLE_ATT
                                                          : ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetHook(&formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS, &naming.hook);
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &decoded, operands,
                                                      decoded.operand_count_visible, text, room,
                                                      at.v, &naming)))
        return false;
    if (syntax == ASSEMBLY_ATT && decoded.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
        decoded.operand_count_visible == 1 && operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        star_insert(text, room);
    return true;
}
