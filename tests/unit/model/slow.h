/* A slow model of a core that goes cycle by cycle: a reorder buffer, schedulers in which the oldest
 * that is ready takes a port, a store queue that is searched. It has the parameters, the caches and
 * the guesses of branches of the one-pass model; nothing else is shared. Not in it: second tries of
 * loads, renamed stack slots, fused pairs, code that is not kept as operations. */
#pragma once

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "model/core/core.h"
#include "model/core/hierarchy.h"
#include "model/core/insn.h"
#include "model/core/model.h"
#include "model/core/predictor.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM = 6000, OPS = RULE_OPS + 3 };
#define NEVER UINT64_MAX

struct program {
    struct core_insn insns[PROGRAM];
    struct core_fact facts[PROGRAM];
};

struct operation {
    uint32_t ports;
    uint8_t every;
    enum { OP_LOAD, OP_MAKE, OP_BESIDE, OP_ADDRESS, OP_DATA } kind;
    uint64_t issued; /* NEVER: not yet */
};

struct flight {
    const struct core_insn *insn;
    const struct core_fact *fact;
    int64_t sources[INSN_SOURCES],
        addresses[INSN_ADDRESSES]; /* who makes them; -1: nobody in flight */
    int64_t forwarder;             /* the store whose value it takes, once it has been looked for */
    struct operation ops[OPS];
    uint8_t n_ops;
    uint64_t fetched, dispatched, load_there, made, stored, retired, drained, line_there;
    uint8_t slots;
    bool searched;
};

struct slow {
    const struct model *model;
    struct hierarchy *hierarchy;
    struct predictor *predictor;
    struct flight *at; /* all of the program */
    int64_t makers[REGISTER_N];
    uint64_t port_free[MODEL_PORTS];
    uint32_t port_wanted[MODEL_PORTS];
    uint64_t now, redirect;
    int64_t fetched, dispatched, retired, drained; /* the next to be */
    uint32_t rob, opqueue;
};

static uint64_t value_of(const struct slow *slow, int64_t maker)
{
    return maker < 0 ? 0 : slow->at[maker].made;
}

static uint64_t latest(const struct slow *slow, const int64_t *makers, uint8_t n)
{
    uint64_t time = 0;
    for (uint8_t i = 0; i < n; i++)
        if (value_of(slow, makers[i]) > time)
            time = value_of(slow, makers[i]);
    return time;
}

static void op_add(struct flight *flight, uint32_t ports, uint8_t every, int kind)
{
    struct operation *op = &flight->ops[flight->n_ops++];
    op->ports = ports;
    op->every = every;
    op->kind = kind;
    op->issued = NEVER;
}

static void flight_begin(struct slow *slow, int64_t i)
{
    struct flight *flight = &slow->at[i];
    const struct core_insn *insn = flight->insn;
    const struct model *model = slow->model;
    bool fp = insn->flags & INSN_FP_DATA;
    for (uint8_t k = 0; k < insn->n_sources; k++)
        flight->sources[k] = slow->makers[insn->sources[k]];
    for (uint8_t k = 0; k < insn->n_addresses; k++)
        flight->addresses[k] = slow->makers[insn->addresses[k]];
    for (uint8_t k = 0; k < insn->n_results; k++)
        slow->makers[insn->results[k]] = i;
    flight->forwarder = -1;
    if (insn->flags & INSN_LOAD)
        op_add(flight, model->ops.at[fp ? model->op_load_fp : model->op_load].ports, 1, OP_LOAD);
    else
        flight->load_there = 0;
    for (uint8_t k = 0; k < insn->n_ops && !(insn->flags & INSN_FREE); k++)
        op_add(flight, insn->ports[k], k ? 1 : insn->every, k ? OP_BESIDE : OP_MAKE);
    if (insn->flags & INSN_STORE) {
        op_add(flight, model->ops.at[model->op_store].ports, 1, OP_ADDRESS);
        op_add(flight, model->ops.at[fp ? model->op_store_fp : model->op_store_data].ports, 1,
               OP_DATA);
    }
}

