#include "import/branch_turns.h"

#include "profile/profile.h"
#include "profile/sums.h"

void branch_turns_release(struct branch_turns *turns)
{
    vec_release(&turns->kept);
}

void branch_turns_begin(struct branch_turns *turns)
{
    turns->now = (struct branch_turned){.at = {MODULE_NONE, {0}}};
    turns->gap = false;
}

static bool under_way(const struct branch_turns *turns)
{
    return turns->now.at.module != MODULE_NONE && !turns->gap;
}

void branch_turns_branch(struct branch_turns *turns, struct place at, bool conditional)
{
    struct branch_turned *now = &turns->now;
    if (now->at.module == MODULE_NONE)
        now->at = at;
    else if (under_way(turns) && conditional && now->bits < TURNS_MOST)
        now->directions |= UINT64_C(1) << now->bits++;
}

void branch_turns_passed(struct branch_turns *turns, uint32_t n)
{
    uint32_t left = TURNS_MOST - turns->now.bits;
    if (under_way(turns))
        turns->now.bits += n < left ? n : left;
}

void branch_turns_gap(struct branch_turns *turns)
{
    turns->gap = turns->now.at.module != MODULE_NONE;
}

/* Each of all samples so far is kept with the same probability. */
void branch_turns_end(struct branch_turns *turns, uint64_t times)
{
    if (!turns->now.bits)
        return;
    uint64_t index = turns->seen++;
    turns->now.times = times;
    if (turns->kept.n < BRANCH_TURNS_KEPT) {
        *vec_push(&turns->kept) = turns->now;
        return;
    }
    index = random_below(&turns->random, index + 1);
    if (index < BRANCH_TURNS_KEPT)
        turns->kept.at[index] = turns->now;
}

void branch_turns_tell(const struct branch_turns *turns, struct profile *profile)
{
    for (size_t i = 0; i < turns->kept.n; i++) {
        const struct branch_turned *of = &turns->kept.at[i];
        struct turns_key key = {of->at.module, of->bits, of->at.address, of->directions};
        double times = (double)of->times * (double)turns->seen / (double)turns->kept.n;
        sum_add(&table_at(&profile->turns, &key)->count, (uint64_t)(times + 0.5));
    }
}
