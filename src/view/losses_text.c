#include "view/head.h"

#include "base/err.h"
#include "text/clean.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How a loss is told. What has no row here is always shown. */
struct telling {
    enum {
        SHOWN,
        OFTEN,
        QUIET
    } when;           /* OFTEN: if it befell one of a hundred samples or more.
                         QUIET: sampling is just so; -v shows it */
    const char *help; /* what to do about it; NULL: nothing is known to help */
};

#define PLAIN_HELPS "gait record --plain includes it"
#define SLOWER_HELPS "record less often, with a lower -F or --overhead"

static const struct telling tellings[LOSS_N] = {
    [LOSS_dropped] = {OFTEN, SLOWER_HELPS},
    [LOSS_sample_lost] = {OFTEN, SLOWER_HELPS},
    [LOSS_throttled] = {SHOWN, SLOWER_HELPS ", or raise kernel.perf_cpu_time_max_percent"},
    [LOSS_stack_truncated] = {OFTEN, NULL},
    [LOSS_stack_no_rule] = {OFTEN, "build that code with -fasynchronous-unwind-tables; of code "
                                   "made at run time: java -XX:+PreserveFramePointer"},
    [LOSS_stack_astray] = {OFTEN, NULL},
    [LOSS_thread_native] = {SHOWN, PLAIN_HELPS},
    [LOSS_child_native] = {SHOWN, PLAIN_HELPS},
    [LOSS_no_agent] = {SHOWN, PLAIN_HELPS},
    [LOSS_no_room] = {SHOWN, PLAIN_HELPS},
    [LOSS_trigger_lost] = {SHOWN, PLAIN_HELPS},
    [LOSS_clock_forbidden] = {SHOWN, PLAIN_HELPS},
    [LOSS_at_shadow_stack] = {SHOWN, PLAIN_HELPS},
    [LOSS_no_channel] = {SHOWN, "record fewer processes at once; " PLAIN_HELPS},
    [LOSS_traced] = {SHOWN, "end the debugger first; " PLAIN_HELPS},
    [LOSS_young] = {OFTEN, "record one of them alone, or walk them all: gait record -F 250"},
    [LOSS_unfollowed] = {SHOWN, "permit more open files: ulimit -n"},
    [LOSS_context_lost] = {SHOWN, "permit more: gait record --max-contexts N"},
    [LOSS_in_agent] = {QUIET},
    [LOSS_in_loader] = {QUIET},
    [LOSS_kernel] = {QUIET},
    [LOSS_unwalked] = {QUIET},
    [LOSS_cut] = {QUIET},
    [LOSS_untimed] = {QUIET},
    [LOSS_at_syscall] = {QUIET},
    [LOSS_at_anonymous] = {QUIET},
    [LOSS_at_writable] = {QUIET},
    [LOSS_at_undecoded] = {QUIET},
    [LOSS_at_gs] = {QUIET},
    [LOSS_at_trap] = {QUIET},
    [LOSS_at_far] = {QUIET},
    [LOSS_at_transaction] = {QUIET},
    [LOSS_at_fsbase] = {QUIET},
    [LOSS_at_rseq] = {QUIET},
    [LOSS_at_reach] = {QUIET},
    [LOSS_at_fault] = {QUIET},
    [LOSS_cache_full] = {QUIET},
    [LOSS_flushed] = {QUIET},
    [LOSS_busy] = {QUIET},
    [LOSS_python_unread] = {OFTEN, NULL},
    [LOSS_python_deep] = {OFTEN, NULL},
    [LOSS_counting] = {QUIET},
    [LOSS_outside] = {QUIET},
    [LOSS_stack_gone] = {QUIET},
    [LOSS_interrupted] = {QUIET},
    [LOSS_stepped] = {QUIET},
    [LOSS_aborted] = {QUIET},
    [LOSS_cut_off] = {QUIET},
    [LOSS_abandoned] = {QUIET},
};

/* Of threads that nothing sampled, and of those that no agent recorded, their time counts: one that
 * slept all along is not worth a word. What the kernel sampled instead is in the totals. */
