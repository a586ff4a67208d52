/* Rules made function by function are those of the whole table. */
#include "program/elf/image.h"
#include "program/elf/symtab.h"
#include "program/unwind/unwind_partial.h"

#include "base/err.h"

#include "oracle.h"

#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

/* Expressions are numbered by whoever met them first. */
static bool same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
    struct unwind_rule x = *a, y = *b;
    if (x.cfa == CFA_EXPRESSION && y.cfa == CFA_EXPRESSION)
        x.number = y.number = 0;
    for (int i = 0; i < UNWIND_REGISTERS; i++) {
        enum column_kind kind = column_kind(x.column[i]);
        if ((kind == COLUMN_AT_EXPRESSION || kind == COLUMN_IS_EXPRESSION) &&
            kind == column_kind(y.column[i]))
            x.column[i] = y.column[i] = 0;
    }
    return memcmp(&x, &y, sizeof x) == 0;
}

static void open_image(struct image *image, const char *path)
{
    struct err err;
    if (!image_open(image, path, &err))
        fail_msg("%s", err.text);
}

struct compared {
    size_t entries, derived;
};

/* Where the whole table stops reading code, at a limit, parts of it go on. */
static struct compared compare(const char *path)
{
    struct image image;
    struct unwind whole;
    struct unwind_partial partial;
    struct compared compared = {0};
    size_t differing = 0;
    open_image(&image, path);
    unwind_build(&whole, &image);
    unwind_partial_init(&partial, &image);
    for (size_t i = whole.rows.n; i-- > 0;) { /* from the end: functions are put in anywhere */
        struct svma at = {whole.base.v + whole.rows.at[i].start};
        const struct unwind_rule *expected = unwind_find(&whole, at);
        if (!expected)
            continue;
        const struct unwind_rule *got = unwind_find(unwind_partial_at(&partial, at), at);
        if ((!got || !same_rule(expected, got)) && ++differing <= 20)
            print_message("%s: another rule at %llx\n", path, (unsigned long long)at.v);
        if (expected->derived)
            compared.derived++;
        else
            compared.entries++;
    }
    print_message("%s: %zu rows of entries, %zu of code, %zu differ\n", path, compared.entries,
                  compared.derived, differing);
    assert_int_equal(differing, 0);
    unwind_partial_release(&partial);
    unwind_release(&whole);
    image_close(&image);
    return compared;
}

static int n_files;
static char **files;

static void rules_are_those_of_the_whole_table(void **state)
{
    (void)state;
    for (int i = 0; i < n_files; i++)
        compare(files[i]);
    assert_true(compare("/proc/self/exe").entries > 100);
    assert_true(compare("/lib/x86_64-linux-gnu/libc.so.6").entries > 10000);
}

/* Of code without entries as well, of which reading `f` alone would not find `hidden`, nor that
 * `inner` is no part of `outer`. Entries stand between. */
static void code_is_read_as_for_the_whole_table(void **state)
{
    (void)state;
    char *folder = oracle_folder(), path[256];
    oracle_run(
        "cd %s && { printf '%%s\\n' '.macro name n' '.globl \\n' '.type \\n,@function' '\\n:' "
        "'.endm' "
        "'name g' '.cfi_startproc' 'ret' '.cfi_endproc' '.size g,.-g' 'nop' "
        "'name f' 'push %%rbx' 'call hidden' 'call inner' 'pop %%rbx' 'ret' '.size f,.-f' 'nop' "
        "'hidden: push %%rbp' 'sub $32,%%rsp' 'ret' 'nop' "
        "'name outer' 'push %%r12' 'jz 1f' 'pop %%r12' 'ret' 'name inner' 'push %%r13' "
        "'1: push %%r14' 'ret' '.size inner,.-inner' 'ud2' '.size outer,.-outer' "
        "'name unsized' 'push %%rax' 'ret'; "
        "printf '.macro many i\\nname many\\\\i\\npush %%%%r15\\nret\\n"
        ".size many\\\\i,.-many\\\\i\\n.endm\\n'; "
        "for i in $(seq 500); do echo many $i; done; } >a.s && "
        "gcc -shared -nostdlib -o a.so a.s",
        folder);
    snprintf(path, sizeof path, "%s/a.so", folder);
    struct compared compared = compare(path);
    assert_true(compared.entries >= 1);
    assert_true(compared.derived > 1000);
    oracle_folder_remove(folder);
}

