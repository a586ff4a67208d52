/* The one-pass model against a slow one (slow.h): retirement of random programs must agree within 2
 * %. */
#include "model/core/core.h"

#include "slow.h"

#include "base/err.h"
#include "base/memory.h"

enum { CODE = 0x400000 };

static uint64_t dice_state;
static uint32_t dice(uint32_t n)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((dice_state >> 33) % n);
}

struct mix {
    const char *name;
    uint32_t alu, mul, fp, load, store, branch; /* parts of 100 */
    uint32_t lines;                             /* that loads and stores go to */
    uint32_t surprise;                          /* of 100 branches, by chance */
    uint32_t registers;                         /* fewer: longer chains */
};

static uint8_t gpr(uint32_t n)
{
    static const uint8_t some[] = {0, 1, 2, 3, 5, 6, 7};
    return some[dice(n)];
}

static void insn_roll(const struct model *model, const struct mix *mix, struct core_insn *insn)
{
    uint8_t a = gpr(mix->registers), b = gpr(mix->registers);
    uint8_t both = (uint8_t)(0xc0 | a << 3 | b), memory = (uint8_t)(0x40 | a << 3 | 7);
    uint8_t add[] = {0x48, 0x01, both}, mov[] = {0x48, 0x89, both};
    uint8_t shift[] = {0x48, 0xc1, (uint8_t)(0xe0 | a), 3}, imul[] = {0x48, 0x0f, 0xaf, both};
    uint8_t mulsd[] = {0xf2, 0x0f, 0x59, both}, addsd[] = {0xf2, 0x0f, 0x58, both};
    uint8_t load[] = {0x48, 0x8b, memory, 8}, store[] = {0x48, 0x89, memory, 8};
    uint8_t jump[] = {0x75, 8};
    const uint8_t *alus[] = {add, add, mov, shift};
    const size_t lengths[] = {sizeof add, sizeof add, sizeof mov, sizeof shift};
    uint32_t roll = dice(100), which = dice(4);
    const uint8_t *bytes = alus[which];
    size_t n = lengths[which];
    if (roll < mix->branch)
        bytes = jump, n = sizeof jump;
    else if ((roll -= mix->branch) < mix->store)
        bytes = store, n = sizeof store;
    else if ((roll -= mix->store) < mix->load)
        bytes = load, n = sizeof load;
    else if ((roll -= mix->load) < mix->fp)
        bytes = which & 1 ? mulsd : addsd, n = sizeof mulsd;
    else if (roll - mix->fp < mix->mul)
        bytes = imul, n = sizeof imul;
    assert_true(core_insn_make(model, bytes, n, insn));
}

static void program_roll(struct program *program, const struct model *model, const struct mix *mix)
{
    for (int i = 0; i < PROGRAM; i++) {
        struct core_fact *fact = &program->facts[i];
        insn_roll(model, mix, &program->insns[i]);
        /* Two lines of code in turn: after the first time both are kept as operations. */
        *fact =
            (struct core_fact){.at = {CODE + (uint64_t)(i / 8 % 2) * 64 + (uint64_t)(i % 8) * 4},
                               .address = {0x100000 + dice(mix->lines) * 64 + dice(8) * 8}};
        fact->taken = dice(100) < mix->surprise;
        fact->next = fact->at;
    }
}

static void compare(const char *core_name, const struct mix *mix)
{
    struct model model;
    struct err err;
    struct program *program = mem_alloc(sizeof *program);
    uint64_t *fast = mem_alloc(PROGRAM * sizeof *fast);
    assert_true(model_open(core_name, &model, &err));
    /* None are in the slow model: second tries, pairs that become one, stores that leave alone. */
    model.load_again = model.fuse_branch = model.forward_alone = 0;
    program_roll(program, &model, mix);
    struct core *core = core_make(&model);
    for (int i = 0; i < PROGRAM; i++) {
        struct core_times times;
        core_step(core, &program->insns[i], &program->facts[i], &times);
        fast[i] = times.retire;
    }
    struct slow *slow = mem_alloc(sizeof *slow);
    slow->model = &model;
    slow->hierarchy = hierarchy_make(&model);
    slow->predictor = predictor_make(&model);
    slow->at = mem_alloc(PROGRAM * sizeof *slow->at);
    slow_run(slow, program);
    /* From where caches are warm; the slow model does not fetch code. */
    enum { WARM = PROGRAM / 3 };
    double worst = 0;
    for (int i = 2 * WARM; i < PROGRAM; i++) {
        double one = (double)(fast[i] - fast[WARM]);
        double other = (double)(slow->at[i].retired - slow->at[WARM].retired);
        double error = one > other ? one / other - 1 : other / one - 1;
        worst = error > worst ? error : worst;
    }
    if (worst > 0.02)
        fail_msg("%s, %s: %.1f %% (%.0f cycles, slowly %.0f)", core_name, mix->name, worst * 100,
                 (double)(fast[PROGRAM - 1] - fast[WARM]),
                 (double)(slow->at[PROGRAM - 1].retired - slow->at[WARM].retired));
    hierarchy_free(slow->hierarchy);
    predictor_free(slow->predictor);
    mem_free(slow->at);
    mem_free(slow);
    core_free(core);
    mem_free(fast);
    mem_free(program);
    model_release(&model);
}

static void commit_times_agree(void **state)
{
    (void)state;
    static const struct mix mixes[] = {
        {"arithmetic", 100, 0, 0, 0, 0, 0, 1, 0, 7},
        {"long chains", 80, 20, 0, 0, 0, 0, 1, 0, 2},
        {"multiplications and floating point", 40, 20, 40, 0, 0, 0, 1, 0, 7},
        {"loads", 60, 0, 0, 40, 0, 0, 16, 0, 7},
        {"loads and stores", 50, 0, 0, 30, 20, 0, 16, 0, 7},
        {"stores", 60, 0, 0, 0, 40, 0, 16, 0, 7},
        {"branches that never surprise", 80, 0, 0, 0, 0, 20, 1, 0, 7},
        {"branches by chance", 70, 10, 0, 0, 0, 20, 1, 30, 7},
        {"misses", 70, 0, 0, 30, 0, 0, 4096, 0, 7},
        {"all", 35, 5, 10, 25, 10, 15, 64, 10, 7},
    };
    static const char *const cores[] = {"zen3", "skylake"};
    for (size_t c = 0; c < sizeof cores / sizeof *cores; c++)
        for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
            dice_state = 1;
            compare(cores[c], &mixes[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_times_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
