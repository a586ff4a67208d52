#include "agent/sample.h"

#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/loader.h"
#include "agent/maps.h"
#include "agent/trigger.h"
#include "walk/sys.h"

enum {
    LEAD_MASK = 255,
    TRAIL_MIN = 1000,
    PREEMPTED_NS = 20000,
    CLOCK_MASK = 63,
    TRAIL_MASK = 3,
    TRAIL_ALWAYS = 64
};

/* The walk under way, kept here so that a fault in the middle of it can still report its window. */
static struct progress {
    struct event_walk event;
    uint64_t start_tsc;
    bool in_window, timing;
    struct sample_cost cost;
    uint32_t max_exits;
} progress;

/* A stretch of plain code: what it executed and how long that took. */
struct piece {
    uint32_t instructions, direct, indirect, ticks;
};

static void registers_load(struct context *context, const struct kernel_ucontext *frame)
{
    uint64_t *gpr = context->gpr;
    gpr[RAX] = frame->rax, gpr[RCX] = frame->rcx, gpr[RDX] = frame->rdx, gpr[RBX] = frame->rbx;
    gpr[RSP] = frame->rsp, gpr[RBP] = frame->rbp, gpr[RSI] = frame->rsi, gpr[RDI] = frame->rdi;
    gpr[R8] = frame->r8, gpr[R9] = frame->r9, gpr[R10] = frame->r10, gpr[R11] = frame->r11;
    gpr[R12] = frame->r12, gpr[R13] = frame->r13, gpr[R14] = frame->r14, gpr[R15] = frame->r15;
    context->pc = frame->rip;
    context->flags = frame->rflags;
}

static void registers_store(const struct context *context, struct kernel_ucontext *frame)
{
    const uint64_t *gpr = context->gpr;
    frame->rax = gpr[RAX], frame->rcx = gpr[RCX], frame->rdx = gpr[RDX], frame->rbx = gpr[RBX];
    frame->rsp = gpr[RSP], frame->rbp = gpr[RBP], frame->rsi = gpr[RSI], frame->rdi = gpr[RDI];
    frame->r8 = gpr[R8], frame->r9 = gpr[R9], frame->r10 = gpr[R10], frame->r11 = gpr[R11];
    frame->r12 = gpr[R12], frame->r13 = gpr[R13], frame->r14 = gpr[R14], frame->r15 = gpr[R15];
    frame->rip = context->pc;
    frame->rflags = context->flags;
}

/* The program's vector state, to and from the copied frame: the kernel cleared the registers when it
 * built the frame, and rt_sigreturn will load them from it. */
