#include "walk/emit/contexts_code.h"

#include "walk/emit/liveness.h"
#include "walk/emit/plan_taken.h"
#include "x86/insn.h"

#define SLOT(field) offsetof(struct context, field)
#define NODE(field) (NODES + offsetof(struct wire_node, field))
#define NODES (SLOT(counters) + NODES_AT)

/* ---- pieces; %rcx, %r11 and the flags are free in all of them */

struct piece {
    const struct contexts *contexts;
    const struct plan_room *room;
    struct code_cursor *hot, *cold;
    bool flags_free;
    uint8_t *out[3]; /* branches to where the dispatcher takes over */
    uint32_t n_out;
};

static void emit_take(const struct piece *p, struct code_cursor *c)
{
    static const uint8_t flags[] = {0x9f, 0x0f, 0x90, 0xc0}; /* lahf; seto %al */
    if (!p->room->free) {
        emit_store(c, RCX, SLOT(slot_rcx));
        emit_store(c, R11, SLOT(slot_r11));
    }
    if (p->flags_free)
        return;
    emit_store(c, RAX, SLOT(slot_rax));
    emit_bytes(c, flags, sizeof flags);
}

static void emit_give_back(const struct piece *p, struct code_cursor *c)
{
    static const uint8_t flags[] = {0x04, 0x7f, 0x9e}; /* add $127, %al; sahf */
    if (!p->flags_free) {
        emit_bytes(c, flags, sizeof flags);
        emit_load(c, RAX, SLOT(slot_rax));
    }
    if (p->room->free)
        return;
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_load(c, R11, SLOT(slot_r11));
}

/* An instruction with the operand gs:[offset + rcx]: the bytes up to ModRM, its register field. */
static void emit_at_rcx(struct code_cursor *c, uint32_t rex, uint32_t opcode, uint32_t field,
                        size_t offset)
{
    emit_u8(c, 0x65);
    if (rex)
        emit_u8(c, rex);
    emit_u8(c, opcode);
    emit_u8(c, 0x81 | field << 3);
    emit_u32(c, (uint32_t)offset);
}

/* Out unless the word at gs:[offset + rcx] is that. */
static void emit_demand(struct piece *p, size_t offset, uint32_t word)
{
    emit_at_rcx(p->hot, 0, 0x81, 7, offset); /* cmpl */
    emit_u32(p->hot, word);
    emit_u8(p->hot, 0x0f); /* jne */
    emit_u8(p->hot, 0x85);
    emit_u32(p->hot, 0);
    p->out[p->n_out++] = p->hot->at - 4;
}

/* The node, in %rcx, put by for the frame that a call has just been made from. */
static void emit_put_by(struct code_cursor *c)
{
    static const uint8_t store[] = {0x41, 0x89, 0xe3, 0x65, 0x4a, 0x89, 0x0c, 0x9d};
    _Static_assert(CONTEXT_SHADOW_SCALE == 4, "the scale of the address");
    emit_bytes(c, store, sizeof store); /* mov %esp, %r11d; mov %rcx, gs:[... + 4 r11] */
    emit_u32(c, (uint32_t)(CONTEXT_SHADOW_AT + 8 * CONTEXT_SHADOW_SCALE +
                           offsetof(struct shadow, node)));
}

/* The clock to %rax; that and %rdx are put by in slots. No flag changes. */
static void emit_clock_read(const struct piece *p, struct code_cursor *c)
{
    static const uint8_t rotated[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xd2, 32, 0x48, 0x8d, 0x04, 0x10};
    static const uint8_t low[] = {0x65, 0x89, 0x04, 0x25}, high[] = {0x65, 0x89, 0x14, 0x25};
    emit_store(c, RAX, SLOT(slot_ticks_rax));
    emit_store(c, RDX, SLOT(slot_rdx));
    emit_u8(c, 0x0f); /* rdtsc */
    emit_u8(c, 0x31);
    if (p->room->rotates) {
        emit_bytes(c, rotated, sizeof rotated); /* rorx $32, %rdx, %rdx; lea (%rax,%rdx), %rax */
    } else {
        emit_bytes(c, low, sizeof low);
        emit_u32(c, (uint32_t)SLOT(slot_clock));
        emit_bytes(c, high, sizeof high);
        emit_u32(c, (uint32_t)SLOT(slot_clock) + 4);
        emit_load(c, RAX, SLOT(slot_clock));
    }
}

