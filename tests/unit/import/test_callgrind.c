#include "import/import.h"

#include "base/err.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "# callgrind format\n"
                           "version: 1\n"
                           "cmd: ./it now\n"
                           "positions: instr line\n"
                           "events: Dr Ir\n"
                           "\n"
                           "ob=(1) /nowhere/it\n"
                           "fn=(1) main\n"
                           "0x1000 5 9 3\n"
                           "+4 +1 9 3\n"
                           "jcnd=2/3 -4 -1\n"
                           "* *\n"
                           "+2 * 0 1\n"
                           "cob=(2) /nowhere/lib.so\n"
                           "cfn=(2) far\n"
                           "calls=1 0x2000 7\n"
                           "* * 50 60\n"
                           "jump=1 0x1000 5\n"
                           "+6 *\n"
                           "ob=(2)\n"
                           "0x2000 7 4 1\n";

static bool import_text(const char *from, size_t n, struct profile *profile, struct err *err)
{
    FILE *stream = fmemopen((void *)(uintptr_t)from, n, "r");
    profile_init(profile);
    profile->mode = PROFILE_EXACT;
    bool ok = import_callgrind(profile, stream, err);
    fclose(stream);
    return ok;
}

static uint64_t edge(const struct profile *profile, struct edge_key key)
{
    const struct sums *sums = table_find(&profile->edges, &key);
    return sums ? sums->count : 0;
}

static void short_forms_are_read(void **state)
{
    (void)state;
    struct profile profile;
    struct err err;
    assert_true(import_text(text, sizeof text - 1, &profile, &err));
    assert_string_equal(profile.command, "./it now");
    uint32_t it = profile_module(&profile, "/nowhere/it", NULL, 0);
    uint32_t lib = profile_module(&profile, "/nowhere/lib.so", NULL, 0);
    /* What a call costs inclusively is nobody's own. */
    assert_int_equal(profile.totals.instructions, 3 + 3 + 1 + 1);
    struct range_key range = {it, 1, {0x1004}, {0x1004}};
    assert_int_equal(table_find(&profile.ranges, &range)->count, 3);
    assert_int_equal(edge(&profile, (struct edge_key){it, it, {0x1004}, {0x1000}, EDGE_JUMP}), 2);
    assert_int_equal(edge(&profile, (struct edge_key){it, lib, {0x1006}, {0x2000}, EDGE_CALL}), 1);
    assert_int_equal(edge(&profile, (struct edge_key){it, it, {0x100C}, {0x1000}, EDGE_JUMP}), 1);
    profile_release(&profile);
}

static void damaged_files_are_refused_or_read(void **state)
{
    (void)state;
    char copy[sizeof text];
    for (size_t n = 1; n < sizeof text; n++)
        for (int flip = 0; flip < 8; flip += 3) {
            struct profile profile;
            struct err err;
            memcpy(copy, text, sizeof text);
            copy[n - 1] = (char)(copy[n - 1] ^ 1 << flip);
            if (!import_text(copy, flip ? sizeof text - 1 : n, &profile, &err))
                assert_int_equal(err.kind, ERR_FORMAT);
            profile_release(&profile);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_forms_are_read),
        cmocka_unit_test(damaged_files_are_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