/* The youngest older store that has any of its bytes. */
static int64_t store_before(const struct slow *slow, int64_t i)
{
    const struct flight *load = &slow->at[i];
    uint64_t begin = load->fact->address.v, end = begin + load->insn->memory_bytes;
    for (int64_t k = i - 1; k >= slow->drained && k >= 0; k--) {
        const struct flight *store = &slow->at[k];
        uint64_t at = store->fact->address.v;
        if (store->insn->flags & INSN_STORE && at < end && at + store->insn->memory_bytes > begin)
            return k;
    }
    return -1;
}

/* When its value is there; NEVER if that is not known yet. */
static void load_settle(struct slow *slow, int64_t i)
{
    struct flight *load = &slow->at[i];
    if (load->load_there != NEVER || load->ops[0].issued == NEVER)
        return;
    const struct flight *store = load->forwarder >= 0 ? &slow->at[load->forwarder] : NULL;
    if (store && store->drained != NEVER && store->drained <= load->ops[0].issued)
        store = NULL;
    uint64_t there = load->line_there;
    if (store) {
        bool fp = load->insn->flags & INSN_FP_DATA;
        if (store->stored == NEVER)
            return;
        uint64_t forwarded = store->stored + (fp ? slow->model->forward_fp : slow->model->forward);
        there = forwarded > there ? forwarded : there;
    }
    load->load_there = there;
}

static void make_settle(struct slow *slow, struct flight *flight)
{
    const struct core_insn *insn = flight->insn;
    if (flight->made != NEVER || flight->load_there == NEVER)
        return;
    uint64_t ready = latest(slow, flight->sources, insn->n_sources), issue;
    if (ready == NEVER)
        return;
    if (insn->flags & INSN_FREE) {
        issue = flight->dispatched + (insn->flags & INSN_MOVE ? 0 : 1);
        issue = ready > issue ? ready : issue;
        issue = flight->load_there > issue ? flight->load_there : issue;
    } else {
        issue = flight->ops[insn->flags & INSN_LOAD ? 1 : 0].issued;
        if (issue == NEVER)
            return;
    }
    flight->made = issue + insn->cycles;
}

static bool op_ready(const struct slow *slow, const struct flight *flight,
                     const struct operation *op)
{
    const struct core_insn *insn = flight->insn;
    if (op->issued != NEVER || flight->dispatched + 1 > slow->now)
        return false;
    uint64_t time;
    switch (op->kind) {
    case OP_LOAD:
    case OP_ADDRESS: time = latest(slow, flight->addresses, insn->n_addresses); break;
    case OP_DATA: time = flight->made; break;
    default:
        time = latest(slow, flight->sources, insn->n_sources);
        time = flight->load_there > time ? flight->load_there : time;
        break;
    }
    return time <= slow->now;
}

static bool port_find(struct slow *slow, struct operation *op)
{
    int best = -1;
    for (uint32_t left = op->ports; left; left &= left - 1) {
        int port = __builtin_ctz(left);
        if (slow->port_free[port] <= slow->now &&
            (best < 0 || slow->port_wanted[port] < slow->port_wanted[best]))
            best = port;
    }
    if (best < 0)
        return false;
    slow->port_free[best] = slow->now + op->every;
    op->issued = slow->now;
    for (uint32_t left = op->ports; left; left &= left - 1)
        slow->port_wanted[__builtin_ctz(left)] += 840 / (uint32_t)__builtin_popcount(op->ports);
    return true;
}

static void op_issued(struct slow *slow, int64_t i, const struct operation *op)
{
    struct flight *flight = &slow->at[i];
    const struct core_insn *insn = flight->insn;
    uint64_t address = flight->fact->address.v;
    struct hierarchy_access access = {address, address, insn->memory_bytes, slow->now};
    uint32_t events = 0;
    if (op->kind == OP_LOAD) {
        bool fp = insn->flags & INSN_FP_DATA;
        uint32_t hit = (fp ? slow->model->load_fp : slow->model->load_int) +
                       (insn->flags & INSN_INDEXED ? slow->model->load_indexed : 0) +
                       (insn->flags & INSN_SCALED ? slow->model->load_scaled : 0);
        flight->line_there = hierarchy_data(slow->hierarchy, &access, hit, &events);
        flight->forwarder = store_before(slow, i);
    }
    if (op->kind == OP_ADDRESS)
        flight->line_there = hierarchy_data(slow->hierarchy, &access, 0, &events);
}

