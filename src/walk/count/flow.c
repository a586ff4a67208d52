#include "walk/count/flow.h"

enum { WARM = 64, TIMED_LEAST = 96, SLOTS = 2 * CONTEXT_FLOW };
/* A burst of a fifth of a millisecond was interrupted, or waited. */
enum { BURST_INTERRUPTED = 1 << 19 };

static struct wire_bursts *bursts_of(struct context *context)
{
    return (struct wire_bursts *)(void *)((uint8_t *)context->counters + NODES_AT);
}

static uint64_t burst_bytes(const struct wire_burst *burst)
{
    return sizeof *burst + burst->n * sizeof(struct wire_burst_path);
}

static void room_make(struct context *context, uint64_t looks)
{
    context->flow_at = -(int64_t)(looks * sizeof(struct flow_look));
}

bool flow_wanted(struct context *context, uint64_t number)
{
    const struct wire_bursts *bursts = bursts_of(context);
    return !(number & ((UINT64_C(1) << bursts->halvings) - 1));
}

void flow_arm(struct context *context)
{
    context->flow_phase = FLOW_WARM;
    room_make(context, WARM);
}

void flow_passes(struct context *context, bool waited)
{
    context->flow_spoiled = 1;
    if (waited)
        context->path_back = context->path_waits;
}

/* ---- keeping them */

/* Every second is dropped. */
static void bursts_halve(struct wire_bursts *bursts)
{
    uint8_t *first = (uint8_t *)(bursts + 1);
    uint64_t to = 0, bytes = 0;
    uint32_t kept = 0;
    for (uint64_t at = 0, i = 0; at < bursts->bytes; at += bytes, i++) {
        bytes = burst_bytes((const struct wire_burst *)(const void *)(first + at));
        if (i % 2)
            continue;
        for (uint64_t k = 0; k < bytes; k += 8) /* never to behind where it is */
            *(uint64_t *)(void *)(first + to + k) =
                *(const uint64_t *)(const void *)(first + at + k);
        to += bytes;
        kept++;
    }
    bursts->bytes = to;
    bursts->n = kept;
    bursts->halvings++;
}

/* Room for another; NULL: there is none. */
static struct wire_burst *burst_room(struct wire_bursts *bursts, uint64_t bytes)
{
    if (bursts->n >= BURSTS_MAX || bursts->bytes + bytes > BURSTS_BYTES - sizeof *bursts)
        return NULL;
    return (struct wire_burst *)(void *)((uint8_t *)(bursts + 1) + bursts->bytes);
}

static void burst_added(struct wire_bursts *bursts)
{
    const uint8_t *first = (const uint8_t *)(bursts + 1);
    bursts->bytes += burst_bytes((const struct wire_burst *)(const void *)(first + bursts->bytes));
    bursts->n++;
}

void flow_merge(struct context *context, uint8_t *to)
{
    const struct wire_bursts *from = bursts_of(context);
    struct wire_bursts *bursts = (void *)(to + NODES_AT);
    const uint8_t *first = (const uint8_t *)(from + 1);
    uint64_t bytes = 0;
    for (uint64_t at = 0; at < from->bytes; at += bytes) {
        const struct wire_burst *one = (const void *)(first + at);
        bytes = burst_bytes(one);
        struct wire_burst *room = burst_room(bursts, bytes);
        if (!room)
            return;
        for (uint64_t k = 0; k < bytes; k += 8)
            *(uint64_t *)(void *)((uint8_t *)room + k) =
                *(const uint64_t *)(const void *)(first + at + k);
        burst_added(bursts);
    }
}

/* ---- one burst */

static struct wire_burst_path path_of(const struct plan *plan, const struct flow_look *look)
{
    const struct wire_plan *operation = (const void *)(plan->library + 8 * look->operation);
    uint64_t sum = look->path + (uint64_t)operation->value;
    if (operation->action == PLAN_COUNT_PATH)
        return (struct wire_burst_path){sum, operation->counter | BURST_BY_NUMBER, 1};
    return (struct wire_burst_path){sum & ((UINT64_C(1) << operation->bits) - 1),
                                    operation->counter, 1};
}

/* One more of it, found by a table of where each is, and one. */
static void path_see(struct wire_burst *burst, uint16_t *table, const struct wire_burst_path *path)
{
    struct wire_burst_path *paths = (struct wire_burst_path *)(void *)(burst + 1);
    uint64_t hash = (path->path * 31 + path->function) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    uint32_t slot = (uint32_t)hash % SLOTS;
    for (; table[slot]; slot = (slot + 1) % SLOTS) {
        struct wire_burst_path *other = &paths[table[slot] - 1];
        if (other->path == path->path && other->function == path->function) {
            other->passages++;
            return;
        }
    }
    paths[burst->n++] = *path;
    table[slot] = (uint16_t)burst->n;
}

static void burst_keep(const struct plan *plan, struct context *context, uint64_t ticks)
{
    struct wire_bursts *bursts = bursts_of(context);
    uint64_t most = sizeof(struct wire_burst) + CONTEXT_FLOW * sizeof(struct wire_burst_path);
    uint16_t table[SLOTS] = {0};
    struct wire_burst *burst = burst_room(bursts, most);
    if (!burst) {
        bursts_halve(bursts);
        return;
    }
    *burst = (struct wire_burst){.ticks = ticks};
    for (uint64_t i = CONTEXT_FLOW - context->flow_room; i < CONTEXT_FLOW; i++) {
        struct wire_burst_path path = path_of(plan, &context->flow[i]);
        path_see(burst, table, &path);
    }
    burst_added(bursts);
}

bool flow_take(const struct plan *plan, struct context *context)
{
    if (context->flow_phase == FLOW_WARM) {
        context->flow_phase = FLOW_TIMED;
        context->path_began = context->flow_paused = context->flow_spoiled = 0;
        context->flow_room =
            TIMED_LEAST + context_chance(context) % (CONTEXT_FLOW - TIMED_LEAST + 1);
        room_make(context, context->flow_room);
        return false;
    }
    uint64_t ticks = context->flow_ended - context->path_began;
    if (ticks >= BURST_INTERRUPTED)
        context_lose(context->interrupted, 1);
    else if (!context->flow_spoiled && context->flow_paused < ticks)
        burst_keep(plan, context, ticks);
    return true;
}
