/* Any bytes as an .eh_frame or .debug_frame section: the table must be in order, questions must
 * find what is in it, and a step from anywhere must end. */
#include "base/err.h"
#include "program/unwind/unwind.h"
#include "program/unwind/unwind_build.h"
#include "program/unwind/unwind_entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESS = 0x10000 };

static void check_rows(const struct unwind *unwind)
{
    for (size_t i = 0; i < unwind->rows.n; i++) {
        const struct unwind_row *row = &unwind->rows.at[i];
        ASSERT(!i || row[-1].start < row->start);
        ASSERT(row->rule == UNWIND_NO_ROW || row->rule < unwind->rules.n);
        const struct unwind_rule *rule =
            row->rule == UNWIND_NO_ROW ? NULL : &unwind->rules.at[row->rule];
        ASSERT(unwind_find(unwind, (struct svma){unwind->base.v + row->start}) == rule);
        if (i + 1 < unwind->rows.n)
            ASSERT(unwind_find(unwind, (struct svma){unwind->base.v + row[1].start - 1}) == rule);
    }
    ASSERT(!unwind->rows.n || unwind->rows.at[unwind->rows.n - 1].rule == UNWIND_NO_ROW);
}

/* Registers point into the window, so that most rules find something to read. */
static void step_all(const struct unwind *unwind, const uint8_t *data, size_t size)
{
    struct unwind_memory memory = {.bytes = data, .start = {ADDRESS}, .n = size};
    for (size_t i = 0; i < unwind->rows.n && i < 256; i++) {
        struct unwind_frame frame = {.known = (1u << UNWIND_REGISTERS) - 1};
        for (size_t r = 0; r < UNWIND_REGISTERS; r++)
            frame.value[r] = ADDRESS + r * 8;
        struct unwind_frame before = frame;
        struct svma at = {unwind->base.v + unwind->rows.at[i].start};
        for (int steps = 0; steps < 4; steps++) {
            enum unwind_step step = unwind_step(unwind, at, &frame, &memory);
            if (step != UNWIND_CALLER)
                break;
            ASSERT(frame.value[UNWIND_RIP] != before.value[UNWIND_RIP] ||
                   frame.value[UNWIND_RSP] != before.value[UNWIND_RSP]);
            before = frame;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int debug = 0; debug < 2; debug++) {
        struct unwind_entries entries = {0};
        struct unwind unwind;
        struct unwind_section section = {
            .bytes = data, .n = size, .address = {ADDRESS}, .debug = debug};
        unwind_entries_read(&entries, &section);
        unwind_build_entries(&unwind, &entries, (struct svma){0});
        check_rows(&unwind);
        step_all(&unwind, data, size);
        unwind_release(&unwind);
        unwind_entries_release(&entries);
    }
    return 0;
}