static void store_settle(struct flight *flight)
{
    const struct operation *address = &flight->ops[flight->n_ops - 2];
    const struct operation *data = &flight->ops[flight->n_ops - 1];
    if (flight->stored == NEVER && address->issued != NEVER && data->issued != NEVER)
        flight->stored = (address->issued > data->issued ? address->issued : data->issued) + 1;
}

static void issue(struct slow *slow)
{
    for (int64_t i = slow->retired; i < slow->dispatched; i++) {
        struct flight *flight = &slow->at[i];
        for (uint8_t k = 0; k < flight->n_ops; k++) {
            if (op_ready(slow, flight, &flight->ops[k]) && port_find(slow, &flight->ops[k]))
                op_issued(slow, i, &flight->ops[k]);
            if (flight->insn->flags & INSN_LOAD)
                load_settle(slow, i);
            make_settle(slow, flight);
        }
        make_settle(slow, flight);
        if (flight->insn->flags & INSN_STORE)
            store_settle(flight);
    }
    if (slow->now % 16 == 0)
        for (uint32_t port = 0; port < slow->model->n_ports; port++)
            slow->port_wanted[port] /= 2;
}

static bool complete(const struct slow *slow, const struct flight *flight)
{
    if (flight->made == NEVER || flight->made >= slow->now)
        return false;
    if (flight->insn->flags & INSN_LOAD && flight->load_there >= slow->now)
        return false;
    for (uint8_t i = 0; i < flight->n_ops; i++)
        if (flight->ops[i].kind == OP_BESIDE && flight->ops[i].issued + 1 >= slow->now)
            return false;
    return !(flight->insn->flags & INSN_STORE) ||
           (flight->stored != NEVER && flight->stored < slow->now);
}

static void retire(struct slow *slow)
{
    uint32_t left = slow->model->retire_width;
    while (slow->retired < slow->dispatched && complete(slow, &slow->at[slow->retired])) {
        struct flight *flight = &slow->at[slow->retired];
        if (flight->slots > left)
            return;
        left -= flight->slots;
        slow->rob -= flight->slots;
        flight->retired = slow->now;
        slow->retired++;
    }
}

/* Stores leave in order, those in one window together. */
static void drain(struct slow *slow)
{
    uint32_t left = slow->model->store_width;
    uint64_t window = NEVER;
    while (slow->drained < slow->retired) {
        struct flight *flight = &slow->at[slow->drained];
        if (flight->insn->flags & INSN_STORE) {
            uint64_t own = flight->fact->address.v / slow->model->store_window;
            if (!left || flight->retired >= slow->now || flight->line_there > slow->now ||
                (window != NEVER && window != own))
                return;
            window = own;
            left--;
            flight->drained = slow->now;
        }
        slow->drained++;
    }
}

static uint32_t waiting(const struct slow *slow, bool fp)
{
    uint32_t n = 0;
    for (int64_t i = slow->retired; i < slow->dispatched; i++) {
        const struct flight *flight = &slow->at[i];
        bool memory = flight->insn->flags & (INSN_LOAD | INSN_STORE);
        if (!!(flight->insn->flags & INSN_FP) != fp || (flight->insn->flags & INSN_FREE && !memory))
            continue;
        bool loads = flight->insn->flags & INSN_LOAD && flight->insn->flags & INSN_FREE;
        uint64_t leaves = loads ? flight->ops[0].issued
                          : flight->insn->flags & INSN_FREE
                              ? flight->made
                              : flight->ops[flight->insn->flags & INSN_LOAD ? 1 : 0].issued;
        n += leaves == NEVER || leaves >= slow->now;
    }
    return n;
}