static void emit_clock_done(struct code_cursor *c)
{
    emit_load(c, RAX, SLOT(slot_ticks_rax));
    emit_load(c, RDX, SLOT(slot_rdx));
}

/* What has elapsed is the node's that is being left; %r11 is overwritten. */
static void emit_account(const struct piece *p)
{
    static const uint8_t less[] = {0x48, 0xf7, 0xd2, 0x48, 0x8d, 0x44, 0x10, 1};
    static const uint8_t load[] = {0x65, 0x49, 0x8b, 0x93}, store[] = {0x65, 0x49, 0x89, 0x83};
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10};
    struct code_cursor *c = p->hot;
    emit_clock_read(p, c);
    emit_load(c, RDX, SLOT(node_began));
    emit_store(c, RAX, SLOT(node_began));
    emit_bytes(c, less, sizeof less); /* not %rdx; lea 1(%rax,%rdx), %rax */
    emit_load(c, R11, SLOT(node));
    emit_bytes(c, load, sizeof load); /* mov gs:[ticks + r11], %rdx */
    emit_u32(c, (uint32_t)NODE(ticks));
    emit_bytes(c, sum, sizeof sum);
    emit_bytes(c, store, sizeof store);
    emit_u32(c, (uint32_t)NODE(ticks));
    emit_clock_done(c);
}

/* To the dispatcher; what the code has taken is given back before. */
static void emit_out(struct piece *p, struct code_cursor *c, uint32_t transfer,
                     uint8_t **ret_behind)
{
    if (!p->room->free)
        emit_store(c, RCX, SLOT(slot_rcx));
    emit_u8(c, 0x48); /* lea behind(%rip), %rcx */
    emit_u8(c, 0x8d);
    emit_u8(c, 0x0d);
    emit_u32(c, 0);
    *ret_behind = c->at - 4;
    emit_store(c, RCX, SLOT(resume));
    if (!p->room->free)
        emit_load(c, RCX, SLOT(slot_rcx));
    emit_store_u32(c, CONTEXTS_LEFT | transfer, SLOT(exit));
    emit_jump_slot(c, SLOT(to_plan));
}

/* A branch of the hot code to the cold, where what is rarely done follows. */
static uint64_t emit_aside(struct piece *p, uint32_t condition)
{
    emit_u8(p->hot, 0x0f);
    emit_u8(p->hot, condition);
    emit_u32(p->hot, 0);
    emit_displacement(p->hot, p->hot->at - 4, cursor_runs_at(p->cold));
    return cursor_runs_at(p->hot);
}

/* ---- some stays are measured (walk/count/node_ticks.h) */

/* First, with registers taken: if this stay is measured, reads the clock; the dispatcher does the
 * rest. */
static void emit_clock_fenced(struct piece *p)
{
    emit_fence(p->cold);
    emit_clock_read(p, p->cold);
    emit_fence(p->cold);
}

static void emit_stay_end(struct piece *p)
{
    static const uint8_t test[] = {0x65, 0x80, 0x3c, 0x25};
    if (!p->contexts->ticks_some)
        return;
    emit_bytes(p->hot, test, sizeof test); /* cmpb $0, gs:[...] */
    emit_u32(p->hot, (uint32_t)SLOT(node_timed));
    emit_u8(p->hot, 0);
    uint64_t back = emit_aside(p, 0x85); /* jne */
    uint8_t *behind;
    emit_clock_fenced(p);
    emit_store(p->cold, RAX, SLOT(node_ended));
    emit_clock_done(p->cold);
    emit_give_back(p, p->cold);
    emit_out(p, p->cold, CONTEXTS_TIMED, &behind);
    emit_displacement(p->cold, behind, cursor_runs_at(p->cold));
    emit_take(p, p->cold);
    emit_jump(p->cold, back);
}

/* In the node in %rcx: if it is its turn, from now on. */
static void emit_stay_begin(struct piece *p)
{
    if (!p->contexts->ticks_some)
        return;
    emit_at_rcx(p->hot, 0, 0xff, 1, NODE(left)); /* decl */
    uint64_t back = emit_aside(p, 0x88);         /* js */
    emit_store_u32(p->cold, 1, SLOT(node_timed));
    emit_clock_fenced(p);
    emit_store(p->cold, RAX, SLOT(node_began));
    emit_clock_done(p->cold);
    emit_jump(p->cold, back);
}

/* ---- whole transfers */

