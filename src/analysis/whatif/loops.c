#include "analysis/whatif/loops.h"

enum { LOOP_INSTRUCTIONS = 512, REGISTERS = 16 };

struct reading {
    struct whatif_loop *loop;
    uint32_t written[REGISTERS], stepped[REGISTERS]; /* how often */
    struct {
        uint64_t at;
        uint8_t reg;
    } steps[CANDIDATE_STEPS];
    uint32_t n_steps;
    struct traits last; /* before the branch */
    uint64_t last_at;
};

static void instruction_take(struct reading *reading, uint64_t at, const struct traits *traits)
{
    struct whatif_loop *loop = reading->loop;
    loop->instructions++;
    loop->calls |= traits->what & TRAIT_CALLS;
    if (traits->what & TRAIT_PACKED) {
        loop->packed++;
        loop->bits = traits->bits > loop->bits ? traits->bits : loop->bits;
    }
    for (int i = 0; i < REGISTERS; i++)
        reading->written[i] += traits->writes >> i & 1;
    if (traits->what & TRAIT_STEPS) {
        reading->stepped[traits->steps]++;
        if (reading->n_steps < CANDIDATE_STEPS) {
            reading->steps[reading->n_steps].at = at;
            reading->steps[reading->n_steps++].reg = traits->steps;
        }
    }
    reading->last = *traits;
    reading->last_at = at;
}

/* A register that this instruction alone writes, by a constant. */
static bool is_counter(const struct reading *reading, uint32_t reg)
{
    return reading->stepped[reg] == 1 && reading->written[reg] == 1;
}

/* The branch depends on a counter, and on nothing else that the loop changes. */
static bool is_counted(const struct reading *reading)
{
    bool any = false;
    if (reading->last.what & TRAIT_STEPS)
        return is_counter(reading, reading->last.steps);
    if (!(reading->last.what & TRAIT_COMPARES))
        return false;
    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (!(reading->last.compares >> i & 1))
            continue;
        if (reading->written[i] && !is_counter(reading, i))
            return false;
        any |= reading->written[i] > 0;
    }
    return any;
}

static void steps_keep(struct whatif_loop *loop, const struct reading *reading)
{
    for (uint32_t i = 0; i < reading->n_steps; i++)
        if (is_counter(reading, reading->steps[i].reg))
            loop->steps[loop->n_steps++] = reading->steps[i].at;
    if (reading->last.what & TRAIT_COMPARES && loop->n_steps < CANDIDATE_STEPS)
        loop->steps[loop->n_steps++] = reading->last_at;
}

bool loop_read(struct core_code *code, const struct code_insn *branch, struct whatif_loop *ret_loop)
{
    struct whatif_loop loop = {0};
    struct reading reading = {.loop = &loop};
    struct traits traits;
    uint64_t at = branch->target;
    for (; at < branch->at && loop.instructions < LOOP_INSTRUCTIONS; at += traits.length) {
        if (!traits_read(code, at, &traits))
            return false;
        instruction_take(&reading, at, &traits);
    }
    if (at != branch->at)
        return false;
    loop.instructions++;
    if (is_counted(&reading))
        steps_keep(&loop, &reading);
    *ret_loop = loop;
    return true;
}
