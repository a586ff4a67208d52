#include "analysis/report/contexts.h"

#include "analysis/report/context_rows.h"
#include "base/err.h"
#include "../text/json_check.h"
#include "../analysis/plain_profile.h"
#include "view/views.h"

#include <math.h>

/* Random stacks over a few functions, kept as they are beside the profile: whatever contexts say is
 * counted again from these. */
enum { FUNCTIONS = 6, SAMPLES = 400, DEPTH = 12, WEIGHT = 1000 };

struct crowd {
    struct profile profile;
    struct scene scene;
    struct plain plain;
    uint32_t jit, kernel;
    uint64_t seed;
    struct sample {
        uint32_t n, thread;
        uint32_t at[DEPTH]; /* outermost first; the kernel's is FUNCTIONS */
    } samples[SAMPLES];
};

static uint32_t random_below(struct crowd *crowd, uint32_t n)
{
    crowd->seed = crowd->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(crowd->seed >> 33) % n;
}

static uint64_t place(uint32_t function, bool caller)
{
    return 0x1000 * (function + 1) + (caller ? 0x11 : 0x20);
}

static void sample_make(struct crowd *crowd, struct sample *sample)
{
    struct profile *p = &crowd->profile;
    sample->thread = random_below(crowd, 2);
    sample->n = 1 + random_below(crowd, DEPTH - 1);
    uint32_t node = thread_add(p, 10, 11 + sample->thread);
    for (uint32_t i = 0; i < sample->n; i++) {
        sample->at[i] = random_below(crowd, FUNCTIONS);
        bool last = i + 1 == sample->n;
        node = stacks_node(&p->stacks, node, crowd->jit, place(sample->at[i], !last));
    }
    if (random_below(crowd, 8) == 0) {
        sample->at[sample->n++] = FUNCTIONS;
        node = stacks_node(&p->stacks, node, crowd->kernel, 0xffff800000001010);
    }
    samples_add(p, node, 1, WEIGHT);
}

static int setup(void **state)
{
    struct crowd *crowd = mem_alloc(sizeof *crowd);
    struct profile *p = &crowd->profile;
    crowd->seed = 3;
    plain_begin(p);
    crowd->jit = profile_module_jit(p, 10);
    crowd->kernel = profile_module(p, "[kernel]", NULL, 0);
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        char name[8];
        snprintf(name, sizeof name, "f%u", f);
        names_add(&p->names, &p->arena, crowd->jit, place(f, false) & ~0xfffu, 0x100, name);
    }
    names_add(&p->names, &p->arena, crowd->kernel, 0xffff800000001000, 0x100, "read_");
    for (int i = 0; i < SAMPLES; i++)
        sample_make(crowd, &crowd->samples[i]);
    p->totals.user_ns = 2000000000;
    const struct profile *side = p;
    scene_open(&crowd->scene, &side, 1, NULL);
    *state = crowd;
    return 0;
}

static int teardown(void **state)
{
    struct crowd *crowd = *state;
    scene_close(&crowd->scene);
    profile_release(&crowd->profile);
    mem_free(crowd);
    return 0;
}

static void contexts_of(struct crowd *crowd, struct calling_contexts *contexts,
                        struct contexts_options options, bool kernel)
{
    struct err err;
    assert_true(
        plain_open(&crowd->plain, &crowd->scene, 0, (struct plain_filter){.kernel = kernel}, &err));
    contexts_make(contexts, &crowd->plain, options);
}

static void contexts_end(struct crowd *crowd, struct calling_contexts *contexts)
{
    contexts_release(contexts);
    plain_close(&crowd->plain);
}

/* The number of a function by its name: "f3" is 3. */
static uint32_t number_of(const struct calling_contexts *contexts,
                          const struct calling_context *context)
{
    const char *name = context_name(contexts, context);
    return strcmp(name, "read_") == 0 ? FUNCTIONS : (uint32_t)(name[1] - '0');
}

/* The path of a context as the tree has it, root first. */
static uint32_t path_of(const struct calling_contexts *contexts, uint32_t i, uint32_t *path)
{
    uint32_t n = 0;
    for (; i != CONTEXT_NONE; i = contexts->at[i].parent)
        path[n++] = number_of(contexts, &contexts->at[i]);
    for (uint32_t k = 0; k < n / 2; k++) {
        uint32_t swapped = path[k];
        path[k] = path[n - 1 - k];
        path[n - 1 - k] = swapped;
    }
    return n;
}

