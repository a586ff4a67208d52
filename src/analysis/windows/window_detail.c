#include "analysis/windows/window_detail.h"

#include "base/err.h"
#include "model/replay/code.h"

/* The model knows modules by their number in the profile, and skips what it cannot read. */
static void cycles_fill(struct window_detail *detail, const struct window_times *times)
{
    const struct window_tree *tree = &detail->tree;
    const struct window_code *code = tree->code;
    uint64_t last = 0;
    size_t next = 0;
    for (uint32_t i = 0; i < tree->steps.n; i++) {
        const struct window_insn *insn = &code->insns.at[tree->steps.at[i]];
        uint32_t module;
        struct svma at = {0};
        if (next < times->n)
            replay_place(times->at[next].at, &module, &at);
        detail->cycles[i] = last;
        if (next < times->n && insn->kind != CODE_OPAQUE && at.v == insn->at &&
            scene_module(detail->list->scene, 0, module) == insn->module) {
            last = times->at[next].retire;
            next++;
            detail->warming = next == times->warming ? i + 1 : detail->warming;
        }
        detail->cycles[i + 1] = last;
    }
    detail->modelled = next > 0;
}

void window_detail_of(struct window_detail *detail, struct window_list *list, uint32_t number,
                      const struct window_times *times)
{
    *detail =
        (struct window_detail){.list = list, .number = number, .index = list->order.at[number - 1]};
    window_tree_build(&detail->tree, &list->code, &list->scene->sides[0]->windows, detail->index);
    detail->cycles = mem_alloc((detail->tree.steps.n + 1) * sizeof *detail->cycles);
    detail->to = (uint32_t)detail->tree.steps.n;
    cycles_fill(detail, times);
}

struct taking {
    struct window_detail *detail;
    struct window_list *list;
    uint32_t number;
};

static void take(void *to, size_t index, const struct window_times *times)
{
    struct taking *taking = to;
    (void)index;
    window_detail_of(taking->detail, taking->list, taking->number, times);
}

bool window_detail_make(struct window_detail *detail, struct window_list *list, uint32_t number,
                        uint32_t from, uint32_t to, struct err *err)
{
    struct taking taking = {detail, list, number};
    if (!number || number > list->order.n)
        return err_set(err, ERR_USAGE, "--show %u: expected the number of a window, 1 to %zu",
                       number, list->order.n);
    window_cycles_make(list->scene, &list->model, list->order.at[number - 1], take, &taking);
    uint32_t n = detail->to;
    to = to && to < n ? to : n;
    if (n && from >= to) {
        window_detail_release(detail);
        return err_set(err, ERR_USAGE,
                       "--from %u: expected less than %u; window %u has %u instructions", from, to,
                       number, n);
    }
    detail->from = from;
    detail->to = to;
    return true;
}

void window_detail_release(struct window_detail *detail)
{
    window_tree_release(&detail->tree);
    mem_free(detail->cycles);
}

uint64_t window_detail_cycles(const struct window_detail *detail, uint32_t from, uint32_t to)
{
    return detail->cycles[to] - detail->cycles[from];
}
