#include "agent/signals/signals.h"

#include "agent/base/process.h"
#include "agent/base/stack_copy.h"
#include "agent/base/thread.h"
#include "agent/sampling/resume.h"
#include "agent/sampling/sample.h"
#include "agent/signals/altstack.h"
#include "agent/signals/handover.h"
#include "agent/signals/shelter.h"
#include "agent/signals/trap.h"
#include "agent/threads/begin.h"
#include "agent/threads/merged.h"
#include "agent/threads/threads.h"
#include "agent/threads/trigger.h"
#include "walk/base/probe.h"
#include "walk/base/sys.h"
#include "wire/attach.h"
#include "wire/only.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { TRAP_FLAG = 0x100 };

static uint64_t signal_bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

/* ---- passing a signal on to the program */

static void action_set(int signal, uint64_t handler)
{
    struct kernel_sigaction action = {.handler = handler};
    sys6(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
}

void signals_die(int signal, bool sent)
{
    action_set(signal, 0);
    agent.own[signal] = false;
    if (sent || signal == SIGTRAP) /* a trap is past its instruction already */
        sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), signal);
}

/* A fault that somebody sent may come together with a sample: the kernel writes the sample's frame,
 * and the fault's on top of it, before the sample's first instruction. The program's handler must
 * not run on top of that, with the mask of samples. Returns the sample's frame in that case: the
 * handler begins when that returns. */
static struct kernel_ucontext *frame_below(struct kernel_ucontext *frame,
                                           const struct kernel_sigaction *action)
{
    extern char sample_entry[];
    struct kernel_ucontext *below = (struct kernel_ucontext *)frame->rdx;
    bool both = frame->rip == (uint64_t)sample_entry && altstack_lender((uint64_t)frame) &&
                altstack_lender((uint64_t)below);
    return both && handover_due(below, action) ? below : frame;
}

/* The program's handler to jump to, after doing what the kernel would have done; 0: just return. */
uint64_t signals_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    struct kernel_sigaction *action = &agent.actions[signal];
    bool sent = siginfo[2] <= 0;
    if (action->handler <= 1 && (signal == TRIGGER_SIGNAL_UNTOLD || (action->handler && sent)))
        return 0;
    if (action->handler <= 1) {
        signals_die(signal, sent);
        return 0;
    }
    if (sent)
        frame = frame_below(frame, action);
    if (sent && signal != SIGSEGV && handover_put_off(signal, siginfo, frame))
        return 0;
    uint64_t handler = action->handler;
    uint64_t mask = frame->mask | action->mask;
    if (!(action->flags & SA_NODEFER))
        mask |= signal_bit(signal);
    if (agent.signal == TRIGGER_SIGNAL_UNTOLD && action->flags & SA_ONSTACK)
        mask |= signal_bit(agent.signal); /* agent/signals/shelter.h */
    if (action->flags & SA_RESETHAND)
        action->handler = 0;
    struct thread *thread = handover_due(frame, action);
    if (thread) {
        struct kernel_sigaction now = *action;
        now.handler = handler;
        handover(thread, signal, siginfo, frame, &now, mask);
        return 0;
    }
    /* It returns by its own way, where it has one: we may be gone by then. */
    if (action->flags & KERNEL_SA_RESTORER)
        ((uint64_t *)frame)[-1] = action->restorer;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    return handler;
}

/* ---- faults in copies of the program's code */

/* Puts the program's own state into the fault's frame. False: the pc is not that of a copy. */
static bool fault_translate(struct thread *thread, struct kernel_ucontext *frame)
{
    struct location location;
    if (!cache_locate(agent.cache, frame->rip, &location))
        return false;
    frame->rip = location.pc;
    if (location.in_slot != IN_SLOT_NONE)
        frame->r11 = thread->context->slot_r11;
    if (location.in_slot == IN_SLOT_R10_R11)
        frame->r10 = thread->context->slot_r10;
    gs_write(thread->program_gs);
    frame->mask = thread->frame.mask;
    thread->walking = 0;
    sample_abandon(thread);
    return true;
}

