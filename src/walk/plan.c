#include "walk/plan.h"

#include "walk/liveness.h"
#include "x86/insn.h"

#define SLOT(field) offsetof(struct context, field)

/* ---- finding */

static bool before(const struct wire_plan *a, uint64_t from, uint64_t to)
{
    return a->from != from ? a->from < from : a->to < to;
}

static bool same_place(const struct wire_plan *a, const struct wire_plan *b)
{
    return a->from == b->from && a->to == b->to;
}

static uint64_t counters_of(const struct wire_plan *operation)
{
    return operation->action == PLAN_COUNT_8    ? UINT64_C(1) << 8
           : operation->action == PLAN_COUNT_16 ? UINT64_C(1) << 16
                                                : 0;
}

static bool valid(const struct wire_plan *operations, uint32_t n, uint64_t counters)
{
    for (uint32_t i = 0, here = 0; i < n; i++) {
        const struct wire_plan *operation = &operations[i];
        here = i && same_place(operation, operation - 1) ? here + 1 : 1;
        if (here > PLAN_AT_ONE_PLACE)
            return false;
        if (operation->action < PLAN_SET || operation->action >= PLAN_ACTIONS ||
            operation->counter + counters_of(operation) > counters)
            return false;
        if (i && before(operation, operation[-1].from, operation[-1].to))
            return false;
    }
    return true;
}

bool plan_add(struct plan *plan, const struct plan_slice *where, const struct wire_plan *operations,
              uint32_t n, uint64_t counters)
{
    if (plan->n_slices == PLAN_SLICES || n > PLAN_OPERATIONS - plan->n ||
        !valid(operations, n, counters))
        return false;
    for (uint32_t i = 0; i < n; i++)
        plan->operations[plan->n + i] = operations[i];
    plan->slices[plan->n_slices] = *where;
    plan->slices[plan->n_slices].first = plan->n;
    plan->slices[plan->n_slices].n = n;
    plan->n += n;
    plan->n_slices++;
    return true;
}

uint64_t plan_read(struct plan *plan, const void *section, uint64_t bytes, uint64_t at,
                   uint64_t counters)
{
    struct wire_plan_module header;
    while (at <= bytes && bytes - at >= sizeof header) {
        const uint8_t *entry = (const uint8_t *)section + at;
        __builtin_memcpy(&header, entry, sizeof header);
        if (header.bytes < sizeof header || header.bytes % 8 || header.bytes > bytes - at ||
            header.n > (header.bytes - sizeof header) / sizeof(struct wire_plan))
            return bytes;
        struct plan_slice slice = {.start = header.start, .end = header.end, .bias = header.bias};
        plan_add(plan, &slice, (const struct wire_plan *)(const void *)(entry + sizeof header),
                 header.n, counters);
        at += header.bytes;
    }
    return at;
}

static uint32_t slice_find(const struct plan *plan, const struct plan_slice *slice, uint64_t from,
                           uint64_t to)
{
    uint32_t low = slice->first, high = slice->first + slice->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (before(&plan->operations[middle], from, to))
            low = middle + 1;
        else
            high = middle;
    }
    const struct wire_plan *found = &plan->operations[low];
    return low < slice->first + slice->n && found->from == from && found->to == to ? low + 1 : 0;
}

/* The newest slice that covers the place: modules go, and others come in their stead. */
uint32_t plan_find(const struct plan *plan, uint64_t from, uint64_t to)
{
    for (uint32_t i = plan->n_slices; i-- > 0;) {
        const struct plan_slice *slice = &plan->slices[i];
        if (to - slice->start < slice->end - slice->start)
            return slice_find(plan, slice, from ? from - slice->bias : 0, to - slice->bias);
    }
    return 0;
}

/* ---- code */

/* The low bits of path and value added, to %ecx. */
static void emit_path_index(struct cursor *c, const struct wire_plan *operation)
{
    emit_load(c, RCX, SLOT(path));
    emit_add_rcx(c, (uint32_t)operation->value);
    emit_u8(c, 0x0f);
    emit_u8(c, operation->action == PLAN_COUNT_8 ? 0xb6 : 0xb7);
    emit_u8(c, 0xc9);
}

/* `opcode` on %r11 and gs:[at + 8 rcx] */
static void emit_indexed(struct cursor *c, uint32_t opcode, size_t at)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x4c);
    emit_u8(c, opcode);
    emit_u8(c, 0x1c);
    emit_u8(c, 0xcd);
    emit_u32(c, (uint32_t)at);
}