static bool starts_with(const struct sample *sample, const uint32_t *path, uint32_t n,
                        bool from_end)
{
    if (n > sample->n)
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (sample->at[from_end ? sample->n - 1 - k : k] != path[k])
            return false;
    return true;
}

static void check_tree(struct crowd *crowd, enum contexts_form form, bool kernel)
{
    struct calling_contexts contexts;
    contexts_of(crowd, &contexts, (struct contexts_options){.form = form, .unfolded = true},
                kernel);
    assert_true(contexts.n > 20);
    for (uint32_t i = 0; i < contexts.n; i++) {
        uint32_t path[2 * DEPTH], n = path_of(&contexts, i, path);
        uint64_t total = 0, self = 0, beside = 0;
        for (int s = 0; s < SAMPLES; s++) {
            const struct sample *sample = &crowd->samples[s];
            bool weighs = (sample->at[sample->n - 1] == FUNCTIONS) == kernel;
            if (!starts_with(sample, path, n, form == CONTEXTS_BOTTOM_UP))
                continue;
            *(weighs ? &total : &beside) += WEIGHT;
            bool own = form == CONTEXTS_TOP_DOWN ? n == sample->n : n == 1;
            self += own && weighs ? WEIGHT : 0;
        }
        assert_int_equal(contexts.at[i].total.sum, total);
        assert_int_equal(contexts.at[i].self.sum, self);
        assert_int_equal(contexts.at[i].beside.sum, beside);
    }
    contexts_end(crowd, &contexts);
}

static void test_trees_are_what_stacks_add_up_to(void **state)
{
    check_tree(*state, CONTEXTS_TOP_DOWN, false);
    check_tree(*state, CONTEXTS_TOP_DOWN, true);
    check_tree(*state, CONTEXTS_BOTTOM_UP, false);
    check_tree(*state, CONTEXTS_BOTTOM_UP, true);
}

static bool contains(const struct sample *sample, uint32_t function)
{
    for (uint32_t k = 0; k < sample->n; k++)
        if (sample->at[k] == function)
            return true;
    return false;
}

static uint32_t callers_of(const struct crowd *crowd, uint32_t function)
{
    uint32_t callers = 0;
    for (uint32_t caller = 0; caller < FUNCTIONS; caller++) {
        bool seen = false;
        for (int s = 0; s < SAMPLES; s++)
            for (uint32_t k = 1; k < crowd->samples[s].n; k++)
                seen |= crowd->samples[s].at[k] == function &&
                        crowd->samples[s].at[k - 1] == caller && caller != function;
        callers += seen;
    }
    return callers;
}

static void test_flat_counts_each_function_once(void **state)
{
    struct crowd *crowd = *state;
    struct calling_contexts contexts;
    contexts_of(crowd, &contexts, (struct contexts_options){.form = CONTEXTS_FLAT}, false);
    assert_int_equal(contexts.n, FUNCTIONS + 1);
    for (uint32_t i = 0; i < contexts.n; i++) {
        uint32_t function = number_of(&contexts, &contexts.at[i]);
        uint64_t total = 0, self = 0, beside = 0;
        for (int s = 0; s < SAMPLES; s++) {
            const struct sample *sample = &crowd->samples[s];
            uint32_t last = sample->at[sample->n - 1];
            if (contains(sample, function))
                *(last == FUNCTIONS ? &beside : &total) += WEIGHT;
            self += last == function && last != FUNCTIONS ? WEIGHT : 0;
        }
        assert_int_equal(contexts.at[i].total.sum, total);
        assert_int_equal(contexts.at[i].self.sum, self);
        assert_int_equal(contexts.at[i].beside.sum, beside);
        assert_int_equal(contexts.at[i].callers, callers_of(crowd, function));
    }
    contexts_end(crowd, &contexts);
}

