#include "compress/converged.h"

static size_t slot_of(uint64_t place)
{
    uint64_t hash = place * UINT64_C(0x9e3779b97f4a7c15);
    return hash / (UINT64_MAX / HABITS + 1);
}

void habits_follow(struct habits *habits, const struct message *messages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct tuple *tuple = &messages[i].tuple;
        struct habit *habit = &habits->at[slot_of(tuple->place)];
        bool same = habit->place == tuple->place && habit->value == tuple->value;
        *habit = (struct habit){tuple->place, tuple->value, same ? habit->same + 1 : 1};
    }
}

bool habits_converged(const struct habits *habits, uint64_t place)
{
    const struct habit *habit = &habits->at[slot_of(place)];
    return habit->place == place && habit->same >= HABIT_CONVERGED;
}