static uint64_t fault_judge(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    struct thread *thread =
        agent.cache && cache_contains(agent.cache, frame->rip) ? thread_self() : NULL;
    bool walked = thread && thread->walking;
    bool sent = siginfo[2] <= 0; /* by somebody: it will not come again by itself */
    uint64_t resume = sent ? 0 : probe_fault(frame->rip);
    if (resume) {
        frame->rip = resume;
        return 0;
    }
    if (walked && fault_translate(thread, frame) && !sent)
        return 0;
    if (signal == SIGSEGV && agent.signal == TRIGGER_SIGNAL_UNTOLD &&
        shelter_refused(thread_self(), siginfo, frame))
        return 0;
    return signals_pass_on(signal, siginfo, frame);
}

/* What the fault stub does next: returns 0 to return, else jumps there. */
__attribute__((used)) static uint64_t fault_decide(int signal, const int32_t *siginfo,
                                                   struct kernel_ucontext *frame)
{
    agent_enters();
    uint64_t to = stack_copy_faulted(frame) ? 0 : fault_judge(signal, siginfo, frame);
    struct thread *lender = altstack_lender((uint64_t)frame);
    if (lender && !altstack_lender(frame->rsp))
        lender->entry_mask_kept = false; /* of a signal that was put off for this one */
    agent_leaves();
    return to;
}

/* ---- samples */

struct next {
    struct thread *thread; /* walk it, on the stack at `to`; */
    uint64_t to;           /* or without a thread: 0 returns, else a handler to jump to */
};

/* Code that can be executed can be read, but a page that ends before it may not be there. */
static bool behind_syscall(uint64_t pc)
{
    const uint8_t *bytes = (const uint8_t *)pc;
    return (pc & 4095) >= 2 && bytes[-2] == 0x0f && bytes[-1] == 0x05;
}

/* True for as many samples as the kernel has booked time since the last one to itself. The tick
 * that brought this one is mostly the only one since: then this is what it was booked to. */
static bool booked_to_kernel(struct thread *thread)
{
    struct booked_time last = thread->booked, now = agent_booked_time();
    uint64_t all = now.all_ns - last.all_ns, user = now.user_ns - last.user_ns;
    thread->booked = now;
    /* The child of a fork has its parent's. */
    bool known = last.all_ns && last.all_ns <= now.all_ns && last.user_ns <= now.user_ns;
    return known && user < all && thread_random(thread) % all >= user;
}

/* A timer's tick may come in the kernel. In a system call the frame stands right behind it. In a
 * page fault it stands at an instruction like any other, and only the kernel's books tell: code
 * that touches fresh memory would have the time of its faults. */
static bool in_kernel(struct thread *thread, uint64_t pc)
{
    if (thread->perf_fd >= 0)
        return false;
    bool booked = booked_to_kernel(thread);
    return booked || behind_syscall(pc);
}

/* Of a signal that the program sends itself the handler must run before the call returns, but
 * samples come first, and block it. So there is no walk then: it would take the program on. */
static bool signal_waits(const struct kernel_ucontext *frame)
{
    uint64_t pending = 0;
    if (!behind_syscall(frame->rip))
        return false;
    sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
    return pending & ~frame->mask;
}

/* Copies the frame away: the walk runs on the stack where the kernel put it. */
static bool frame_copy(struct thread *thread, const struct kernel_ucontext *frame)
{
    const uint8_t *fpstate = (const uint8_t *)frame->fpstate;
    uint32_t magic, bytes;
    if (!fpstate)
        return false;
    __builtin_memcpy(&magic, fpstate + FPSTATE_MAGIC_AT, 4);
    __builtin_memcpy(&bytes, fpstate + FPSTATE_SIZE_AT, 4);
    if (magic != FPSTATE_MAGIC || bytes > FPSTATE_BYTES_MAX)
        return false;
    thread->frame = *frame;
    __builtin_memcpy(thread->fpstate, fpstate, bytes);
    thread->frame.fpstate = (uint64_t)thread->fpstate;
    return true;
}

/* False: the process has no channel. Another thread may be at it: then there is one when this
 * thread's next sample comes. */