static void test_folding_loses_nothing_and_repeats_nothing(void **state)
{
    struct crowd *crowd = *state;
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_BOTTOM_UP; form++) {
        struct calling_contexts contexts;
        contexts_of(crowd, &contexts,
                    (struct contexts_options){.form = (enum contexts_form)form, .sites = form == 0},
                    false);
        uint64_t self = 0, roots = 0, beside = 0;
        for (uint32_t i = 0; i < contexts.n; i++) {
            uint32_t path[64], n = path_of(&contexts, i, path);
            for (uint32_t k = 0; k + 1 < n; k++)
                assert_int_not_equal(path[k], path[n - 1]);
            self += contexts.at[i].self.sum;
            if (contexts.at[i].parent == CONTEXT_NONE) {
                roots += contexts.at[i].total.sum;
                beside += contexts.at[i].beside.sum;
            }
        }
        assert_int_equal(self, contexts.whole.sum);
        assert_int_equal(roots, contexts.whole.sum);
        assert_int_equal(beside, contexts.beside.sum);
        contexts_end(crowd, &contexts);
    }
}

static void test_threads_are_roots_if_asked(void **state)
{
    struct crowd *crowd = *state;
    struct calling_contexts contexts;
    contexts_of(crowd, &contexts, (struct contexts_options){.threads = true}, false);
    uint64_t roots = 0;
    for (uint32_t i = 0; i < contexts.n; i++) {
        bool root = contexts.at[i].parent == CONTEXT_NONE;
        assert_int_equal(root, contexts.at[i].function == CONTEXT_THREAD);
        roots += root;
    }
    assert_int_equal(roots, 2);
    uint32_t tid = (uint32_t)contexts.at[0].thread;
    assert_string_equal(context_name(&contexts, &contexts.at[0]),
                        tid == 11 ? "[thread 10/11]" : "[thread 10/12]");
    contexts_end(crowd, &contexts);
}

static void test_what_has_no_frames_is_its_threads(void **state)
{
    (void)state;
    struct profile profile;
    struct scene scene;
    struct plain plain;
    struct calling_contexts contexts;
    struct err err;
    plain_begin(&profile);
    uint32_t thread = thread_add(&profile, 7, 8);
    samples_add(&profile, thread, 10, WEIGHT);
    const struct profile *side = &profile;
    scene_open(&scene, &side, 1, NULL);
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_BOTTOM_UP; form++) {
        assert_true(plain_open(&plain, &scene, 0, (struct plain_filter){0}, &err));
        contexts_make(&contexts, &plain,
                      (struct contexts_options){.form = (enum contexts_form)form});
        assert_int_equal(contexts.n, 1);
        assert_int_equal(contexts.at[0].total.sum, 10 * WEIGHT);
        assert_string_equal(context_name(&contexts, &contexts.at[0]), "[thread 7/8]");
        contexts_release(&contexts);
        plain_close(&plain);
    }
    scene_close(&scene);
    profile_release(&profile);
}

static void test_module_is_that_of_the_innermost(void **state)
{
    struct crowd *crowd = *state;
    struct calling_contexts contexts;
    contexts_of(crowd, &contexts, (struct contexts_options){.module = "[kernel]"}, true);
    assert_int_equal(contexts.beside.sum, 0);
    assert_int_equal(contexts.whole.sum, crowd->plain.whole.sum);
    contexts_end(crowd, &contexts);
    contexts_of(crowd, &contexts, (struct contexts_options){.module = "elsewhere"}, false);
    assert_int_equal(contexts.whole.sum, 0);
    contexts_end(crowd, &contexts);
}

static void show_json(FILE *to, struct calling_contexts *contexts)
{
    struct context_rows rows;
    struct err err;
    assert_true(
        context_rows_make(&rows, contexts, (struct context_choice){SIZE_MAX, false, 0}, &err));
    contexts_json(to, contexts, &rows);
    context_rows_release(&rows);
}