static void vectors_restore(void)
{
    uint64_t features;
    __builtin_memcpy(&features, agent.fpstate + FPSTATE_FEATURES_AT, 8);
    __asm__ volatile("xrstor64 (%0)"
                     :
                     : "r"(agent.fpstate), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}

static void vectors_save(void)
{
    uint64_t features;
    __builtin_memcpy(&features, agent.fpstate + FPSTATE_FEATURES_AT, 8);
    __asm__ volatile("xsave64 (%0)"
                     :
                     : "r"(agent.fpstate), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}

/* The cache must hold copies of what is mapped now. False: the loader is at work. */
static bool modules_current(void)
{
    uint64_t print;
    if (!loader_fingerprint(agent.loader, &print)) {
        agent_lose(LOSS_in_loader);
        return false;
    }
    bool changed =
        __atomic_exchange_n(&agent.stale, 0, __ATOMIC_ACQUIRE) || print != agent.loader_print;
    if (changed || agent.cache->full) {
        agent.loader_print = print;
        cache_flush(agent.cache);
        agent_lose(LOSS_flushed);
    }
    if (changed)
        maps_read(agent.regions);
    return true;
}

static void progress_begin(uint64_t pc)
{
    progress.start_tsc = sys_tsc();
    progress.in_window = progress.timing = false;
    progress.cost = (struct sample_cost){0};
    progress.event = (struct event_walk){.kind = 0,
                                         .tid = agent.pid,
                                         .tsc = progress.start_tsc,
                                         .cpu_ns = agent_cpu_ns(),
                                         .pc = pc,
                                         .stop = LOSS_N};
}

/* Plain code for about n instructions. The first budget to be used up ends it: after n / 4 in a loop
 * of one superblock, after a few times n at most in code that charges all of them alike. */
static uint32_t run_plain(uint32_t n, struct piece *ret)
{
    struct context *context = agent.context;
    int64_t each = ((int64_t)n / 4 + 1) << BUDGET_BITS;
    uint64_t half[2] = {0, 0};
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = -each;
    uint32_t stop = walk_run(&agent.walk, FLAVOUR_PLAIN);
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        half[i / (CONTEXT_BUDGETS / 2)] += (uint64_t)(context->budgets[i] + each);
    uint64_t exits = (UINT64_C(1) << BUDGET_BITS) - 1;
    *ret = (struct piece){.instructions = (uint32_t)((half[0] + half[1]) >> BUDGET_BITS),
                          .direct = (uint32_t)(half[0] & exits),
                          .indirect = (uint32_t)(half[1] & exits)};
    return stop;
}

static void window_close(void)
{
    struct event_walk *event = &progress.event;
    struct context *context = agent.context;
    progress.in_window = false;
    int64_t left = -context->record_at / 4;
    event->n_exits = progress.max_exits - (uint32_t)left;
    event->end_pc = context->pc;
    const uint32_t *exits = &context->records[CONTEXT_RECORDS - progress.max_exits];
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < event->n_exits; i++)
        instructions += cache_exit(agent.cache, exits[i])->instructions;
    event->instructions = (uint32_t)instructions;
    if (event->n_exits) {
        uint64_t mean = (instructions << 8) / event->n_exits;
        agent.insns_per_exit_q8 += (mean >> 3) - (agent.insns_per_exit_q8 >> 3);
        if (agent.insns_per_exit_q8 < 256)
            agent.insns_per_exit_q8 = 256;
    }
}

static uint32_t run_window(void)
{
    progress.max_exits = budget_window_exits();
    agent.context->record_at = -4 * (int64_t)progress.max_exits;
    progress.in_window = true;
    uint32_t stop = walk_run(&agent.walk, FLAVOUR_RECORD);
    window_close();
    return stop;
}

/* One timed piece of the trail. True: it was long enough to tell a rate. */
static bool run_timed(uint32_t n, uint32_t *ret_stop, struct piece *ret)
{
    uint64_t cold = agent.cache->translate_ticks, tsc = sys_tsc();
    *ret_stop = run_plain(n, ret);
    uint64_t ticks = sys_tsc() - tsc - (agent.cache->translate_ticks - cold);
    agent.channel->trail_ticks += ticks;
    ret->ticks = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
    return ret->instructions >= TRAIL_MIN;
}

/* Pieces of growing length; the last that was long enough, beside the others, gives the rate. */
static uint32_t run_pieces(void)
{
    static const uint32_t sixteenths[] = {1, 4, 11};
    struct event_walk *event = &progress.event;
    uint32_t stop = LOSS_N;
    for (uint32_t i = 0; i < 3 && stop == LOSS_N; i++) {
        struct piece piece;
        bool good = run_timed(agent.trail / 16 * sixteenths[i], &stop, &piece);
        if (!good || piece.instructions < event->trail / 4) {
            event->lead += piece.instructions;
            continue;
        }
        event->lead += event->trail;
        event->trail = piece.instructions;
        event->trail_ticks = piece.ticks;
        event->trail_direct = piece.direct;
        event->trail_indirect = piece.indirect;
    }
    return stop;
}

/* The timed stretch. After an interrupt neither the program's caches nor its branches' history are
 * what they were, and its copies start with none: so it is timed in pieces, of which only the last
 * counts. A thread that did not keep the CPU tells no rate: CPU time falls behind the clock. */
static uint32_t run_trail(void)
{
    struct event_walk *event = &progress.event;
    uint64_t cpu = agent_cpu_ns(), tsc = sys_tsc(), before = event->lead;
    uint32_t stop = run_pieces();
    progress.cost.trail_ticks = sys_tsc() - tsc;
    progress.cost.trail_instructions = event->lead - before + event->trail;
    uint64_t ns = progress.cost.trail_ticks * 1000000 / agent.ticks_per_ms;
    bool kept = ns < agent_cpu_ns() - cpu + PREEMPTED_NS;
    if (!event->trail || !kept)
        return stop;
    event->flags |= WALK_TIMED;
    uint64_t rate = ((uint64_t)event->trail_ticks << 16) / event->trail;
    agent.ticks_per_insn_q16 += (rate >> 4) - (agent.ticks_per_insn_q16 >> 4);
    if (agent.ticks_per_insn_q16 < 1 << 10)
        agent.ticks_per_insn_q16 = rate;
    return stop;
}

static void run_parts(void)
{
    struct event_walk *event = &progress.event;
    uint64_t start = sys_tsc();
    struct piece lead;
    agent.walk.brief = true;
    event->stop = run_plain(1 + (uint32_t)(agent_random() & LEAD_MASK), &lead);
    event->lead = lead.instructions;
    uint64_t lead_end = sys_tsc();
    agent.channel->lead_ticks += lead_end - start;
    if (event->stop != LOSS_N) {
        agent_lose(LOSS_unwalked);
        return;
    }
    event->stop = run_window();
    agent.channel->window_ticks += sys_tsc() - lead_end;
    if (event->stop != LOSS_N) {
        agent_lose(event->n_exits ? LOSS_cut : LOSS_unwalked);
        return;
    }
    event->flags |= WALK_COMPLETE;
    progress.timing = budget_wants_trail();
    if (progress.timing)
        event->stop = run_trail();
}

static void event_publish(void)
{
    struct event_walk *event = &progress.event;
    uint32_t bytes = (uint32_t)(sizeof *event + 4 * event->n_exits + 7) & ~7u;
    event->bytes = bytes;
    struct event_walk *out = ring_take(&agent.ring, bytes);
    if (!out) {
        agent_lose(LOSS_dropped);
        return;
    }
    *out = *event;
    const uint32_t *exits = &agent.context->records[CONTEXT_RECORDS - progress.max_exits];
    uint32_t *to = (uint32_t *)(out + 1);
    for (uint32_t i = 0; i < event->n_exits; i++)
        to[i] = exits[i];
    if (event->n_exits & 1)
        to[event->n_exits] = 0;
    ring_publish(out, EVENT_WALK);
}

/* Books the sample and arms the next. */
static void progress_end(void)
{
    const struct event_walk *event = &progress.event;
    struct channel *channel = agent.channel;
    if (event->stop != LOSS_N)
        agent_lose((enum loss)event->stop);
    if (progress.timing && !(event->flags & WALK_TIMED))
        agent_lose(LOSS_untimed);
    channel->walks += (event->flags & WALK_COMPLETE) != 0;
    channel->instructions += event->instructions;
    channel->translate_ticks = agent.cache->translate_ticks;
    channel->superblocks = agent.cache->translated;
    channel->code_bytes = agent.cache->code_bytes;
    event_publish();
    uint64_t walked = event->lead + event->instructions + event->trail;
    channel->walked_instructions += walked;
    /* CPU time, not the clock: what others did meanwhile is not our cost. */
    uint64_t cpu_ns = agent_cpu_ns();
    channel->end_tsc = sys_tsc();
    channel_threads(channel)[0].end_cpu_ns = cpu_ns;
    progress.cost.handler_ticks = (cpu_ns - event->cpu_ns) * agent.ticks_per_ms / 1000000;
    progress.cost.instructions = walked;
    channel->handler_ticks += progress.cost.handler_ticks;
    if ((channel->interrupts & CLOCK_MASK) == 0)
        agent_clock();
    budget_spend(&progress.cost);
    trigger_arm(budget_next_ns());
}

void sample_decline(uint64_t pc)
{
    progress_begin(pc);
    progress.max_exits = 0;
    progress_end();
}

void sample_abandon(void)
{
    if (progress.in_window)
        window_close();
    progress.event.stop = LOSS_at_fault;
    if (!(progress.event.flags & WALK_COMPLETE))
        agent_lose(progress.event.n_exits ? LOSS_cut : LOSS_unwalked);
    progress_end();
}

void sample_take(void)
{
    progress_begin(agent.frame.rip);
    progress.max_exits = 0;
    if (modules_current()) {
        registers_load(agent.context, &agent.frame);
        agent.program_gs = gs_read();
        gs_write((uint64_t)agent.context);
        agent.walking = 1;
        vectors_restore();
        run_parts();
        vectors_save();
        agent.walking = 0;
        gs_write(agent.program_gs);
        registers_store(agent.context, &agent.frame);
    }
    progress_end();
}
