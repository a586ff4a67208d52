#include "model/core/core.h"

#include "base/err.h"
#include "model/core/predictor.h"
#include "model/core/front.h"
#include "model/core/hierarchy.h"
#include "model/core/ports.h"
#include "model/core/state.h"
#include "model/core/stores.h"

#include <string.h>

/* Of a quotient that nobody has looked at. */
enum { BITS_UNKNOWN = 12 };

static void queue_make(struct queue *queue, uint32_t n)
{
    *queue = (struct queue){mem_alloc(n * sizeof *queue->until), n, 0};
}

struct core *core_make(const struct model *model)
{
    struct core *core = mem_alloc(sizeof *core);
    core->model = model;
    core->fetch.width = model->opcache_ops ? model->opcache_width : model->decode_width;
    core->dispatch.width = model->dispatch_width;
    core->stores.width = model->dispatch_stores;
    core->retire.width = model->retire_width;
    queue_make(&core->opqueue, model->opqueue);
    queue_make(&core->rob, model->rob);
    queue_make(&core->loads, model->load_queue);
    queue_make(&core->store_queue, model->store_queue);
    queue_make(&core->int_results, model->int_registers);
    queue_make(&core->fp_results, model->fp_registers);
    core->int_pool.size = model->int_scheduler;
    core->fp_pool.size = model->fp_scheduler;
    ports_init(core);
    core->hierarchy = hierarchy_make(model);
    core->predictor = predictor_make(model);
    core->front = front_make(model);
    return core;
}

void core_free(struct core *core)
{
    hierarchy_free(core->hierarchy);
    predictor_free(core->predictor);
    front_free(core->front);
    mem_free(core->opqueue.until);
    mem_free(core->rob.until);
    mem_free(core->loads.until);
    mem_free(core->store_queue.until);
    mem_free(core->int_results.until);
    mem_free(core->fp_results.until);
    mem_free(core);
}

static void queue_copy(struct queue *to, const struct queue *from)
{
    memcpy(to->until, from->until, from->n * sizeof *from->until);
    to->at = from->at;
}

void core_copy(struct core *to, const struct core *from)
{
    struct core parts = *to;
    ASSERT(to->model == from->model);
    memcpy(to, from, sizeof *to);
    to->opqueue.until = parts.opqueue.until;
    to->rob.until = parts.rob.until;
    to->loads.until = parts.loads.until;
    to->store_queue.until = parts.store_queue.until;
    to->int_results.until = parts.int_results.until;
    to->fp_results.until = parts.fp_results.until;
    to->hierarchy = parts.hierarchy;
    to->predictor = parts.predictor;
    to->front = parts.front;
    queue_copy(&to->opqueue, &from->opqueue);
    queue_copy(&to->rob, &from->rob);
    queue_copy(&to->loads, &from->loads);
    queue_copy(&to->store_queue, &from->store_queue);
    queue_copy(&to->int_results, &from->int_results);
    queue_copy(&to->fp_results, &from->fp_results);
    hierarchy_copy(to->hierarchy, from->hierarchy);
    predictor_copy(to->predictor, from->predictor);
    front_copy(to->front, from->front);
}

static inline void later(uint64_t *time, uint64_t other)
{
    if (other > *time)
        *time = other;
}

static uint64_t latest(const struct core *core, const uint8_t *registers, uint8_t n)
{
    uint64_t time = 0;
    for (uint8_t i = 0; i < n; i++)
        later(&time, core->registers[registers[i]]);
    return time;
}

/* The same of what the instruction computes with. */
static uint64_t sources_ready(const struct core *core, const struct core_insn *insn)
{
    if (!(insn->flags & INSN_CHAIN))
        return latest(core, insn->sources, insn->n_sources);
    uint64_t time = 0;
    for (uint8_t i = 0; i < insn->n_sources; i++) {
        uint8_t reg = insn->sources[i];
        later(&time, core->registers[reg] - (core->given[reg] == GIVEN_CHAIN));
    }
    return time;
}

