/* The tables of docs/INSTRUCTIONS.md against the decoder and the shapes of superblocks; lengths
 * against Zydis. */
#include "walk/emit/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <Zydis/Zydis.h>
#include <cmocka.h>

enum { PAGE = 4096, LONGEST = 15 };

struct row {
    char what[200], becomes[32];
    uint8_t bytes[LONGEST];
    size_t n;
};

static uint8_t *page;
static struct regions regions;
static struct shape whole, sampled;

static void refresh(struct regions *into)
{
    (void)into;
}

static int set_up(void **state)
{
    (void)state;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    regions.n = 1;
    regions.at[0] =
        (struct region){.start = (uint64_t)page, .end = (uint64_t)page + PAGE, .refusal = LOSS_N};
    regions.refresh = refresh;
    regions.transactions = true;
    return 0;
}

/* | what | becomes | `bytes` | */
static bool row_read(const char *line, struct row *ret)
{
    char bytes[64];
    ret->n = 0;
    if (sscanf(line, "| %199[^|]| %31[a-z] | `%63[0-9A-F ]` |", ret->what, ret->becomes, bytes) !=
        3)
        return false;
    for (char *at = bytes; *at && ret->n < LONGEST;) {
        char *end;
        ret->bytes[ret->n++] = (uint8_t)strtoul(at, &end, 16);
        at = end;
        while (*at == ' ')
            at++;
    }
    return true;
}

static const char *becomes(const struct row *row)
{
    struct insn insn;
    memset(page, 0, PAGE);
    memcpy(page, row->bytes, row->n);
    memcpy(page + row->n, "\x0F\x0B", 2);
    bool decoded = insn_decode(page, PAGE, &insn);
    shape_form(&whole, &regions, (uint64_t)page, true, SHAPE_SEGMENTS, (uint64_t)page);
    shape_form(&sampled, &regions, (uint64_t)page, false, SHAPE_SEGMENTS, (uint64_t)page);
    if (!decoded)
        return shape_empty(&whole) ? "unknown" : "?";
    if (insn.length != row->n)
        return "of another length";
    if (insn.class == INSN_PLAIN)
        return whole.n_steps == 1 && !whole.stepped ? "copied" : "?";
    if (insn.class != INSN_REFUSED)
        return "followed";
    if (!shape_empty(&sampled))
        return "walked when sampled";
    return shape_empty(&whole) ? "uncounted" : whole.stepped ? "stepped" : "exact";
}

/* 0: Zydis does not know it. */
static size_t their_length(const struct row *row)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, row->bytes, row->n, &insn))
               ? insn.length
               : 0;
}

static void the_tables_are_true(void **state)
{
    (void)state;
    char line[512];
    size_t rows = 0, known = 0, wrong = 0;
    FILE *file = fopen("docs/INSTRUCTIONS.md", "r");
    if (!file) {
        print_message("docs/INSTRUCTIONS.md: not here; run from the top folder\n");
        skip();
    }
    while (fgets(line, sizeof line, file)) {
        struct row row;
        if (!row_read(line, &row))
            continue;
        const char *is = becomes(&row);
        size_t theirs = their_length(&row);
        rows++;
        known += theirs != 0;
        bool same = strcmp(is, row.becomes) == 0 && (!theirs || theirs == row.n);
        wrong += !same;
        if (!same)
            print_error("%s: %s, but is %s; %zu bytes, Zydis %zu\n", row.what, row.becomes, is,
                        row.n, theirs);
    }
    fclose(file);
    print_message("%zu rows, %zu of them known to Zydis, %zu wrong\n", rows, known, wrong);
    assert_int_equal(wrong, 0);
    assert_true(rows > 120 && known > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(the_tables_are_true, set_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
