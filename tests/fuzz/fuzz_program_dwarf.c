/* Any bytes as DWARF sections: units, lines and inlined functions are read, and every address asked
 * for.
 *
 * An input is the sections one after the other, each with its length (16 bits) before it, in the
 * order of enum dwarf_section_id without the last; tests/fuzz/seed_program makes some of real
 * programs. Code is taken to lie at 0x1000 to 0x3000. */
#include "base/err.h"
#include "program/dwarf/debug_info.h"
#include "program/elf/image.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/lines.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE_START = 0x1000, CODE_BYTES = 0x2000 };

static void sections_take(struct dwarf_sections *sections, const uint8_t *data, size_t size)
{
    for (int id = 0; id < DWARF_CU_INDEX && size >= 2; id++) {
        uint16_t bytes;
        memcpy(&bytes, data, 2);
        data += 2;
        size -= 2;
        size_t n = bytes < size ? bytes : size;
        sections->at[id] = (struct dwarf_section){data, n};
        data += n;
        size -= n;
    }
}

static void ask(const struct debug_info *info, const struct lines *lines,
                const struct inlines *inlines)
{
    struct inline_names names;
    inline_names_init(&names);
    for (uint64_t at = CODE_START; at < CODE_START + CODE_BYTES; at += 8) {
        struct line_place place;
        uint32_t unit = 0;
        lines_at(lines, (struct svma){at}, &place);
        const struct inline_node *node = inlines_find(inlines, (struct svma){at}, &unit);
        for (size_t depth = 0; node; depth++) {
            ASSERT(depth < 100000 && unit < info->units.n);
            inlines_name(inlines, &names, unit, node);
            lines_file(lines, lines_table(lines, info->units.at[unit]->stmt_list), node->call_file);
            node = inlines_parent(inlines, unit, node);
        }
    }
    inline_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t code[CODE_BYTES];
    struct image image = {.file = {.bytes = code, .n_bytes = sizeof code}};
    *vec_push(&image.segments) = (struct segment){.start = {CODE_START},
                                                  .file_bytes = CODE_BYTES,
                                                  .memory_bytes = CODE_BYTES,
                                                  .executable = true};
    struct debug_info info = {.image = &image};
    sections_take(&info.main.sections, data, size);
    abbrev_cache_init(&info.main.abbrevs);
    dwarf_units_read(&info.main.units, &info.main.sections, &info.main.abbrevs);
    for (size_t i = 0; i < info.main.units.n; i++)
        *vec_push(&info.units) = &info.main.units.at[i];
    struct lines lines;
    struct inlines inlines;
    lines_read(&lines, &info);
    inlines_read(&inlines, &info);
    ask(&info, &lines, &inlines);
    inlines_release(&inlines);
    lines_release(&lines);
    debug_info_close(&info);
    vec_release(&image.segments);
    return 0;
}