/* From a slot at gs:[offset + rcx] to the child. */
static void emit_enter(struct piece *p, size_t offset, uint32_t callee)
{
    emit_demand(p, offset + 4, NODE_TAG | callee);
    emit_at_rcx(p->hot, 0, 0x8b, RCX, offset); /* mov gs:[...], %ecx */
    if (p->contexts->ticks)
        emit_account(p);
    emit_store(p->hot, RCX, SLOT(node));
    emit_at_rcx(p->hot, 0x48, 0xff, 0, NODE(count)); /* incq */
    emit_stay_begin(p);
}

/* The node that was put by for the frame that is returned to, to %rcx. */
static void emit_take_back(struct code_cursor *c)
{
    static const uint8_t load[] = {0x89, 0xe1, 0x65, 0x48, 0x8b, 0x0c, 0x8d};
    emit_bytes(c, load, sizeof load); /* mov %esp, %ecx; mov gs:[... + 4 rcx], %rcx */
    emit_u32(c, (uint32_t)(CONTEXT_SHADOW_AT + offsetof(struct shadow, node)));
    emit_store(c, RCX, SLOT(node));
}

static void emit_return_some(struct piece *p)
{
    emit_take(p, p->hot);
    emit_stay_end(p);
    emit_take_back(p->hot);
    emit_stay_begin(p);
    emit_give_back(p, p->hot);
}

static void emit_return(struct piece *p)
{
    struct code_cursor *c = p->hot;
    bool free = p->room->free;
    if (!free)
        emit_store(c, RCX, SLOT(slot_rcx));
    if (p->contexts->ticks) {
        if (!free)
            emit_store(c, R11, SLOT(slot_r11));
        emit_account(p);
        if (!free)
            emit_load(c, R11, SLOT(slot_r11));
    }
    emit_take_back(c);
    if (!free)
        emit_load(c, RCX, SLOT(slot_rcx));
}

static void emit_pending(struct piece *p, uint32_t number, size_t slot)
{
    emit_add_rcx(p->hot, (uint32_t)slot);
    emit_store(p->hot, RCX, SLOT(pending_slot));
    emit_store_u32(p->hot, number, SLOT(pending));
}

static void emit_transfer(struct piece *p, const struct transfer *transfer, uint32_t number)
{
    size_t slot = transfer->slot ? contexts_slot(p->contexts, transfer) : 0;
    emit_take(p, p->hot);
    if (transfer->kind == TRANSFER_CALL || transfer->kind == TRANSFER_TAIL ||
        transfer->kind == TRANSFER_ENTER)
        emit_stay_end(p);
    if (transfer->kind == TRANSFER_ENTER) {
        emit_load(p->hot, RCX, SLOT(pending_slot));
        emit_enter(p, NODES, transfer->callee);
    } else {
        emit_load(p->hot, RCX, SLOT(node));
        if (transfer->kind == TRANSFER_CALL || transfer->kind == TRANSFER_PENDING)
            emit_put_by(p->hot);
        emit_demand(p, NODE(function), transfer->function);
        if (transfer->kind == TRANSFER_CALL || transfer->kind == TRANSFER_TAIL)
            emit_enter(p, NODES + slot, transfer->callee);
        else
            emit_pending(p, number, slot);
    }
    emit_give_back(p, p->hot);
    for (uint32_t i = 0; i < p->n_out; i++)
        emit_displacement(p->hot, p->out[i], cursor_runs_at(p->cold));
    emit_give_back(p, p->cold);
    uint8_t *behind;
    emit_out(p, p->cold, number, &behind);
    emit_displacement(p->cold, behind, cursor_runs_at(p->hot));
}

void contexts_emit(const struct contexts *contexts, uint32_t number, struct code_cursor *hot,
                   struct code_cursor *cold, const struct plan_room *room)
{
    if (!contexts || !number)
        return;
    struct piece piece = {
        .contexts = contexts,
        .room = room,
        .hot = hot,
        .cold = cold,
        .flags_free = flags_dead(room->regions, room->pc, FLAGS_ALL),
    };
    if (number == CONTEXTS_RETURNS) {
        if (contexts->ticks_some)
            emit_return_some(&piece);
        else
            emit_return(&piece);
        return;
    }
    const struct transfer *transfer = &contexts->transfers[number];
    if (transfer->kind != TRANSFER_ENTER && !transfer->slot) {
        uint8_t *behind;
        emit_out(&piece, hot, number, &behind);
        emit_displacement(hot, behind, cursor_runs_at(hot));
        return;
    }
    emit_transfer(&piece, transfer, number);
}
