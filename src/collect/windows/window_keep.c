/* The first instructions of some windows are kept in the order they executed (profile/windows.h),
 * to be modelled later.
 *
 * All of the first WINDOWS_ALL, then ever fewer, each of which stands for as many more: what a file
 * can hold is bounded by the logarithm of the recording's length. */
#include "base/memory.h"
#include "base/vec.h"
#include "collect/windows/window_consumer.h"
#include "profile/profile.h"
#include "values/value_pointers.h"
#include "wire/varint.h"

#include <string.h>

enum {
    WINDOWS_ALL = 64, /* as many again at half the rate, and so on: 260 of 1,000 */
    WINDOW_INSTRUCTIONS = 16384,
};

struct keep_run {
    uint32_t stamp, run; /* its number in the window of that stamp */
};

struct window_keep {
    struct window_consumer consumer;
    const struct units *units;
    struct profile *profile;
    uint64_t seen, kept; /* kept: at this rate */
    uint32_t every;
    uint32_t stamp;
    struct keep_runs {
        VEC(struct keep_run);
    } runs; /* by segment */
    struct value_pointers pointers;
    struct window_body body;
};

static void runs_follow(struct window_keep *keep)
{
    size_t n = keep->units->segments.n;
    vec_reserve(&keep->runs, n);
    keep->runs.n = n;
}

/* Its number among the window's runs. */
static uint32_t run_of(struct window_keep *keep, uint32_t segment)
{
    struct windows *windows = &keep->profile->windows;
    struct window *window = &windows->at[windows->n - 1];
    const struct unit_segment *code = &keep->units->segments.at[segment];
    struct keep_run *known = &keep->runs.at[segment];
    if (known->stamp != keep->stamp) {
        *known = (struct keep_run){keep->stamp, (uint32_t)window->n_runs++};
        *vec_push(&windows->runs) = (struct window_run){code->at.module, code->bytes,
                                                        code->instructions, code->at.address.v};
    }
    return known->run;
}

/* The addresses that the items of one segment recorded, its instructions being from `first` on. */
struct addresses {
    uint32_t n;
    uint16_t instructions[WINDOW_ADDRESSES];
    uint64_t addresses[WINDOW_ADDRESSES];
};

static void items_read(const struct wire_payload *items, uint32_t *item, uint32_t n_items,
                       const uint64_t **words, uint32_t first, uint32_t n, struct addresses *to)
{
    to->n = 0;
    for (; *item < n_items && items[*item].instruction < first + n; (*item)++) {
        const struct wire_payload *at = &items[*item];
        uint16_t instruction = (uint16_t)(at->instruction - first);
        bool again = to->n && to->instructions[to->n - 1] == instruction;
        bool address = at->kind <= PAYLOAD_DESTINATION || at->kind == PAYLOAD_GATHER_BASE;
        if (address && !again && to->n < WINDOW_ADDRESSES) {
            to->instructions[to->n] = instruction;
            to->addresses[to->n++] = **words;
        }
        *words += at->words;
    }
}

/* Where modules lie now, for addresses of data. */
static void spans_keep(struct window_keep *keep)
{
    struct windows *windows = &keep->profile->windows;
    struct window *window = &windows->at[windows->n - 1];
    value_pointers_follow(&keep->pointers);
    for (size_t i = 0; i < keep->pointers.extents.n; i++, window->n_spans++) {
        const struct value_extent *extent = &keep->pointers.extents.at[i];
        *vec_push(&windows->spans) = (struct window_span){.module = extent->module,
                                                          .start = extent->start,
                                                          .end = extent->end,
                                                          .shift = extent->shift};
    }
    /* All else is nobody's in particular: heaps, stacks, what was mapped. */
    *vec_push(&windows->spans) = (struct window_span){
        .module = profile_module(keep->profile, "[memory]", NULL, 0), .end = UINT64_MAX};
    window->n_spans++;
}

/* Returns how many instructions. `words`: moved to those of the next exit. */
static uint32_t exit_keep(struct window_keep *keep, uint32_t exit, const uint64_t **words)
{
    const struct units *units = keep->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    const struct wire_payload *items = &units->payload.at[superblock->first_item];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    uint32_t before = 0, item = 0;
    for (uint32_t s = 0; s <= last; s++) {
        uint32_t segment = superblock->first_segment + s;
        uint32_t n = units->segments.at[segment].instructions;
        struct addresses addresses;
        items_read(items, &item, superblock->n_items, words, before, n, &addresses);
        if (n)
            window_write(&keep->profile->windows, &keep->body, run_of(keep, segment),
                         addresses.instructions, addresses.addresses, addresses.n);
        before += n;
    }
    return before;
}

/* The same without addresses: most windows have none. */
static uint32_t exit_keep_runs(struct window_keep *keep, uint32_t exit)
{
    const struct units *units = keep->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit), ran = 0;
    struct bytes *bytes = &keep->profile->windows.bytes;
    bytes_reserve(bytes, bytes->n + (last + 1) * (size_t)VARINT_BYTES_MAX);
    uint8_t *at = bytes->at + bytes->n;
    for (uint32_t s = superblock->first_segment; s <= superblock->first_segment + last; s++) {
        if (units->segments.at[s].instructions)
            at = varint_put(at, run_of(keep, s));
        ran += units->segments.at[s].instructions;
    }
    bytes->n = (size_t)(at - bytes->at);
    return ran;
}

static void keep_window(struct window_consumer *consumer, const struct weighed_window *weighed)
{
    struct window_keep *keep = (struct window_keep *)consumer;
    const struct payload_window *window = &weighed->counted;
    struct windows *windows = &keep->profile->windows;
    if (!weighed->stands_for_ns || keep->seen++ % keep->every)
        return;
    bool addressed = window->n_words &&
                     payloads_words(keep->units, window->exits, window->n_exits) == window->n_words;
    const uint64_t *words = addressed ? window->words : NULL;
    keep->stamp++;
    runs_follow(keep);
    if (addressed)
        memset(&keep->body, 0, sizeof keep->body);
    *vec_push(windows) = (struct window){.tsc = weighed->walk->tsc,
                                         .weight_ns = weighed->stands_for_ns * keep->every,
                                         .tid = (uint32_t)window->tid,
                                         .addressed = addressed,
                                         .first_run = windows->runs.n,
                                         .first_span = windows->spans.n,
                                         .first_byte = windows->bytes.n};
    if (addressed)
        spans_keep(keep);
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < window->n_exits && instructions < WINDOW_INSTRUCTIONS; i++)
        if (units_owner(keep->units, window->exits[i]) != UNIT_NONE)
            instructions += addressed ? exit_keep(keep, window->exits[i], &words)
                                      : exit_keep_runs(keep, window->exits[i]);
    windows->at[windows->n - 1].n_bytes = windows->bytes.n - windows->at[windows->n - 1].first_byte;
    if (++keep->kept == WINDOWS_ALL) {
        keep->every *= 2;
        keep->kept = 0;
    }
}

static void keep_close(struct window_consumer *consumer)
{
    struct window_keep *keep = (struct window_keep *)consumer;
    vec_release(&keep->runs);
    value_pointers_release(&keep->pointers);
    mem_free(keep);
}

struct window_consumer *window_keep_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {.window = keep_window, .release = keep_close};
    struct window_keep *keep = mem_alloc(sizeof *keep);
    *keep = (struct window_keep){.consumer = {&kind},
                                 .units = setting->units,
                                 .profile = setting->session->profile,
                                 .every = 1};
    value_pointers_init(&keep->pointers, setting->units->mappings);
    return &keep->consumer;
}
