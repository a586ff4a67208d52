#include "profile/kernel_place.h"

#include "base/err.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* A kernel that lies at `base`: sends at base, receives 0x1000 above. */
static void profile_make(struct profile *profile, uint64_t base)
{
    profile_init(profile);
    profile->mode = PROFILE_PLAIN;
    uint32_t kernel = profile_module(profile, "[kernel]", NULL, 0);
    names_add(&profile->names, &profile->arena, kernel, base, 0x800, "send");
    names_add(&profile->names, &profile->arena, kernel, base + 0x1000, 0x800, "receive");
    uint32_t root = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    uint32_t send = stacks_node(&profile->stacks, root, kernel, base + 0x10);
    stacks_add(&profile->stacks, send, 0, 100);
    stacks_add(&profile->stacks, stacks_node(&profile->stacks, send, kernel, base + 0x1020), 1, 7);
    stacks_add(&profile->stacks, stacks_node(&profile->stacks, root, kernel, base + 0x5000), 0, 1);
}

static uint64_t weight_of(const struct profile *profile, const char *text)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < profile->stacks.cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&profile->stacks.cells, i), sizeof cell);
        struct stack_key key = stacks_key(&profile->stacks, cell.node);
        const struct name *name = names_find(&profile->names, key.module, key.address);
        if (strcmp(name ? name->text : "", text) == 0)
            weight += profile->stacks.weights.at[i];
    }
    return weight;
}

/* The second kernel has `receive` where the first has `send`. */
static void functions_add_up(void **state)
{
    const uint64_t base = 0xffffffff81000000;
    struct profile first, second;
    struct err err;
    (void)state;
    profile_make(&first, base);
    profile_make(&second, base - 0x1000);
    kernel_place(&first);
    kernel_place(&second);
    assert_true(profile_merge(&first, &second, &err));
    assert_int_equal(weight_of(&first, "send"), 200);
    assert_int_equal(weight_of(&first, "receive"), 14);
    assert_int_equal(weight_of(&first, ""), 2);
    assert_int_equal(first.names.n, 2);
    profile_release(&first);
    profile_release(&second);
}

static void what_has_its_place_keeps_it(void **state)
{
    struct profile profile;
    (void)state;
    profile_make(&profile, 0xffffffff81000000);
    kernel_place(&profile);
    uint64_t start = profile.names.at[0].start;
    uint64_t address = stacks_key(&profile.stacks, 1).address;
    assert_true(start >> 63);
    kernel_place(&profile);
    assert_int_equal(profile.names.at[0].start, start);
    assert_int_equal(stacks_key(&profile.stacks, 1).address, address);
    assert_int_equal(profile.names.n, 2);
    profile_release(&profile);
}

static void one_without_a_kernel_stays(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    kernel_place(&profile);
    assert_int_equal(profile.names.n, 0);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_add_up),
        cmocka_unit_test(what_has_its_place_keeps_it),
        cmocka_unit_test(one_without_a_kernel_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