static inline void wait_for(uint64_t *time, uint64_t other, enum core_wait wait, uint8_t *ret_wait)
{
    if (other > *time) {
        *time = other;
        *ret_wait = (uint8_t)wait;
    }
}

/* All that dispatch waits for, but for its own width. */
static uint64_t room(struct core *core, const struct core_insn *insn, uint64_t time,
                     uint8_t *ret_wait)
{
    *ret_wait = WAIT_NONE;
    wait_for(&time, core->alone, WAIT_ALONE, ret_wait);
    wait_for(&time, queue_wait(&core->rob), WAIT_ROB, ret_wait);
    if (insn->flags & INSN_LOAD)
        wait_for(&time, queue_wait(&core->loads), WAIT_LOADS, ret_wait);
    if (insn->flags & INSN_STORE)
        wait_for(&time, queue_wait(&core->store_queue), WAIT_STORES, ret_wait);
    if (insn->flags & INSN_WRITES_INT)
        wait_for(&time, queue_wait(&core->int_results), WAIT_REGISTERS, ret_wait);
    if (insn->flags & INSN_WRITES_FP)
        wait_for(&time, queue_wait(&core->fp_results), WAIT_REGISTERS, ret_wait);
    if (insn->flags & INSN_ALONE)
        wait_for(&time, core->last_retire, WAIT_ALONE, ret_wait);
    if (!(insn->flags & INSN_FREE) || insn->flags & (INSN_LOAD | INSN_STORE))
        wait_for(&time, pool_wait(insn->flags & INSN_FP ? &core->fp_pool : &core->int_pool, time),
                 WAIT_SCHEDULER, ret_wait);
    return time;
}

static uint64_t dispatch(struct core *core, const struct core_insn *insn, uint32_t slots,
                         uint64_t earliest)
{
    uint64_t time = earliest;
    if (insn->flags & INSN_STORE)
        later(&time, stage_pass(&core->stores, time));
    bool microcode = slots > core->model->microcode_ops;
    if (microcode)
        stage_shut(&core->dispatch);
    for (uint32_t i = 0; i < slots; i++)
        time = stage_pass(&core->dispatch, time);
    later(&time, core->dispatch.cycle);
    if (microcode)
        stage_shut(&core->dispatch);
    return time;
}

/* Where nothing overtakes, whoever issues waits for whom came before. */
static void in_order(struct core *core, uint64_t *ready)
{
    if (core->model->in_order)
        later(ready, core->last_issue);
}

static bool any_given(const struct core *core, const uint8_t *registers, uint8_t n,
                      enum given given)
{
    for (uint8_t i = 0; i < n; i++)
        if (core->given[registers[i]] == given)
            return true;
    return false;
}

static uint64_t load(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                     struct core_times *times)
{
    const struct model *model = core->model;
    uint64_t ready = times->dispatch + 1;
    later(&ready, latest(core, insn->addresses, insn->n_addresses));
    bool fp = insn->flags & INSN_FP_DATA;
    uint32_t ports = model->ops.at[fp ? model->op_load_fp : model->op_load].ports;
    in_order(core, &ready);
    uint64_t issue = port_take_load(core, ports, ready, fact->address.v);
    core->last_issue = issue;
    times->unit = core->port + 1;
    uint64_t last = fact->address.v + insn->memory_bytes - 1;
    if (insn->passes > 1 && insn->memory_bytes > model->vector_bits / 8)
        port_take(core, ports, issue, 1);
    if ((fact->address.v ^ last) & -(uint64_t)model->line_bytes)
        port_take(core, ports, issue, 1);
    uint32_t cycles = fp ? model->load_fp : model->load_int;
    if (any_given(core, insn->addresses, insn->n_addresses, GIVEN_LOAD))
        for (uint32_t i = 0; i < model->load_again; i++)
            port_take(core, ports, issue, 1);
    if (insn->flags & INSN_INDEXED)
        cycles += model->load_indexed;
    if (insn->flags & INSN_SCALED)
        cycles += model->load_scaled;
    times->load_issue = issue;
    struct hierarchy_access access = {fact->address.v,
                                      fact->physical ? fact->physical : fact->address.v,
                                      insn->memory_bytes, issue};
    if (fact->changes & CHANGE_NEAR)
        hierarchy_near(core->hierarchy, &access);
    times->load_complete = hierarchy_data(core->hierarchy, &access, cycles, &times->events);
    if (times->events & CORE_SYNONYM && times->events & CORE_L1D_MISS)
        ports_block(core, model->ops.at[model->op_load].ports, issue, model->synonym_load);
    return stores_forward(core, insn, fact, times);
}

