#include "view/place_text.h"

#include "program/insn/assembly.h"
#include "program/binary.h"

#include <string.h>

void place_text_begin(struct place_text *text, struct scene *scene)
{
    text->scene = scene;
    listing_begin(&text->listing);
    text->listing.kept = scene_source_kept;
    text->listing.from = scene;
}

void place_text_end(struct place_text *text)
{
    listing_end(&text->listing);
}

const char *place_source(struct place_text *text, uint32_t module, uint64_t at)
{
    const char *file;
    uint32_t line;
    struct binary *binary = scene_binary(text->scene, module);
    if (!binary || !lines_find(binary_lines(binary), (struct svma){at}, &file, &line))
        return "";
    const char *source = listing_line(&text->listing, file, line);
    while (source && *source == ' ')
        source++;
    return source ? source : "";
}

const char *place_brief(const struct place_text *text, const char *code)
{
    enum { SHOWN = 90 };
    size_t n = SHOWN;
    if (text->scene->verbose || strlen(code) <= SHOWN)
        return code;
    while (((unsigned char)code[n] & 0xC0) == 0x80) /* the middle of a letter */
        n--;
    return arena_format(&text->scene->arena, "%.*s...", (int)n, code);
}

const char *place_assembly(const struct place_text *text, uint32_t module, uint64_t at)
{
    static char assembly[128];
    const struct binary *binary = scene_binary(text->scene, module);
    *assembly = 0;
    if (binary)
        assembly_text(&binary->image, (struct svma){at}, ASSEMBLY_ATT, NULL, NULL, assembly,
                      sizeof assembly);
    return assembly;
}
