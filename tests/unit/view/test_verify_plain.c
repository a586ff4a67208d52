/* Stacks of this very process, as glibc finds them, are possible; each damaged one is not. */
#include "analysis/verify/verify_plain.h"
#include "analysis/verify/verify.h"

#include "../analysis/plain_profile.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>

enum { FRAMES = 64 };

static void *frames[FRAMES];
static int n_frames;

static void look(int signal)
{
    (void)signal;
    n_frames = backtrace(frames, FRAMES);
}

/* Code of which the second byte is inside of an instruction that is no call, however this is built.
 */
__asm__(".text\n.type long_nop, @function\nlong_nop: nopw 0x100(%rax,%rax,1)\nret\n"
        ".size long_nop, .-long_nop\n");
extern const char long_nop[];

static uint32_t module_of(struct profile *profile, void *at, uint64_t *ret_svma)
{
    Dl_info info;
    char path[256];
    assert_true(dladdr(at, &info));
    *ret_svma = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)info.dli_fbase;
    return profile_module(profile, realpath(info.dli_fname, path) ? path : info.dli_fname, NULL, 0);
}

/* A signal handler's stack: its own frames, the trampoline, raise and all that led here. */
static uint32_t take_stack(struct profile *profile)
{
    plain_begin(profile);
    signal(SIGUSR1, look);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    assert_true(n_frames > 5 && n_frames < FRAMES);
    uint32_t node = thread_add(profile, 1, 1);
    for (int i = n_frames - 1; i >= 0; i--) {
        uint64_t svma;
        uint32_t module = module_of(profile, frames[i], &svma);
        node = stacks_node(&profile->stacks, node, module, svma - 1);
    }
    samples_add(profile, node, 10, 7);
    uint32_t kernel = profile_module(profile, "[kernel]", NULL, 0);
    samples_add(profile, stacks_node(&profile->stacks, node, kernel, 0xffffffff81000000), 3, 7);
    profile->totals.time = 70;
    return node;
}

static void verify(struct verification *verdict, const struct profile *profile)
{
    struct scene scene;
    scene_open(&scene, &profile, 1, NULL);
    verify_profile(verdict, &scene);
    scene_close(&scene);
}

static void a_real_stack_is_good(void **state)
{
    (void)state;
    struct profile profile;
    struct verification verdict;
    take_stack(&profile);
    verify(&verdict, &profile);
    for (size_t i = 0; i < verdict.n; i++)
        fail_msg("%s: %s", verify_check_text(verdict.at[i].check), verdict.at[i].text);
    assert_int_equal(verdict.nodes, n_frames);
    assert_int_equal(verdict.skipped, 1);
    verification_release(&verdict);
    profile_release(&profile);
}

static void expect(const struct profile *profile, enum verify_check check, uint64_t n)
{
    struct verification verdict;
    verify(&verdict, profile);
    for (int i = 0; i < CHECK_N; i++)
        assert_int_equal(verdict.found[i], i == (int)check ? n : 0);
    assert_false(verification_good(&verdict));
    verification_release(&verdict);
}

static void damage_is_found(void **state)
{
    (void)state;
    struct profile profile;
    uint32_t leaf = take_stack(&profile);
    profile.totals.time++;
    expect(&profile, CHECK_sums, 1);
    profile.totals.time--;
    uint64_t look_at;
    uint32_t module = module_of(&profile, (void *)(uintptr_t)long_nop, &look_at);
    uint32_t caller = stacks_node(&profile.stacks, leaf, module, look_at + 1); /* in no call */
    stacks_node(&profile.stacks, caller, module, look_at);
    expect(&profile, CHECK_call, 1);
    profile_release(&profile);
    take_stack(&profile);
    uint32_t thread = thread_add(&profile, 1, 2);
    stacks_node(&profile.stacks, thread, module_of(&profile, (void *)(uintptr_t)look, &look_at),
                0x10); /* in the ELF header */
    expect(&profile, CHECK_node, 1);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_stack_is_good),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