static void emit_count(struct cursor *c, const struct wire_plan *operation, bool flags_free)
{
    size_t at = SLOT(counters) + 8 * (size_t)operation->counter;
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_path_index(c, operation);
    if (flags_free) {
        static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04,
                                            0xcd}; /* incq gs:[8 rcx + at] */
        emit_bytes(c, increment, sizeof increment);
        emit_u32(c, (uint32_t)at);
    } else {
        static const uint8_t next[] = {0x4d, 0x8d, 0x5b, 0x01}; /* lea 1(%r11), %r11 */
        emit_store(c, R11, SLOT(slot_r11));
        emit_indexed(c, 0x8b, at);
        emit_bytes(c, next, sizeof next);
        emit_indexed(c, 0x89, at);
        emit_load(c, R11, SLOT(slot_r11));
    }
    emit_load(c, RCX, SLOT(slot_rcx));
}

static void emit_set(struct cursor *c, int32_t value)
{
    static const uint8_t set[] = {0x65, 0x48, 0xc7, 0x04, 0x25}; /* movq $value, gs:[path] */
    emit_bytes(c, set, sizeof set);
    emit_u32(c, (uint32_t)SLOT(path));
    emit_u32(c, (uint32_t)value);
}

static void emit_add(struct cursor *c, int32_t value, bool flags_free)
{
    if (flags_free) {
        static const uint8_t add[] = {0x65, 0x48, 0x81, 0x04, 0x25}; /* addq $value, gs:[path] */
        emit_bytes(c, add, sizeof add);
        emit_u32(c, (uint32_t)SLOT(path));
        emit_u32(c, (uint32_t)value);
        return;
    }
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_load(c, RCX, SLOT(path));
    emit_add_rcx(c, (uint32_t)value);
    emit_store(c, RCX, SLOT(path));
    emit_load(c, RCX, SLOT(slot_rcx));
}

/* Between the path and what is put by under the low 16 bits of the stack pointer. */
static void emit_frame(struct cursor *c, bool keep)
{
    static const uint8_t index[] = {0x48, 0x0f, 0xb7, 0xcc}; /* movzwq %sp, %rcx: bytes */
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_store(c, R11, SLOT(slot_r11));
    emit_bytes(c, index, sizeof index);
    if (keep)
        emit_load(c, R11, SLOT(path));
    emit_u8(c, 0x65); /* mov between %r11 and gs:[rcx + frames] */
    emit_u8(c, 0x4c);
    emit_u8(c, keep ? 0x89 : 0x8b);
    emit_u8(c, 0x99);
    emit_u32(c, (uint32_t)SLOT(frames));
    if (!keep)
        emit_store(c, R11, SLOT(path));
    emit_load(c, R11, SLOT(slot_r11));
    emit_load(c, RCX, SLOT(slot_rcx));
}

static void emit_operation(struct cursor *c, const struct wire_plan *operation, bool flags_free)
{
    switch ((enum plan_action)operation->action) {
    case PLAN_SET: emit_set(c, operation->value); break;
    case PLAN_ADD: emit_add(c, operation->value, flags_free); break;
    case PLAN_COUNT_8:
    case PLAN_COUNT_16: emit_count(c, operation, flags_free); break;
    case PLAN_KEEP:
    case PLAN_BACK: emit_frame(c, operation->action == PLAN_KEEP); break;
    case PLAN_ACTIONS: break;
    }
}

void plan_emit(const struct plan *plan, uint32_t first, const struct regions *regions,
               struct cursor *c, uint64_t pc)
{
    if (!first)
        return;
    bool flags_free = flags_dead(regions, pc, FLAGS_ALL);
    const struct wire_plan *operation = &plan->operations[first - 1], *start = operation;
    for (; operation < plan->operations + plan->n && same_place(operation, start); operation++)
        emit_operation(c, operation, flags_free);
}

/* ---- without code */

static void apply(const struct wire_plan *operation, struct context *context)
{
    uint64_t sum = context->path + (uint64_t)(int64_t)operation->value;
    uint8_t *frame = context->frames + (uint16_t)context->gpr[RSP];
    switch ((enum plan_action)operation->action) {
    case PLAN_SET: context->path = (uint64_t)(int64_t)operation->value; break;
    case PLAN_ADD: context->path = sum; break;
    case PLAN_COUNT_8: context->counters[operation->counter + (uint8_t)sum]++; break;
    case PLAN_COUNT_16: context->counters[operation->counter + (uint16_t)sum]++; break;
    case PLAN_KEEP: __builtin_memcpy(frame, &context->path, 8); break;
    case PLAN_BACK: __builtin_memcpy(&context->path, frame, 8); break;
    case PLAN_ACTIONS: break;
    }
}

void plan_apply(const struct plan *plan, uint32_t first, struct context *context)
{
    if (!first)
        return;
    const struct wire_plan *operation = &plan->operations[first - 1], *start = operation;
    for (; operation < plan->operations + plan->n && same_place(operation, start); operation++)
        apply(operation, context);
}