/* User and kernel time in one unit: 2 and 0.5 s, whatever their samples weigh. */
static void test_both_weigh_together(void **state)
{
    struct crowd *crowd = *state;
    crowd->profile.totals.kernel_ns = 500000000;
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_FLAT; form++) {
        struct calling_contexts both, user;
        struct contexts_options options = {.form = (enum contexts_form)form, .sites = true};
        contexts_of(crowd, &user, options, false);
        struct plain first = crowd->plain;
        options.both = true;
        contexts_of(crowd, &both, options, false);
        double unit = 0.5 / (double)user.beside.sum / (2.0 / (double)user.whole.sum);
        uint64_t self = 0;
        assert_int_equal(both.n, user.n);
        contexts_weigh(&both, NULL, 0);
        for (size_t i = 0; i < both.n; i++) {
            const struct calling_context *of = &both.at[i], *alone = &user.at[i];
            double all = (double)alone->total.sum + unit * (double)alone->beside.sum;
            assert_true(fabs((double)of->total.sum - all) <= SAMPLES);
            assert_int_equal(of->total.sum, of->total.groups->sum);
            assert_int_equal(of->beside.sum, alone->beside.sum);
            self += of->self.sum;
            struct estimate time = context_total_amount(&both, of->total.groups, of->beside.groups);
            struct estimate share = context_total_share(&both, of->total.groups, of->beside.groups);
            assert_true(fabs(time.value - 2.5 * share.value) < 1e-3);
            assert_true(time.lo <= time.value && time.value <= time.hi);
            assert_true(share.lo <= share.value && share.value <= share.hi && share.hi <= 1);
        }
        assert_int_equal(self, both.whole.sum);
        contexts_end(crowd, &both);
        crowd->plain = first;
        contexts_end(crowd, &user);
    }
    crowd->profile.totals.kernel_ns = 0;
}

static void check_unsampled(struct scene *scene, enum contexts_form form)
{
    struct plain plain;
    struct calling_contexts contexts;
    struct err err;
    char *texts[2];
    size_t n;
    assert_true(plain_open(&plain, scene, 0, (struct plain_filter){0}, &err));
    for (int i = 0; i < 2; i++) {
        contexts_make(&contexts, &plain, (struct contexts_options){.form = form, .both = true});
        FILE *to = open_memstream(&texts[i], &n);
        if (i == 0) {
            show_json(to, &contexts);
        } else {
            contexts_weigh(&contexts, NULL, 0);
            contexts_text(to, &contexts, NULL, (struct contexts_text_options){0, UINT32_MAX, 20});
        }
        fclose(to);
        assert_int_equal(contexts.n, 2);
        const struct calling_context *run = &contexts.at[0], *kernel = &contexts.at[1];
        assert_string_equal(context_name(&contexts, kernel), "[kernel]");
        struct estimate own = context_self_amount(&contexts, kernel);
        assert_true(fabs(own.value - 1) < 1e-6 && own.lo == own.value && own.hi == own.value);
        assert_true(fabs(context_self_share(&contexts, kernel).value - 0.25) < 1e-6);
        assert_true(fabs(context_self_share(&contexts, run).value - 0.75) < 1e-6);
        contexts_release(&contexts);
    }
    assert_true(json_is_valid(texts[0]));
    assert_non_null(strstr(texts[0], "\"time_of\": \"cpu\""));
    assert_non_null(strstr(texts[1], "25.00%"));
    free(texts[0]);
    free(texts[1]);
    plain_close(&plain);
}

/* A kernel that was not sampled is one context with all of its time. */
static void test_kernel_that_was_not_sampled(void **state)
{
    (void)state;
    struct profile profile;
    struct scene scene;
    plain_begin(&profile);
    uint32_t jit = profile_module_jit(&profile, 7), thread = thread_add(&profile, 7, 8);
    names_add(&profile.names, &profile.arena, jit, 0x1000, 0x100, "run");
    samples_add(&profile, stacks_node(&profile.stacks, thread, jit, 0x1010), 10, WEIGHT);
    profile.totals.user_ns = 3000000000;
    profile.totals.kernel_ns = 1000000000;
    const struct profile *side = &profile;
    scene_open(&scene, &side, 1, NULL);
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_FLAT; form++)
        check_unsampled(&scene, (enum contexts_form)form);
    scene_close(&scene);
    profile_release(&profile);
}

struct weighed {
    struct groups self, total, beside;
};

