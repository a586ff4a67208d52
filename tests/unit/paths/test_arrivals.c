/* Where control comes into the middle of functions, against a sweep that decodes every instruction
 * of the C library and looks each target up. */
#include "base/err.h"
#include "paths/arrivals.h"
#include "program/elf/image.h"
#include "x86/insn.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int svma_order(const void *a, const void *b)
{
    const struct svma *x = a, *y = b;
    return x->v < y->v ? -1 : x->v > y->v;
}

static bool is_arrival(const struct path_arrivals *arrivals, uint64_t at)
{
    return bsearch(&(struct svma){at}, arrivals->at, arrivals->n, sizeof(struct svma), svma_order);
}

struct swept {
    uint64_t calls_and_jumps, landings;
};

static void insn_check(const struct path_arrivals *arrivals, const struct symbols *symbols,
                       const struct code_range *range, uint64_t pc, const struct insn *insn,
                       struct swept *swept)
{
    bool direct = insn->class == INSN_COND || insn->class == INSN_COUNT_COND ||
                  insn->class == INSN_JUMP || insn->class == INSN_CALL;
    bool landing = insn->length == 4 && insn->map == 1 && insn->opcode == 0x1e &&
                   insn->modrm == 0xfa && insn->prefixes == PREFIX_F3;
    uint64_t to = direct ? insn_target(insn, pc) : pc;
    function_id into = symbols_find(symbols, (struct svma){to});
    if (into == FUNCTION_NONE || symbols->functions.at[into].start.v == to)
        return;
    if (!landing && (!direct || into == range->function))
        return;
    assert_true(is_arrival(arrivals, to));
    swept->landings += landing;
    swept->calls_and_jumps += direct;
}

static void has_all_of_a_sweep(const char *path, struct swept *swept)
{
    struct image image;
    struct err err;
    struct symbols symbols;
    struct path_arrivals arrivals;
    struct insn insn;
    size_t room;
    assert_true(image_open(&image, path, &err));
    symbols_build(&symbols, &image);
    path_arrivals_find(&arrivals, &image, &symbols);
    for (size_t r = 0; r < symbols.ranges.n; r++) {
        const struct code_range *range = &symbols.ranges.at[r];
        const uint8_t *bytes = image_bytes(&image, range->start, &room);
        uint64_t n = bytes && room < range->bytes ? room : range->bytes;
        for (uint64_t at = 0; bytes && at < n; at += insn.length) {
            if (!insn_decode(bytes + at, n - at, &insn))
                break;
            insn_check(&arrivals, &symbols, range, range->start.v + at, &insn, swept);
        }
    }
    for (size_t i = 0; i < arrivals.n; i++) {
        function_id f = symbols_find(&symbols, arrivals.at[i]);
        assert_int_not_equal(f, FUNCTION_NONE);
        assert_true(symbols.functions.at[f].start.v != arrivals.at[i].v);
    }
    vec_release(&arrivals);
    symbols_release(&symbols);
    image_close(&image);
}

static void are_those_of_a_sweep(void **state)
{
    (void)state;
    struct swept swept = {0};
    Dl_info info;
    has_all_of_a_sweep("/proc/self/exe", &swept);
    assert_true(dladdr((void *)(uintptr_t)&strlen, &info) && info.dli_fname);
    has_all_of_a_sweep(info.dli_fname, &swept);
    assert_true(swept.calls_and_jumps > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_those_of_a_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
