#include "model/core/front.h"

#include "model/core/hierarchy.h"

enum { OP_LINE_BITS = 6, OP_WAYS = 8, OPS_A_LINE = 8 };

struct front {
    struct lru decoded; /* lines of code whose operations are kept */
    uint64_t line;      /* + 1, of the last instruction; 0: none */
    uint64_t window;    /* of the code that the last kept operation was of */
    bool decoding;      /* it was not kept */
    uint32_t bytes;     /* of the cycle's that the decoders have used */
    uint32_t decodes;   /* instructions of this cycle */
    uint64_t cycle;     /* which it is */
    uint32_t taken;     /* branches in it */
    uint64_t taken_cycle;
};

struct front *front_make(const struct model *model)
{
    struct front *front = mem_alloc(sizeof *front);
    lru_init(&front->decoded, model->opcache_ops / OPS_A_LINE, OP_WAYS);
    return front;
}

void front_free(struct front *front)
{
    lru_release(&front->decoded);
    mem_free(front);
}

void front_copy(struct front *to, const struct front *from)
{
    struct lru decoded = to->decoded;
    lru_copy(&decoded, &from->decoded);
    *to = *from;
    to->decoded = decoded;
}

/* A line that is not kept is asked of the instruction cache, and kept from then on. */
static uint64_t line_enter(struct core *core, uint64_t address, uint64_t time, uint32_t *events)
{
    struct front *front = core->front;
    uint64_t line = address >> OP_LINE_BITS;
    front->line = line + 1;
    front->decoding = !lru_find(&front->decoded, line);
    if (!front->decoding)
        return time;
    if (core->model->opcache_ops) {
        *events |= CORE_OPCACHE_MISS;
        lru_put(&front->decoded, line, 0);
    }
    return hierarchy_code(core->hierarchy, address, time, events);
}

static uint64_t decode(struct core *core, uint32_t length, uint64_t earliest)
{
    struct front *front = core->front;
    const struct model *model = core->model;
    if (earliest > front->cycle) {
        front->cycle = earliest;
        front->bytes = front->decodes = 0;
    } else if (front->decodes >= model->decode_width ||
               front->bytes + length > model->fetch_bytes) {
        front->cycle++;
        front->bytes = front->decodes = 0;
    }
    front->bytes += length;
    front->decodes++;
    return front->cycle;
}

/* Kept operations of one cycle are all of one window of code. */
static void window_enter(struct core *core, uint64_t address)
{
    struct front *front = core->front;
    uint64_t window = address / core->model->opcache_window;
    if (window != front->window)
        stage_shut(&core->fetch);
    front->window = window;
}

uint64_t front_fetch(struct core *core, const struct core_fact *fact, const struct core_insn *insn,
                     uint32_t slots, uint32_t *ret_depth, uint32_t *events)
{
    struct front *front = core->front;
    const struct model *model = core->model;
    uint64_t time = core->redirect > core->fetch.cycle ? core->redirect : core->fetch.cycle;
    uint64_t room = queue_wait(&core->opqueue);
    time = room > time ? room : time;
    if (front->line != (fact->at.v >> OP_LINE_BITS) + 1)
        time = line_enter(core, fact->at.v, time, events);
    if (front->decoding)
        time = decode(core, insn->length, time);
    else if (model->opcache_window)
        window_enter(core, fact->at.v);
    if (insn->flags & INSN_LCP)
        time = (time > core->fetch.cycle ? time : core->fetch.cycle) + model->lcp_cycles;
    *ret_depth = front->decoding ? model->decode_depth : model->opcache_depth;
    if (!slots)
        return time > core->fetch.cycle ? time : core->fetch.cycle;
    for (uint32_t i = 0; i < slots; i++)
        time = stage_pass(&core->fetch, time);
    return time;
}

void front_taken(struct core *core, uint32_t events)
{
    struct front *front = core->front;
    const struct model *model = core->model;
    uint64_t now = core->fetch.cycle;
    front->taken = front->taken_cycle == now ? front->taken + 1 : 1;
    front->taken_cycle = now;
    front->line = 0;
    uint64_t next = now;
    if (front->taken >= model->taken_width || model->taken_bubble)
        next = now + 1 + model->taken_bubble;
    if (events & CORE_NEW_TARGET)
        next = now + model->btb_miss;
    if (next > core->redirect)
        core->redirect = next;
}
