#include "program/insn/decoded.h"

#include "program/elf/image.h"

bool decoded_read(const struct image *image, struct svma at, struct decoded *ret)
{
    size_t room = 0;
    const uint8_t *bytes = image_bytes(image, at, &room);
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, room, &ret->instruction,
                                                        ret->operands));
}
