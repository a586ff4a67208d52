/* Counts of blocks from plain samples: time for each slot, of which a nop takes none and a
 * comparison and its branch take one; of an event that is no time, for each instruction. */
#include "analysis/counts/counted_module.h"
#include "analysis/counts/problem.h"
#include "plain_profile.h"
#include "profile/events.h"
#include "program/elf/image.h"

#include <unistd.h>

/* The code that the samples are of; it never runs. */
__asm__(".text\n"
        ".type slots_code, @function\n"
        "slots_code: cmp $1, %edi\n"
        "jne slots_other\n"
        "nop\n"
        "nop\n"
        "lea 1(%rdi), %eax\n"
        "lea 2(%rdi), %ecx\n"
        "lea 3(%rdi), %edx\n"
        "ret\n"
        "slots_other: mov %edi, %eax\n"
        "bt $1, %eax\n"
        "jc slots_code\n"
        "ret\n"
        ".size slots_code, . - slots_code\n");
extern const char slots_code[], slots_other[];

static uint64_t linked(const char *at)
{
    unsigned long begin, end, offset;
    char line[512];
    struct image image;
    struct svma svma;
    struct err err;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    assert_true(image_open(&image, "/proc/self/exe", &err));
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && begin <= (uintptr_t)at &&
            (uintptr_t)at < end)
            break;
    assert_true(image_to_svma(&image, (struct foff){(uintptr_t)at - begin + offset}, &svma));
    image_close(&image);
    fclose(maps);
    return svma.v;
}

/* The counts of its three blocks, by address: as many samples at each instruction. */
static void counts_find(const char *event, double *ret_counts)
{
    struct profile profile;
    struct scene scene;
    struct counted_function counted;
    struct infer_problem problem;
    char path[512];
    struct err err;
    struct image image;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(n > 0);
    path[n] = 0;
    assert_true(image_open(&image, path, &err));
    plain_begin(&profile);
    uint32_t module = profile_module(&profile, path, image.build_id, image.build_id_bytes);
    uint32_t thread = thread_add(&profile, 10, 11);
    uint64_t from = linked(slots_code);
    samples_add(&profile, stacks_node(&profile.stacks, thread, module, from), 100, 1000);
    samples_add(&profile, stacks_node(&profile.stacks, thread, module, from + 7), 400, 1000);
    samples_add(&profile, stacks_node(&profile.stacks, thread, module, linked(slots_other)), 400,
                1000);
    profile.totals.time = 900000;
    profile.totals.user_ns = 900000;
    if (event)
        event_name_first(&profile, event, false);
    image_close(&image);
    const struct profile *side = &profile;
    scene_open(&scene, &side, 1, NULL);
    scene_take_plain(&scene);
    const struct scene_function *function = scene_function_find(&scene, 0, from);
    assert_non_null(function);
    counted_function_build(&counted, &scene, *function);
    assert_int_equal(counted.cfg.blocks.n, 4);
    problem_make_plain(&problem,
                       &(struct problem_parts){.scene = &scene,
                                               .function = &counted.seen,
                                               .cfg = &counted.cfg,
                                               .flow = &counted.flows[0]},
                       INFER_CONFIDENCE);
    for (int i = 0; i < 3; i++)
        ret_counts[i] = (double)problem.blocks.at[i].ran.seen;
    vec_release(&problem.blocks);
    vec_release(&problem.edges);
    counted_function_release(&counted);
    scene_close(&scene);
    profile_release(&profile);
}

static void near(double found, double expected)
{
    if (found < 0.99 * expected || found > 1.01 * expected)
        fail_msg("%g, expected %g", found, expected);
}

static void time_is_for_slots(void **state)
{
    static const char *const times[] = {NULL, "cycles:u", "cpu_clk_unhalted"};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double counts[3];
        counts_find(times[i], counts);
        near(counts[1] / counts[0], 1);       /* 4 slots against 1 */
        near(counts[2] / counts[0], 4.0 / 3); /* bt goes along with no branch */
    }
}

static void others_are_for_instructions(void **state)
{
    double counts[3];
    (void)state;
    counts_find("inst_retired", counts);
    near(counts[1] / counts[0], 400 / 6.0 / (100 / 2.0));
    near(counts[2] / counts[0], 400 / 3.0 / (100 / 2.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_for_slots),
        cmocka_unit_test(others_are_for_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