static bool channel_there(struct thread *thread)
{
    uint32_t orphan = ORPHAN_WAITS;
    if (!__atomic_load_n(&agent.orphan, __ATOMIC_ACQUIRE))
        return agent.channel;
    if (__atomic_compare_exchange_n(&agent.orphan, &orphan, ORPHAN_CONNECTS, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return agent_reborn();
    if (orphan)
        trigger_arm(thread, agent.tick_ns);
    return !orphan && agent.channel;
}

/* The thread that a trigger was for. NULL: it has been released meanwhile, or cannot be recorded.
 */
static struct thread *thread_of(int32_t slot)
{
    struct thread *thread = &agent.threads[slot];
    if (thread->tid != (int32_t)sys3(SYS_gettid, 0, 0, 0) || !channel_there(thread))
        return NULL;
    if (!thread->wire) /* it began while the process got its channel */
        thread_enlist(thread);
    return thread_equip(thread) ? thread : NULL;
}

static bool only_declines(struct thread *thread, uint64_t pc)
{
    thread->outside = !wire_only_wants(channel_only(agent.channel), pc);
    return thread->outside && thread_random(thread) % ONLY_OUTSIDE_EVERY;
}

static uint64_t walk_stack(const struct thread *thread)
{
    return (uint64_t)(thread->context->stack + CONTEXT_STACK_BYTES);
}

/* A SIGTRAP that is no trigger's: of a sample that was suspended, or the program's. */
static struct next trap_judge(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    struct thread *thread = NULL;
    bool on;
    if (resume_stepped(signal, siginfo, frame)) {
        thread = altstack_lender((uint64_t)frame);
        thread = thread ? thread : thread_self();
    }
    if (!thread || !resume_end(thread, frame, &on))
        return (struct next){.to = trap_pass_on(signal, siginfo, frame)};
    /* The child of a raw fork has the thread's memory, but is not recorded. */
    if (!on || __atomic_load_n(&agent.retired, __ATOMIC_SEQ_CST) ||
        thread->tid != (int32_t)sys3(SYS_gettid, 0, 0, 0))
        return (struct next){.to = 0};
    trigger_disarm(thread); /* none may wait during a walk */
    if (!trigger_pending() && frame_copy(thread, frame))
        return (struct next){.thread = thread, .to = walk_stack(thread)};
    return (struct next){.to = 0};
}

static struct next sample_judge(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    int32_t slot = trigger_slot(siginfo);
    if (slot >= 0)
        trigger_came(&agent.threads[slot], siginfo);
    if (agent.calibrated != UINT32_MAX && agent.calibrating == (int32_t)sys3(SYS_gettid, 0, 0, 0)) {
        agent.calibrated++;
        return (struct next){.to = 0};
    }
    if (slot < 0)
        return trap_judge(signal, siginfo, frame);
    struct thread *thread =
        __atomic_load_n(&agent.retired, __ATOMIC_SEQ_CST) ? NULL : thread_of(slot);
    if (!thread)
        return (struct next){.to = 0};
    agent_add(&agent.channel->interrupts, 1);
    sample_settle(thread);
    signals_keep();
    uint64_t pc = 0; /* not a place of the program's, or not its user time */
    if (thread->walking || agent_is_own(frame->rip)) {
        agent_lose(LOSS_in_agent);
    } else if (in_kernel(thread, frame->rip)) {
        agent_lose(LOSS_kernel);
    } else if (signal_waits(frame)) {
        agent_lose(LOSS_unwalked);
        pc = frame->rip;
    } else if (only_declines(thread, frame->rip)) {
        agent_lose(LOSS_outside);
        pc = frame->rip;
    } else if (!(frame->rflags & TRAP_FLAG) && frame_copy(thread, frame)) {
        return (struct next){.thread = thread, .to = walk_stack(thread)};
    } else {
        pc = frame->rip;
    }
    sample_decline(thread, pc);
    return (struct next){.to = 0};
}

/* The stack to decide on, or 0: the one at hand. In a process that we were put into that one is the
 * program's and may be all but full. */
__attribute__((used)) static uint64_t sample_room(int32_t *siginfo)
{
    merged_order(siginfo);
    int32_t slot = agent.signal == TRIGGER_SIGNAL_UNTOLD ? trigger_slot(siginfo) : -1;
    if (slot < 0 || agent.threads[slot].tid != (int32_t)sys3(SYS_gettid, 0, 0, 0))
        return 0;
    return (uint64_t)(agent.threads[slot].signal_stack + THREAD_SIGNAL_STACK_BYTES);
}

__attribute__((used)) static struct next sample_decide(int signal, const int32_t *siginfo,
                                                       struct kernel_ucontext *frame)
{
    agent_enters();
    struct next next = sample_judge(signal, siginfo, frame);
    if (!next.thread && trigger_slot(siginfo) >= 0)
        merged_repeat();
    if (!next.thread)
        agent_leaves();
    return next;
}

/* Entry points. The program's alignment check must not hold for us. The restorer is `mov $15,%rax;
 * syscall` to the byte: unwinders know a signal frame by it. At entry %rsp is 8 below a multiple of
 * 16; three pushes align it for the call. The sample's walk leaves through rt_sigreturn from the
 * copied frame, never through the original. */
_Static_assert(offsetof(struct thread, frame) == 0, "the assembly below takes one for the other");
__asm__(".pushsection .text\n"
        "fault_entry:\n"
        "  pushq $2\n  popfq\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n"
        "  call fault_decide\n"
        "  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  test %rax,%rax\n  jz 1f\n  jmp *%rax\n"
        "sample_entry:\n"
        "  pushq $2\n  popfq\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n"
        "  mov %rsi,%rdi\n  call sample_room\n"
        "  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  mov %rsp,%rcx\n  test %rax,%rax\n  cmovnz %rax,%rsp\n  and $-16,%rsp\n"
        "  push %rcx\n  push %rdi\n  push %rsi\n  push %rdx\n"
        "  call sample_decide\n"
        "  mov %rdx,%r8\n"
        "  pop %rdx\n  pop %rsi\n  pop %rdi\n  pop %rsp\n"
        "  test %rax,%rax\n  jnz 2f\n"
        "  test %r8,%r8\n  jz 1f\n  jmp *%r8\n"
        "1: ret\n"
        "2: mov %r8,%rsp\n  mov %rax,%rdi\n  mov %rax,%rbx\n"
        "  call sample_take\n"
        "  mov %rbx,%rsp\n"
        "signal_restorer:\n"
        "  .byte 0x48,0xc7,0xc0,15,0,0,0\n  syscall\n  ud2\n"
        ".popsection\n");
extern char fault_entry[], sample_entry[], signal_restorer[];

/* ---- ownership */

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

uint64_t signals_faults(void)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 4; i++)
        mask |= signal_bit(fault_signals[i]);
    return mask;
}