static bool time_matters(const struct totals *totals, enum loss loss)
{
    uint64_t seen = totals->user_ns + totals->kernel_ns;
    uint64_t whole = totals->whole_user_ns + totals->whole_kernel_ns;
    if (loss == LOSS_unsampled || loss == LOSS_unsampled_us)
        return !seen || totals->losses[LOSS_unsampled_us] * 1000 >= seen / 100;
    if (loss == LOSS_thread_native || loss == LOSS_child_native)
        return !totals->kernel_samples || seen < whole - whole / 100;
    return true;
}

bool loss_matters(const struct totals *totals, enum loss loss)
{
    if (!totals->losses[loss] || !time_matters(totals, loss))
        return false;
    return tellings[loss].when == SHOWN ||
           (tellings[loss].when == OFTEN &&
            100 * (double)totals->losses[loss] >= (double)totals->interrupts);
}

static bool is_told(const struct scene *scene, const struct profile *profile, enum loss loss)
{
    return scene->verbose || loss_matters(&profile->totals, loss);
}

struct list {
    FILE *to;
    bool any;
};

static void list_add(struct list *list, uint64_t n, const char *what, const char *help)
{
    fprintf(list->to, "%s%10" PRIu64 "  %s\n", list->any ? "" : "\nnot seen, or not in full:\n", n,
            what);
    if (help)
        fprintf(list->to, "%12s%s\n", "", help);
    list->any = true;
}

/* Returns how many kinds are left to -v. */
static uint64_t losses_list(struct list *list, const struct scene *scene, uint32_t side,
                            bool *quiet)
{
    const struct profile *profile = scene->sides[side];
    uint64_t n_quiet = 0;
    for (int i = 0; i < LOSS_N; i++) {
        if (!profile->totals.losses[i])
            continue;
        if (is_told(scene, profile, (enum loss)i)) {
            list_add(list, profile->totals.losses[i], loss_text((enum loss)i), tellings[i].help);
        } else {
            n_quiet += !quiet[i];
            quiet[i] = true;
        }
    }
    for (size_t i = 0; i < profile->other_losses.n; i++)
        list_add(list, profile->other_losses.at[i].n, profile->other_losses.at[i].name, NULL);
    return n_quiet;
}

static void missing_binaries(FILE *to, const struct scene *scene)
{
    struct arena arena = {0};
    for (size_t i = 0; i < scene->functions.n; i++) {
        const struct scene_module *module = &scene->modules.at[scene->functions.at[i].module];
        if (!module->binary) /* then it has one function only */
            fprintf(to, "no binary for %s: %s\n", text_clean(&arena, module->name),
                    text_clean(&arena, module->missing));
    }
    arena_release(&arena);
}

static void quiet_text(FILE *to, uint64_t quiet, bool below)
{
    if (quiet)
        fprintf(to, "%s(-v lists %s with nothing to be done about)\n", below ? "" : "\n",
                number_text(quiet, "kind of loss", "kinds of loss"));
}

void losses_text(FILE *to, const struct scene *scene, uint32_t side, uint64_t stray)
{
    struct list list = {.to = to};
    bool kinds[LOSS_N] = {0};
    uint64_t quiet = losses_list(&list, scene, side, kinds);
    if (stray && (scene->verbose || scene->sides[side]->mode == PROFILE_EXACT))
        list_add(&list, stray, "records that the disassembly does not explain", NULL);
    else
        quiet += stray > 0;
    missing_binaries(to, scene);
    quiet_text(to, quiet, list.any);
}

void losses_text_both(FILE *to, struct scene *const scenes[2], const char *const names[2])
{
    char *texts[2] = {0};
    bool kinds[LOSS_N] = {0};
    uint64_t quiet = 0;
    for (int side = 0; side < 2; side++) {
        size_t n;
        struct list list = {.to = open_memstream(&texts[side], &n)};
        ASSERT(list.to);
        quiet += losses_list(&list, scenes[side], 0, kinds);
        missing_binaries(list.to, scenes[side]);
        fclose(list.to);
    }
    bool alike = strcmp(texts[0], texts[1]) == 0, any = *texts[0] || *texts[1];
    for (int side = 0; side < (alike ? 1 : 2); side++) {
        if (!alike && *texts[side])
            fprintf(to, "\n%s:", names[side]);
        fputs(texts[side], to);
    }
    quiet_text(to, quiet, any);
    for (int side = 0; side < 2; side++)
        free(texts[side]);
}