/* What is asked for is read, not what stands beside it. */
static void only_what_is_asked_for_is_read(void **state)
{
    (void)state;
    struct image image;
    struct unwind_partial partial;
    char *folder = oracle_folder(), path[256];
    oracle_run("cd %s && for i in $(seq 500); do printf '.globl f%%d\\n.type "
               "f%%d,@function\\nf%%d: push %%%%rbx\\n"
               "call f1\\npop %%%%rbx\\nret\\n.size f%%d,.-f%%d\\n' $i $i $i $i $i; done >a.s && "
               "gcc -shared -nostdlib -o a.so a.s",
               folder);
    snprintf(path, sizeof path, "%s/a.so", folder);
    open_image(&image, path);
    unwind_partial_init(&partial, &image);
    struct symtab symtab;
    symtab_read(&symtab, &image);
    struct svma at = {symtab.at[symtab.n / 2].start.v + 1};
    symtab_release(&symtab);
    const struct unwind *table = unwind_partial_at(&partial, at);
    const struct unwind_rule *rule = unwind_find(table, at);
    assert_non_null(rule);
    assert_int_equal(rule->number, 16);
    assert_int_equal(table->derived, 4);
    assert_null(partial.whole);
    assert_ptr_equal(unwind_partial_at(&partial, (struct svma){at.v - 1}), table);
    assert_ptr_not_equal(unwind_partial_at(&partial, (struct svma){at.v - 2}), table);
    unwind_partial_release(&partial);
    image_close(&image);
    oracle_folder_remove(folder);
}

/* Nobody's code: nothing is known, and no table is made to say so. */
static void data_has_no_rule(void **state)
{
    (void)state;
    struct image image;
    struct unwind_partial partial;
    open_image(&image, "/proc/self/exe");
    unwind_partial_init(&partial, &image);
    assert_null(unwind_find(unwind_partial_at(&partial, (struct svma){1}), (struct svma){1}));
    assert_null(partial.whole);
    assert_int_equal(partial.n, 0);
    unwind_partial_release(&partial);
    image_close(&image);
}

/* An index that lies costs its answers, and nothing else. */
static void index_may_lie(void **state)
{
    (void)state;
    struct image image;
    struct unwind_partial partial;
    uint8_t rows[64 * 8];
    open_image(&image, "/proc/self/exe");
    for (uint32_t seed = 0; seed < 200; seed++) {
        unwind_partial_init(&partial, &image);
        assert_true(partial.n_rows > 64);
        memcpy(rows, partial.rows, sizeof rows);
        for (uint32_t i = 0; i < sizeof rows; i++)
            if ((i * 2654435761u ^ seed * 40503u) % 7 == 0)
                rows[i] = (uint8_t)(i * seed);
        partial.rows = rows;
        partial.n_rows = 64;
        for (uint32_t i = 0; i < 64; i++) {
            struct svma at = {partial.section.v - i * 997};
            (void)unwind_find(unwind_partial_at(&partial, at), at);
        }
        unwind_partial_release(&partial);
    }
    image_close(&image);
}

int main(int argc, char **argv)
{
    n_files = argc - 1;
    files = argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_those_of_the_whole_table),
        cmocka_unit_test(code_is_read_as_for_the_whole_table),
        cmocka_unit_test(only_what_is_asked_for_is_read),
        cmocka_unit_test(data_has_no_rule),
        cmocka_unit_test(index_may_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