static uint32_t in_flight(const struct slow *slow, int64_t from, uint16_t flag)
{
    uint32_t n = 0;
    for (int64_t i = from; i < slow->dispatched; i++)
        n += (slow->at[i].insn->flags & flag) != 0;
    return n;
}

static bool has_room(const struct slow *slow, const struct flight *next, uint32_t stores)
{
    const struct model *model = slow->model;
    uint32_t flags = next->insn->flags;
    bool places = !(flags & INSN_FREE) || flags & (INSN_LOAD | INSN_STORE);
    bool fp = flags & INSN_FP;
    return slow->rob + next->slots <= model->rob &&
           (!(flags & INSN_LOAD) ||
            in_flight(slow, slow->retired, INSN_LOAD) < model->load_queue) &&
           (!(flags & INSN_STORE) ||
            (in_flight(slow, slow->drained, INSN_STORE) < model->store_queue &&
             stores < model->dispatch_stores)) &&
           (!(flags & INSN_WRITES_INT) ||
            in_flight(slow, slow->retired, INSN_WRITES_INT) < model->int_registers) &&
           (!places || waiting(slow, fp) < (fp ? model->fp_scheduler : model->int_scheduler));
}

static void dispatch(struct slow *slow)
{
    uint32_t left = slow->model->dispatch_width, stores = 0;
    while (slow->dispatched < slow->fetched) {
        struct flight *next = &slow->at[slow->dispatched];
        if (next->fetched + slow->model->opcache_depth > slow->now || next->slots > left ||
            !has_room(slow, next, stores))
            return;
        left -= next->slots;
        stores += (next->insn->flags & INSN_STORE) != 0;
        slow->rob += next->slots;
        slow->opqueue -= next->slots;
        next->dispatched = slow->now;
        flight_begin(slow, slow->dispatched);
        slow->dispatched++;
    }
}

/* Behind a wrong guess nothing is fetched until the branch is done and the way back is over. */
static bool fetch_stands(struct slow *slow)
{
    const struct flight *last = slow->fetched ? &slow->at[slow->fetched - 1] : NULL;
    if (slow->redirect == NEVER && last->made != NEVER)
        slow->redirect = last->made + slow->model->mispredict;
    return slow->redirect == NEVER || slow->now < slow->redirect;
}

static void fetch(struct slow *slow)
{
    uint32_t left = slow->model->opcache_width;
    while (slow->fetched < PROGRAM && !fetch_stands(slow)) {
        struct flight *next = &slow->at[slow->fetched];
        if (next->slots > left || slow->opqueue + next->slots > slow->model->opqueue)
            return;
        left -= next->slots;
        slow->opqueue += next->slots;
        next->fetched = slow->now;
        slow->fetched++;
        if (next->insn->kind == INSN_PLAIN)
            continue;
        uint64_t guess;
        uint32_t events = predictor_see(slow->predictor, next->insn, next->fact, &guess);
        if (events & CORE_MISPREDICT)
            slow->redirect = NEVER;
        else if (events & CORE_NEW_TARGET)
            slow->redirect = slow->now + slow->model->btb_miss;
        if (events & CORE_TAKEN)
            return;
    }
}

static void slow_run(struct slow *slow, const struct program *program)
{
    for (int r = 0; r < REGISTER_N; r++)
        slow->makers[r] = -1;
    for (int64_t i = 0; i < PROGRAM; i++)
        slow->at[i] = (struct flight){.insn = &program->insns[i],
                                      .fact = &program->facts[i],
                                      .slots = program->insns[i].slots,
                                      .dispatched = NEVER,
                                      .load_there = NEVER,
                                      .made = NEVER,
                                      .stored = NEVER,
                                      .retired = NEVER,
                                      .drained = NEVER};
    while (slow->retired < PROGRAM) {
        retire(slow);
        drain(slow);
        issue(slow);
        dispatch(slow);
        fetch(slow);
        slow->now++;
        assert_true(slow->now < PROGRAM * 300);
    }
}
