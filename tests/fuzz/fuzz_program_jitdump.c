/* Any bytes as a dump of JIT code: it is read without harm, and what it has lies inside it. */
#include "program/names/jit_dump.h"

#include "base/err.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_dump dump;
    struct bytes text = {0};
    struct err err;
    bytes_add(&text, data, size);
    if (!jit_dump_parse(&dump, "dump", text, &err))
        return 0;
    for (size_t i = 0; i < dump.n; i++) {
        const struct jit_code *code = &dump.at[i];
        ASSERT(*code->name && code->start + code->bytes >= code->start);
        ASSERT(!code->code || (code->code >= dump.text.at &&
                               code->bytes <= (size_t)(dump.text.at + dump.text.n - code->code)));
        ASSERT(code->n_lines <= dump.lines.n && code->first_line <= dump.lines.n - code->n_lines);
    }
    for (size_t i = 0; i < dump.lines.n; i++)
        ASSERT(*dump.lines.at[i].file);
    jit_dump_release(&dump);
    return 0;
}
