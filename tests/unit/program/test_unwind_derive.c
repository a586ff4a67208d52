/* Rules from reading code against those that the compiler has written down for the same code. Given
 * files as arguments it compares those; alone, this machine's libc. */
#include "program/unwind/unwind_derive.h"

#include "base/err.h"
#include "program/elf/image.h"
#include "program/unwind/unwind.h"

#include "oracle.h"

#include <setjmp.h>
#include <cmocka.h>

static int n_files;
static char **files;

/* Where one says rsp and the other rbp they cannot be compared without running the code. */
static bool is_comparable(const struct unwind_rule *entry, const struct unwind_rule *derived)
{
    return entry && entry->cfa == CFA_REGISTER && entry->cfa_register == derived->cfa_register;
}

static bool is_equal(const struct unwind_rule *entry, const struct unwind_rule *derived)
{
    uint32_t both = entry->columns & derived->columns;
    for (int i = 0; i < UNWIND_REGISTERS; i++)
        if ((both >> i & 1) && entry->column[i] != derived->column[i])
            return false;
    return entry->number == derived->number && (both >> UNWIND_RIP & 1);
}

static void compare(const char *path)
{
    struct err err;
    struct image image;
    struct unwind unwind;
    struct deriveds deriveds;
    if (!image_open(&image, path, &err))
        fail_msg("%s", err.text);
    unwind_build(&unwind, &image);
    unwind_derive(&deriveds, &(struct unwind){.base = unwind.base}, &image);
    size_t compared = 0, equal = 0;
    for (size_t i = 0; i < deriveds.n; i++) {
        const struct unwind_rule *entry = unwind_find(&unwind, deriveds.at[i].start);
        if (!is_comparable(entry, &deriveds.at[i].rule))
            continue;
        compared++;
        equal += is_equal(entry, &deriveds.at[i].rule);
    }
    printf("%s: %zu instructions read, %zu of %zu rules equal\n", path, deriveds.n, equal,
           compared);
    assert_true(compared > 1000);
    assert_true(equal * 1000 >= compared * 992);
    deriveds_release(&deriveds);
    unwind_release(&unwind);
    image_close(&image);
}

static void rules_are_the_compilers(void **state)
{
    (void)state;
    for (int i = 0; i < n_files; i++)
        compare(files[i]);
    if (!n_files)
        compare(LIBC);
}

/* Code without any entry gets rows, and code that has one keeps it. */
static void gaps_are_filled(void **state)
{
    (void)state;
    struct err err;
    struct image image;
    struct unwind unwind;
    char *folder = oracle_folder(), path[256];
    oracle_run("cd %s && printf '%%s\\n' '.globl f' '.type f,@function' 'f: push %%rbx' "
               "'sub $16,%%rsp' 'call g' 'add $16,%%rsp' 'pop %%rbx' 'ret' '.size f,.-f' "
               "'g: .cfi_startproc' 'ret' '.cfi_endproc' >a.s && gcc -shared -nostdlib -o a.so a.s",
               folder);
    snprintf(path, sizeof path, "%s/a.so", folder);
    if (!image_open(&image, path, &err))
        fail_msg("%s", err.text);
    unwind_build(&unwind, &image);
    assert_int_equal(unwind.derived, 6);
    uint64_t f = 0;
    while (f < 0x10000 && !unwind_find(&unwind, (struct svma){f}))
        f++;
    /* push 1, sub 4, call 5, add 4, pop 1, ret 1; then g */
    static const int32_t heights[] = {8, 16, 32, 32, 16, 8, 8};
    static const uint8_t bytes[] = {1, 4, 5, 4, 1, 1, 1};
    for (size_t i = 0; i < sizeof bytes; f += bytes[i++]) {
        const struct unwind_rule *rule = unwind_find(&unwind, (struct svma){f});
        assert_non_null(rule);
        assert_int_equal(rule->number, heights[i]);
        assert_int_equal(rule->derived, i < 6);
        assert_int_equal(rule->columns >> UNWIND_RBX & 1, i >= 1 && i <= 4);
    }
    assert_null(unwind_find(&unwind, (struct svma){f}));
    unwind_release(&unwind);
    image_close(&image);
    oracle_folder_remove(folder);
}

int main(int argc, char **argv)
{
    n_files = argc - 1;
    files = argv + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_are_the_compilers),
                                       cmocka_unit_test(gaps_are_filled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
