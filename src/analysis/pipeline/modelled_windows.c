#include "analysis/pipeline/modelled.h"

#include "analysis/pipeline/window_course.h"

/* What the window adds: so many cycles as it stands for. */
static void window_weigh(struct modelled *modelled, const struct core_code *code,
                         const struct account *account, size_t index)
{
    uint32_t group = (uint32_t)(index / modelled->every % MODELLED_GROUPS);
    double hz = modelled->hz > 0 ? modelled->hz : 1e9;
    double weight_ns = (double)modelled->scene->sides[0]->windows.at[index].weight_ns;
    double times = account->cycles ? weight_ns * hz / 1e9 / (double)account->cycles : 0;
    for (size_t i = 0; i < account->touched.n; i++) {
        uint32_t id = account->touched.at[i];
        const struct account_row *of = &account->rows.at[id];
        const struct code_place *place = &code->places.at[id];
        struct modelled_row *row = modelled_row(modelled, place->module, place->at.v);
        modelled_add(modelled, row, group, of, times);
        for (int k = 0; k < ACCOUNT_PRODUCERS && of->producers[k].cycles; k++) {
            uint32_t by = of->producers[k].id;
            bool here = by != REPLAY_NONE && code->places.at[by].module == place->module;
            modelled_part_add(row->waits, here ? code->places.at[by].at.v : UINT64_MAX,
                              (double)of->producers[k].cycles * times);
        }
    }
    modelled->instructions += account->instructions;
    modelled->windows += account->cycles > 0;
}

/* Every second window, by a core that has gone all others before: code that a window meets first
 * was not new to the program, and what is learned from a window must not be what it is judged by.
 */
static void half_take(struct modelled *modelled, size_t half)
{
    struct window_course *course = mem_alloc(sizeof *course);
    struct account account;
    window_course_open(course, modelled->scene, &modelled->model, &modelled->code);
    course->most = modelled->most;
    account_init(&account);
    const size_t every = modelled->every;
    for (size_t i = !half * every; i < course->windows->n; i += 2 * every)
        window_course_train(course, i);
    struct account_listener *listener = account_listen(&account, &course->replay);
    for (size_t i = half * every; i < course->windows->n; i += 2 * every) {
        account_clear(&account);
        window_course_go(course, i);
        account_settle(listener);
        window_weigh(modelled, course->code, &account, i);
    }
    modelled->addressed = modelled->addressed || course->addresses > 0;
    modelled->unread += course->unread;
    modelled->broken += course->broken;
    account_listener_free(listener);
    account_release(&account);
    window_course_close(course);
    mem_free(course);
}

void modelled_windows(struct modelled *modelled)
{
    half_take(modelled, 0);
    half_take(modelled, 1);
}