/* The first operation makes the result; the others only need ports. When all are done. */
static uint64_t execute(struct core *core, const struct core_insn *insn,
                        const struct core_fact *fact, struct core_times *times)
{
    uint32_t cycles = insn->cycles;
    uint64_t done = 0;
    if (insn->value_bits)
        cycles += (fact->value_bits ? fact->value_bits : (uint32_t)BITS_UNKNOWN) / insn->value_bits;
    uint32_t every = insn->every + (cycles - insn->cycles) / 2;
    if (insn->flags & INSN_FREE) {
        times->issue = times->ready;
    } else {
        uint64_t ready = times->ready;
        in_order(core, &ready);
        times->issue = port_take(core, insn->ports[0], ready, every);
        core->last_issue = times->issue;
        times->unit = core->port + 1;
        for (uint8_t i = 1; i < insn->n_ops; i++)
            later(&done, port_take(core, insn->ports[i], times->ready, 1) + 1);
    }
    times->complete = times->issue + cycles;
    later(&done, times->complete);
    return done;
}

static void store(struct core *core, const struct core_insn *insn, const struct core_times *times,
                  struct store_times *ret)
{
    const struct model *model = core->model;
    uint64_t ready = times->dispatch + 1;
    later(&ready, latest(core, insn->addresses, insn->n_addresses));
    uint64_t address = port_take(core, model->ops.at[model->op_store].ports, ready, 1);
    uint8_t data = insn->flags & INSN_FP_DATA ? model->op_store_fp : model->op_store_data;
    *ret = (struct store_times){
        .value = times->complete,
        .address = address,
        .data = port_take(core, model->ops.at[data].ports, times->complete, insn->passes) + 1};
    later(&ret->data, address + 1);
}

static uint64_t retire(struct core *core, uint64_t complete, uint32_t slots)
{
    uint64_t time = complete + 1;
    later(&time, core->last_retire);
    for (uint32_t i = 0; i < slots; i++) {
        time = stage_pass(&core->retire, time);
        queue_take(&core->rob, time);
    }
    core->last_retire = time;
    return time;
}

static void queues_take(struct core *core, const struct core_insn *insn,
                        const struct core_times *times)
{
    bool fp = insn->flags & INSN_FP;
    if (!(insn->flags & INSN_FREE) || insn->flags & (INSN_LOAD | INSN_STORE)) {
        uint64_t leaves = times->issue;
        if (insn->flags & INSN_FREE && insn->flags & INSN_LOAD)
            leaves = times->load_issue;
        pool_take(fp ? &core->fp_pool : &core->int_pool, leaves);
    }
    if (insn->flags & INSN_LOAD)
        queue_take(&core->loads, times->retire);
    if (insn->flags & INSN_WRITES_INT)
        queue_take(&core->int_results, times->retire);
    if (insn->flags & INSN_WRITES_FP)
        queue_take(&core->fp_results, times->retire);
}

/* Push and pop only note by how much they move the stack pointer; who needs it itself waits for the
 * sum. */
static uint32_t stack_sync(struct core *core, const struct core_insn *insn)
{
    if (insn->flags & INSN_PUSHES)
        core->stack_moved = true;
    if (!(insn->flags & INSN_USES_STACK) || !core->stack_moved || !core->model->stack_sync)
        return 0;
    core->stack_moved = false;
    core->registers[REGISTER_RSP]++;
    return 1;
}

/* The branch with these times was guessed wrongly. */
static void wrong_begin(struct core *core, const struct core_times *branch)
{
    core->wrong = (struct wrong){.fetch = {.cycle = branch->fetch + 1, .width = core->fetch.width},
                                 .until = branch->complete};
}

