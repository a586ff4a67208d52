#include "agent/sampling/pace.h"

#include "agent/base/course.h"
#include "agent/base/process.h"

enum {
    PACED_LEAST = 1 << 20,
    PACED_MOST = 1 << 26,
    PACE_MOST = 1 << 27, /* 2048 ticks: a product of two still has room */
    EARLY = 1024,        /* trails */
    FAR = 4,             /* times what was expected: a trail tells no more than that */
    OWN = 128,           /* variety with which its own pace and that of its code weigh the same */
};

uint64_t pace_mean(void)
{
    uint64_t instructions = __atomic_load_n(&agent.paced_instructions, __ATOMIC_RELAXED);
    uint64_t ticks = __atomic_load_n(&agent.paced_ticks, __ATOMIC_RELAXED);
    return instructions > PACED_LEAST ? pace_of(ticks, instructions) : 0;
}

/* Of the code that it executed, as trails before it told; its own, of what none of them has met. */
static uint64_t pace_of_code(const struct course *course, uint64_t own)
{
    uint64_t ticks = 0, instructions = 0;
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++) {
        uint64_t told = __atomic_load_n(&agent.code_pace[i].pace, __ATOMIC_RELAXED);
        ticks += course->charged[i] * (told ? told : own) >> PACE_BITS;
        instructions += course->charged[i];
    }
    uint64_t pace = instructions ? pace_of(ticks, instructions) : own;
    return pace < PACE_MOST ? pace : PACE_MOST;
}

uint64_t pace_expect(const struct course *course, uint64_t own)
{
    own = own < PACE_MOST ? own : PACE_MOST;
    uint64_t code = pace_of_code(course, own), variety = agent_variety();
    uint64_t weight = variety < OWN ? variety * variety / OWN : OWN;
    uint64_t both = OWN * code + weight * own;
    return both ? (OWN + weight) * code * own / both : 0;
}

static void halve(uint64_t *sum)
{
    __atomic_store_n(sum, __atomic_load_n(sum, __ATOMIC_RELAXED) / 2, __ATOMIC_RELAXED);
}

static void mean_learn(uint64_t instructions, uint64_t own)
{
    agent_add(&agent.paced_ticks, instructions * own >> PACE_BITS);
    agent_add(&agent.paced_instructions, instructions);
    if (__atomic_load_n(&agent.paced_instructions, __ATOMIC_RELAXED) < PACED_MOST)
        return;
    halve(&agent.paced_ticks);
    halve(&agent.paced_instructions);
}

/* The first trails say the least: everything is cold. So all that was told counts half whenever
 * there are twice as many, and later after so many. */
static bool forgets(void)
{
    uint64_t n = __atomic_add_fetch(&agent.code_paced, 1, __ATOMIC_RELAXED);
    return n < EARLY ? (n & (n - 1)) == 0 : n % EARLY == 0;
}

void pace_learn(const struct course *course, uint64_t own)
{
    uint64_t mean = pace_mean(), code = pace_of_code(course, own);
    uint64_t most = FAR * (mean > code ? mean : code);
    uint64_t told = mean && own > most ? most : own;
    bool half = forgets();
    mean_learn(course->all.instructions, own);
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++) {
        struct code_pace *sum = &agent.code_pace[i];
        if (half) {
            halve(&sum->ticks);
            halve(&sum->instructions);
        }
        agent_add(&sum->ticks, course->charged[i] * told >> PACE_BITS);
        agent_add(&sum->instructions, course->charged[i]);
        uint64_t instructions = __atomic_load_n(&sum->instructions, __ATOMIC_RELAXED);
        if (instructions)
            __atomic_store_n(&sum->pace, pace_of(sum->ticks, instructions), __ATOMIC_RELAXED);
    }
}
