#include "sample.h"

static void stacks_give_inclusive_costs(void **state)
{
    (void)state;
    struct profile profile;
    sample(&profile);
    char *text = exported("callgrind", &profile, by_time(), NULL);
    const char *body = strstr(text, "events: ns\n");
    assert_non_null(body);
    /* fib's calls of itself cost nothing more: main_'s call of it has all of it. */
    assert_string_equal(body, "events: ns\n"
                              "summary: 444443\n"
                              "\n"
                              "ob=(1) [jit]\n"
                              "fl=(1) ???\n"
                              "fn=(1) main_\n"
                              "0 40\n"
                              "cob=(1)\n"
                              "cfi=(1)\n"
                              "cfn=(2) operator;?\"fib\"\n"
                              "calls=1 0\n"
                              "0 44400\n"
                              "\n"
                              "ob=(1)\n"
                              "fl=(1)\n"
                              "fn=(2)\n"
                              "0 4400\n"
                              "cob=(1)\n"
                              "cfi=(1)\n"
                              "cfn=(2)\n"
                              "calls=1 0\n"
                              "0 0\n"
                              "cob=(2) [kernel]\n"
                              "cfi=(1)\n"
                              "cfn=(3) read_\n"
                              "calls=1 0\n"
                              "0 40000\n"
                              "\n"
                              "ob=(1)\n"
                              "fl=(1)\n"
                              "fn=(4) a::b(int)\n"
                              "0 400000\n"
                              "\n"
                              "ob=(2)\n"
                              "fl=(1)\n"
                              "fn=(3)\n"
                              "0 40000\n"
                              "\n"
                              "ob=(3) /no/such/libgone.so\n"
                              "fl=(1)\n"
                              "fn=(5) [libgone.so]\n"
                              "0 3\n"
                              "\n"
                              "totals: 444443\n");
    free(text);
    profile_release(&profile);
}

static void range(struct profile *profile, uint32_t module, uint64_t start, uint64_t count)
{
    struct range_key key = {.module = module, .instructions = 1, .start = {start}, .last = {start}};
    table_at(&profile->ranges, &key)->count = count;
}

static void edge(struct profile *profile, uint32_t module, uint64_t from, uint64_t to,
                 enum edge_kind kind, uint64_t count)
{
    struct edge_key key = {module, module, {from}, {to}, kind};
    table_at(&profile->edges, &key)->count = count;
}

/* outer calls once a function that calls another ten times; two call shared, so nobody knows whose
 * cost it is. */
static void counts_give_inclusive_costs_where_they_tell(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    uint32_t jit = profile_module_jit(&profile, 1);
    static const char *const names[] = {"outer", "middle", "inner", "shared"};
    for (uint64_t i = 0; i < 4; i++)
        named(&profile, jit, 0x1000 * (i + 1), names[i]);
    range(&profile, jit, 0x1000, 3);
    range(&profile, jit, 0x1010, 30);
    range(&profile, jit, 0x2000, 3);
    range(&profile, jit, 0x3000, 10);
    range(&profile, jit, 0x4000, 9);
    edge(&profile, jit, 0x1010, 0x2000, EDGE_CALL, 3);
    edge(&profile, jit, 0x1010, 0x1000, EDGE_TAKEN, 27);
    edge(&profile, jit, 0x1020, 0x1000, EDGE_JUMP, 1);
    edge(&profile, jit, 0x2000, 0x3000, EDGE_ICALL, 10);
    edge(&profile, jit, 0x1000, 0x4000, EDGE_CALL, 4);
    edge(&profile, jit, 0x1010, 0x4000, EDGE_CALL, 5);
    edge(&profile, jit, 0x1000, 0x1010, EDGE_SPLIT, 3);
    edge(&profile, jit, 0x1010, 0x1012, EDGE_FALL, 3);
    struct export_options options = {.weight = WEIGHT_COUNT};
    char *text = exported("callgrind", &profile, options, NULL);
    const char *body = strstr(text, "\n\nob=");
    assert_non_null(body);
    assert_string_equal(body, "\n\nob=(1) [jit]\nfl=(1) ???\nfn=(1) outer\n"
                              "0x1000 0 3\n"
                              "cob=(1)\ncfi=(1)\ncfn=(2) shared\ncalls=4 0x4000 0\n0x1000 0 0\n"
                              "0x1010 0 30\n"
                              "cob=(1)\ncfi=(1)\ncfn=(3) middle\ncalls=3 0x2000 0\n0x1010 0 13\n"
                              "cob=(1)\ncfi=(1)\ncfn=(2)\ncalls=5 0x4000 0\n0x1010 0 0\n"
                              "jcnd=27/30 0x1000 0\n0x1010 0\n"
                              "jump=1 0x1000 0\n0x1020 0\n"
                              "\nob=(1)\nfl=(1)\nfn=(3)\n"
                              "0x2000 0 3\n"
                              "cob=(1)\ncfi=(1)\ncfn=(4) inner\ncalls=10 0x3000 0\n0x2000 0 10\n"
                              "\nob=(1)\nfl=(1)\nfn=(4)\n0x3000 0 10\n"
                              "\nob=(1)\nfl=(1)\nfn=(2)\n0x4000 0 9\n"
                              "\ntotals: 55\n");
    free(text);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_give_inclusive_costs),
        cmocka_unit_test(counts_give_inclusive_costs_where_they_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