static void branch(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                   struct core_times *times)
{
    uint64_t guess;
    uint32_t events = predictor_see(core->predictor, insn, fact, &guess);
    if (fact->changes & CHANGE_PREDICTED)
        events &= ~(uint32_t)(CORE_MISPREDICT | CORE_NEW_TARGET);
    times->events |= events;
    bool jumps = events & CORE_TAKEN;
    if (fact->changes & CHANGE_TURNED)
        jumps = !jumps;
    if (jumps)
        front_taken(core, events);
    if (events & CORE_MISPREDICT) {
        times->redirect = times->complete + core->model->mispredict;
        times->guess.v = guess;
        wrong_begin(core, times);
        later(&core->redirect, times->redirect);
    }
}

/* Loads of the stack, and what is loaded from where they point to, are waited for, not guessed at.
 */
static enum given given_by(const struct core *core, const struct core_insn *insn)
{
    if (insn->flags & INSN_CHAIN)
        return GIVEN_CHAIN;
    if (!(insn->flags & INSN_LOAD))
        return GIVEN_ELSE;
    return insn->flags & INSN_STACK ||
                   any_given(core, insn->addresses, insn->n_addresses, GIVEN_STACK)
               ? GIVEN_STACK
               : GIVEN_LOAD;
}

static void results_give(struct core *core, const struct core_insn *insn, uint64_t time)
{
    enum given given = given_by(core, insn);
    for (uint8_t i = 0; i < insn->n_results; i++) {
        core->registers[insn->results[i]] = time;
        core->given[insn->results[i]] = (uint8_t)given;
        core->writes[insn->results[i]]++;
    }
    if (insn->late)
        core->registers[insn->late_register] += insn->late;
}

void core_step(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
               struct core_times *times)
{
    /* What is set below is left as it is: to clear all of it takes as long as a stage. */
    times->load_issue = times->load_complete = times->redirect = times->guess.v = 0;
    times->events = 0;
    bool fused = core->fusing && insn->kind == INSN_COND;
    bool ridden = insn->flags & INSN_NOP && core->carries && core->model->fuse_nop;
    uint32_t slots = fused || ridden ? 0 : insn->slots;
    core->carries = !ridden;
    times->rides = !slots;
    slots += stack_sync(core, insn);
    uint32_t depth;
    times->fetch = front_fetch(core, fact, insn, slots, &depth, &times->events);
    uint64_t earliest = room(core, insn, times->fetch + depth, &times->wait);
    times->dispatch = dispatch(core, insn, slots, earliest);
    for (uint32_t i = 0; i < slots; i++)
        queue_take(&core->opqueue, times->dispatch);
    times->ready = insn->flags & INSN_MOVE ? times->dispatch : times->dispatch + 1;
    later(&times->ready, sources_ready(core, insn));
    if (insn->flags & INSN_LOAD)
        later(&times->ready, load(core, insn, fact, times));
    uint64_t complete = execute(core, insn, fact, times);
    struct store_times stored = {0};
    later(&complete, times->load_complete);
    if (insn->flags & INSN_STORE) {
        store(core, insn, times, &stored);
        later(&complete, stored.data);
    }
    results_give(core, insn, times->complete);
    times->complete = complete;
    times->retire = retire(core, complete, slots);
    if (insn->flags & INSN_STORE)
        stores_note(core, insn, fact, &stored, times->retire, &times->events);
    queues_take(core, insn, times);
    if (insn->flags & INSN_ALONE)
        core->alone = times->retire;
    core->fusing = insn->flags & INSN_FUSES;
    if (insn->kind != INSN_PLAIN)
        branch(core, insn, fact, times);
}

void core_gap(struct core *core, uint64_t cycles)
{
    later(&core->redirect, core->last_retire + cycles);
    core->wrong.until = 0;
    core->fusing = core->carries = core->stack_moved = false;
}

void core_place(struct core *core, struct avma address, uint32_t level)
{
    hierarchy_place(core->hierarchy, address.v, level);
}

uint64_t core_history(const struct core *core)
{
    return predictor_history(core->predictor);
}
