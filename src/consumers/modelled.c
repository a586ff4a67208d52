#include "consumers/modelled.h"

#include "profile/profile.h"
#include "profile/sums.h"
#include "model/replay/account.h"

struct giving {
    const struct core_code *code;
    struct profile *profile;
    const struct code_place *place;
};

static void give(const struct giving *giving, enum modelled_kind kind, uint64_t detail,
                 uint64_t count)
{
    struct modelled_key key = {.module = giving->place->module,
                               .kind = kind,
                               .address = giving->place->at,
                               .detail = detail};
    if (count)
        sum_add(&table_at(&giving->profile->modelled, &key)->count, count);
}

static uint64_t producer_address(const struct giving *giving, uint32_t id)
{
    if (id == REPLAY_NONE || giving->code->places.at[id].module != giving->place->module)
        return UINT64_MAX;
    return giving->code->places.at[id].at.v;
}

static void row_give(const struct giving *giving, const struct account_row *row)
{
    give(giving, MODELLED_RETIRED, 0, row->retired);
    give(giving, MODELLED_ABORTED, 0, row->aborted);
    for (int i = 0; i < ACCOUNT_SIGNATURES; i++)
        give(giving, MODELLED_TIME,
             row->signatures[i].state | (uint64_t)row->signatures[i].events << 8,
             row->signatures[i].units);
    for (uint64_t i = 0; i < ACCOUNT_STAGES; i++)
        give(giving, MODELLED_STAGE, i, row->stages[i]);
    give(giving, MODELLED_LOADS, 0, row->loads);
    for (uint64_t i = 0; i < ACCOUNT_EVENTS; i++)
        give(giving, MODELLED_EVENT, i, row->events[i]);
    for (int i = 0; i < ACCOUNT_PRODUCERS; i++)
        give(giving, MODELLED_WAIT, producer_address(giving, row->producers[i].id),
             row->producers[i].cycles);
    give(giving, MODELLED_WAITS, 0, row->waits);
    give(giving, MODELLED_NEARBY, 0, row->nearby);
    for (uint64_t i = 0; i < 2; i++) {
        give(giving, MODELLED_SLOTS, 3 * i, row->slots[i].n);
        give(giving, MODELLED_SLOTS, 3 * i + 1, row->slots[i].span);
        give(giving, MODELLED_SLOTS, 3 * i + 2, row->slots[i].used);
    }
}

void modelled_give(const struct account *account, const struct core_code *code,
                   struct profile *profile)
{
    for (size_t i = 0; i < account->touched.n; i++) {
        uint32_t id = account->touched.at[i];
        struct giving giving = {code, profile, &code->places.at[id]};
        row_give(&giving, &account->rows.at[id]);
    }
}
