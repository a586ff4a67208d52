#include "view/modelled.h"

#include "profile/windows.h"
#include "view/residence.h"

/* A run that waits for where it led to. */
struct pending {
    uint32_t first, n; /* n 0: none waits */
    struct replay_data data[UINT16_MAX + 1];
};

struct going {
    struct modelled *modelled;
    struct code code;
    struct replay replay;
    struct account account;
    struct account_listener *listener;
    struct map runs; /* of module, address and bytes */
    struct going_firsts {
        VEC(uint32_t);
    } firsts;
    struct window_reader reader;
    struct pending pending;
    uint64_t addresses;
    struct residence residence;
};

static const struct image *image_of(void *context, uint32_t module)
{
    return scene_image(context, 0, module);
}

static uint32_t run_first(struct going *going, const struct window_run *run)
{
    uint64_t key[] = {run->module, run->at, run->bytes};
    uint32_t index = map_add(&going->runs, key);
    if (index == going->firsts.n)
        *vec_push(&going->firsts) = code_run(&going->code, run->module, (struct svma){run->at},
                                             run->bytes, run->instructions);
    return going->firsts.at[index];
}

static void pending_run(struct going *going, uint64_t next)
{
    if (going->pending.n)
        replay_run(&going->replay, going->pending.first, going->pending.n, next,
                   going->pending.data);
    going->pending.n = 0;
}

static void run_take(struct going *going, const struct window_run *run)
{
    uint32_t first = run_first(going, run);
    pending_run(going, replay_at(run->module, (struct svma){run->at}));
    if (first == REPLAY_NONE) {
        going->modelled->unread += run->instructions;
        replay_gap(&going->replay, MODELLED_WARMING / 4);
        return;
    }
    going->pending.first = first;
    going->pending.n = run->instructions;
    memset(going->pending.data, 0, run->instructions * sizeof *going->pending.data);
    for (uint32_t i = 0; i < going->reader.n; i++)
        going->pending.data[going->reader.instructions[i]].address = going->reader.addresses[i];
    going->addresses += going->reader.n;
}

/* What the window adds: so many cycles as it stands for. */
static void window_weigh(struct going *going, const struct window *window, uint32_t group)
{
    struct modelled *modelled = going->modelled;
    const struct account *account = &going->account;
    double hz = modelled->hz > 0 ? modelled->hz : 1e9;
    double times =
        account->cycles ? (double)window->weight_ns * hz / 1e9 / (double)account->cycles : 0;
    for (size_t i = 0; i < account->touched.n; i++) {
        uint32_t id = account->touched.at[i];
        const struct account_row *of = &account->rows.at[id];
        const struct code_place *place = &going->code.places.at[id];
        struct modelled_row *row = modelled_row(modelled, place->module, place->at.v);
        modelled_add(modelled, row, group, of, times);
        for (int k = 0; k < ACCOUNT_PRODUCERS && of->producers[k].cycles; k++) {
            uint32_t by = of->producers[k].id;
            bool here = by != REPLAY_NONE && going->code.places.at[by].module == place->module;
            modelled_part_add(row->waits, here ? going->code.places.at[by].at.v : UINT64_MAX,
                              (double)of->producers[k].cycles * times);
        }
    }
    modelled->instructions += account->instructions;
    modelled->windows += account->cycles > 0;
}

static void window_go(struct going *going, const struct windows *windows, size_t index)
{
    const struct window_run *run;
    replay_gap(&going->replay, MODELLED_WARMING);
    residence_place(&going->residence, windows, index, going->replay.core);
    account_clear(&going->account);
    window_open(&going->reader, windows, index);
    while (window_read(&going->reader, &run))
        run_take(going, run);
    pending_run(going, 0);
    account_settle(going->listener);
    going->modelled->broken += going->reader.broken;
    window_weigh(going, &windows->at[index], (uint32_t)(index % MODELLED_GROUPS));
}

void modelled_windows(struct modelled *modelled)
{
    const struct windows *windows = &modelled->scene->sides[0]->windows;
    struct going *going = mem_alloc(sizeof *going);
    going->modelled = modelled;
    code_init(&going->code, &modelled->model, (struct code_source){image_of, modelled->scene});
    replay_init(&going->replay, &going->code);
    account_init(&going->account);
    going->listener = account_listen(&going->account, &going->replay);
    map_init(&going->runs, sizeof(uint64_t[3]));
    residence_make(&going->residence, windows, &modelled->model);
    for (size_t i = 0; i < windows->n; i++)
        window_go(going, windows, i);
    modelled->addressed = going->addresses > 0;
    residence_release(&going->residence);
    account_listener_free(going->listener);
    replay_release(&going->replay);
    account_release(&going->account);
    code_release(&going->code);
    map_release(&going->runs);
    vec_release(&going->firsts);
    mem_free(going);
}