/* Samples run on the alternate stack and restart calls, unless the program has a handler of its own
 * for what may be a signal of its own. */
static uint64_t sample_flags(const struct kernel_sigaction *program)
{
    uint64_t flags = SA_ONSTACK | SA_RESTART;
    return agent.signal == TRIGGER_SIGNAL_UNTOLD && program->handler > 1 ? program->flags & flags
                                                                         : flags;
}

/* Where the kernel has a stack of ours, the handler of faults runs there; else on the alternate
 * stack exactly when the program's would. */
static void own(int signal, uint64_t program_flags, struct kernel_sigaction *ret_old)
{
    bool sample = signal == agent.signal;
    uint64_t on_ours = agent.signal == TRIGGER_SIGNAL_UNTOLD ? 0 : SA_ONSTACK;
    struct kernel_sigaction action = {
        .handler = (uint64_t)(sample ? sample_entry : fault_entry),
        .flags = SA_SIGINFO | KERNEL_SA_RESTORER |
                 (sample ? sample_flags(&agent.actions[signal])
                         : SA_NODEFER | on_ours | (program_flags & (SA_ONSTACK | SA_RESTART))),
        .restorer = (uint64_t)signal_restorer,
        .mask = sample ? ~signals_faults() : 0};
    if (!sys_failed(sys6(SYS_rt_sigaction, signal, (long)&action, (long)ret_old, 8, 0, 0)))
        agent.own[signal] = true;
}

/* A program may take a signal over by a raw system call: ours goes back in, and the program's is
 * kept for it as an interposer would have done. */
static void keep(int signal)
{
    struct kernel_sigaction now = {0};
    uint64_t ours = (uint64_t)(signal == agent.signal ? sample_entry : fault_entry);
    if (!agent.own[signal] || sys_failed(sys6(SYS_rt_sigaction, signal, 0, (long)&now, 8, 0, 0)) ||
        now.handler == ours)
        return;
    agent.actions[signal] = now;
    own(signal, now.flags, 0);
}