/* The groups of all contexts, and how many have a number. */
static struct weighed *weigh_all(struct crowd *crowd, struct contexts_options options,
                                 uint32_t *ret_n)
{
    struct calling_contexts all;
    contexts_of(crowd, &all, options, false);
    contexts_weigh(&all, NULL, 0);
    struct weighed *weighed = calloc(all.n, sizeof *weighed);
    *ret_n = 0;
    for (size_t i = 0; i < all.n; i++) {
        *ret_n += all.at[i].total.sum || all.at[i].beside.sum;
        weighed[i] = (struct weighed){*all.at[i].self.groups, *all.at[i].total.groups,
                                      *all.at[i].beside.groups};
    }
    contexts_end(crowd, &all);
    return weighed;
}

/* Of a few contexts, whatever else there is, the groups are those that they have among all. */
static void test_rows_that_are_cut_weigh_the_same(void **state)
{
    struct crowd *crowd = *state;
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_BOTTOM_UP; form++) {
        struct contexts_options options = {.form = (enum contexts_form)form, .sites = true};
        struct calling_contexts some;
        struct context_rows few;
        struct err err;
        uint32_t n;
        struct weighed *all = weigh_all(crowd, options, &n);
        for (uint32_t below = 0; below < n; below += 3) {
            struct context_choice choice = {5, below > 0, below};
            contexts_of(crowd, &some, options, false);
            assert_true(context_rows_make(&few, &some, choice, &err));
            assert_int_equal(few.n_all, n);
            bool found = false;
            for (size_t i = 0; i < few.n; i++) {
                const struct calling_context *context = &some.at[few.at[i]];
                const struct weighed *same = &all[few.at[i]];
                assert_memory_equal(context->self.groups, &same->self, sizeof same->self);
                assert_memory_equal(context->total.groups, &same->total, sizeof same->total);
                assert_memory_equal(context->beside.groups, &same->beside, sizeof same->beside);
                assert_int_equal(context->total.sum, same->total.sum);
                assert_int_equal(context->self.sum, same->self.sum);
                assert_true(i == 0 || few.id_of[few.at[i]] > few.id_of[few.at[i - 1]]);
                found |= few.id_of[few.at[i]] == below;
            }
            assert_true(found);
            context_rows_release(&few);
            contexts_end(crowd, &some);
        }
        contexts_of(crowd, &some, options, false);
        assert_false(context_rows_make(&few, &some, (struct context_choice){5, true, n}, &err));
        assert_non_null(strstr(err.text, "--below"));
        contexts_end(crowd, &some);
        free(all);
    }
}

static void test_output_is_well_formed_and_the_same_again(void **state)
{
    struct crowd *crowd = *state;
    for (int form = CONTEXTS_TOP_DOWN; form <= CONTEXTS_FLAT; form++) {
        char *texts[4] = {0};
        for (int i = 0; i < 4; i++) {
            size_t n;
            struct calling_contexts contexts;
            FILE *to = open_memstream(&texts[i], &n);
            contexts_of(crowd, &contexts,
                        (struct contexts_options){.form = (enum contexts_form)form, .sites = true},
                        false);
            if (i % 2)
                show_json(to, &contexts);
            else {
                contexts_weigh(&contexts, NULL, 0);
                contexts_text(to, &contexts, NULL,
                              (struct contexts_text_options){0.005, UINT32_MAX, 20});
            }
            fclose(to);
            contexts_end(crowd, &contexts);
        }
        assert_true(json_is_valid(texts[1]));
        assert_string_equal(texts[0], texts[2]);
        assert_string_equal(texts[1], texts[3]);
        assert_non_null(strstr(texts[0], "f3"));
        for (int i = 0; i < 4; i++)
            free(texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_are_what_stacks_add_up_to),
        cmocka_unit_test(test_flat_counts_each_function_once),
        cmocka_unit_test(test_folding_loses_nothing_and_repeats_nothing),
        cmocka_unit_test(test_rows_that_are_cut_weigh_the_same),
        cmocka_unit_test(test_threads_are_roots_if_asked),
        cmocka_unit_test(test_what_has_no_frames_is_its_threads),
        cmocka_unit_test(test_module_is_that_of_the_innermost),
        cmocka_unit_test(test_both_weigh_together),
        cmocka_unit_test(test_kernel_that_was_not_sampled),
        cmocka_unit_test(test_output_is_well_formed_and_the_same_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