void signals_keep(void)
{
    for (uint32_t i = 0; i < 4; i++)
        keep(fault_signals[i]);
    keep(agent.signal);
    if (agent.signal == TRIGGER_SIGNAL_UNTOLD)
        shelter_keep();
}

/* The program's action is known before ours is in force: another thread may need it at once. */
static void take(int signal)
{
    struct kernel_sigaction *program = &agent.actions[signal], old = {0};
    sys6(SYS_rt_sigaction, signal, 0, (long)program, 8, 0, 0);
    own(signal, program->flags, &old);
    if (old.handler != program->handler)
        *program = old;
}

void signals_own_samples(void)
{
    take(agent.signal);
}

void signals_own(void)
{
    for (uint32_t i = 0; i < 4; i++)
        take(fault_signals[i]);
    take(agent.signal);
    if (agent.signal == TRIGGER_SIGNAL_UNTOLD)
        shelter_keep();
}

uint64_t signals_restorer(void)
{
    return (uint64_t)signal_restorer;
}

void signals_return(void)
{
    shelter_return();
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        struct kernel_sigaction now = {0};
        uint64_t ours = (uint64_t)(signal == agent.signal ? sample_entry : fault_entry);
        if (!agent.own[signal])
            continue;
        sys6(SYS_rt_sigaction, signal, 0, (long)&now, 8, 0, 0);
        struct kernel_sigaction action = agent.actions[signal];
        if (!(action.flags & KERNEL_SA_RESTORER)) /* one that an interposer kept */
            action.restorer = (uint64_t)signal_restorer;
        action.flags |= KERNEL_SA_RESTORER;
        if (now.handler == ours) /* else the program has set another since we looked */
            sys6(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
        agent.own[signal] = false;
    }
}

/* In a child that still shares our memory (vfork), or has a copy: what it sets is its own affair,
 * and the kernel keeps it apart. It may have begun without handlers (CLONE_CLEAR_SIGHAND). */
static bool child_action(int signal, const struct kernel_sigaction *set,
                         struct kernel_sigaction *ret_old)
{
    uint64_t ours = (uint64_t)(signal == agent.signal ? sample_entry : fault_entry);
    struct kernel_sigaction now;
    bool asked = ret_old && !sys_failed(sys6(SYS_rt_sigaction, signal, 0, (long)&now, 8, 0, 0));
    if (asked && now.handler != ours)
        *ret_old = now;
    if (set) {
        struct kernel_sigaction action = *set;
        action.flags |= KERNEL_SA_RESTORER;
        action.restorer = (uint64_t)signal_restorer;
        sys6(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
    }
    return true;
}

bool signals_program_action(int signal, const struct kernel_sigaction *set,
                            struct kernel_sigaction *ret_old)
{
    if (signal <= 0 || signal >= AGENT_SIGNALS || agent.options.mode != RECORD_SAMPLED)
        return false;
    if (!agent.own[signal])
        return handover_action(signal, set, ret_old);
    if (ret_old)
        *ret_old = agent.actions[signal];
    if (sys3(SYS_getpid, 0, 0, 0) != agent.pid)
        return child_action(signal, set, ret_old);
    if (set) {
        agent.actions[signal] = *set;
        if (signal != agent.signal)
            own(signal, set->flags, 0);
    }
    return true;
}

void signals_exec(bool begins)
{
    struct kernel_sigaction ignored = {.handler = 1};
    if (!agent_samples() || sys3(SYS_getpid, 0, 0, 0) != agent.pid)
        return;
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        if (!agent.own[signal] || agent.actions[signal].handler != 1)
            continue;
        if (begins)
            sys6(SYS_rt_sigaction, signal, (long)&ignored, 0, 8, 0, 0);
        else
            own(signal, agent.actions[signal].flags, 0);
    }
    trap_wait(begins);
}

uint64_t signals_program_mask(uint64_t mask)
{
    return agent.own[SIGTRAP] && agent.options.mode == RECORD_SAMPLED ? mask & ~signal_bit(SIGTRAP)
                                                                      : mask;
}
