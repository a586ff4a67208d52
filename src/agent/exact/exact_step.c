#include "agent/exact/exact_step.h"

#include "agent/base/frame.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/base/tracer.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_thread.h"
#include "agent/exact/exact_signals.h"
#include "walk/base/probe.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum {
    TRAP_FLAG = 0x100,
    CODE_TRAP = 1, /* si_code of a single step, where a hypervisor hides what the trap was */
    CODE_STEP = 2, /* and elsewhere */
    CODE_64_BIT = 0x33,
    ICEBP = 0xf1,
    INT_N = 0xcd,
};

bool exact_step_helps(uint32_t stop)
{
    switch (stop) {
    case LOSS_at_anonymous:
    case LOSS_at_undecoded:
    case LOSS_at_gs:
    case LOSS_at_trap:
    case LOSS_at_far:
    case LOSS_at_transaction:
    case LOSS_at_fsbase:
    case LOSS_at_shadow_stack:
    case LOSS_at_reach: return true;
    default: return false;
    }
}

/* ---- int $0x80 */

/* 32-bit system calls that create or end threads or processes, or change code, signals or %gs. */
static bool call_is_ours(uint64_t number)
{
    static const uint16_t ours[] = {
        1,   /* exit */
        2,   /* fork */
        11,  /* execve */
        48,  /* signal */
        67,  /* sigaction */
        72,  /* sigsuspend */
        90,  /* mmap */
        91,  /* munmap */
        119, /* sigreturn */
        120, /* clone */
        123, /* modify_ldt */
        125, /* mprotect */
        126, /* sigprocmask */
        163, /* mremap */
        172, /* prctl */
        173, /* rt_sigreturn */
        174, /* rt_sigaction */
        175, /* rt_sigprocmask */
        179, /* rt_sigsuspend */
        186, /* sigaltstack */
        190, /* vfork */
        192, /* mmap2 */
        243, /* set_thread_area */
        252, /* exit_group */
        354, /* seccomp */
        358, /* execveat */
        380, /* pkey_mprotect */
        384, /* arch_prctl */
        397, /* shmat */
        435, /* clone3 */
    };
    for (uint32_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if ((uint32_t)number == ours[i])
            return true;
    return (uint32_t)number == 117; /* ipc, shmat among others */
}

/* ---- what it is */

/* Decodes at context.pc, which another thread may unmap. False: not readable, or not known. */
static bool insn_here(const struct context *context, struct insn *ret)
{
    enum region_kind kind;
    uint32_t refusal;
    uint8_t bytes[INSTRUCTION_MAX];
    gate_lock(&agent.cache->gate, true);
    size_t room = regions_room(agent.regions, context->pc, &kind, &refusal);
    room = room < sizeof bytes ? room : sizeof bytes;
    bool known = room && probe_read(bytes, context->pc, room) && insn_decode(bytes, room, ret);
    gate_unlock(&agent.cache->gate);
    return known;
}

static bool is_one_byte(const struct insn *insn, uint8_t opcode)
{
    return insn->space == SPACE_LEGACY && insn->map == 0 && insn->opcode == opcode;
}

/* wrgsbase, whose effect is known without executing it. False: it is something else, or faults. */
static bool gs_written(struct context *context, const struct insn *insn)
{
    bool writes = insn->space == SPACE_LEGACY && insn->map == 1 && insn->opcode == 0xae &&
                  (insn->prefixes & PREFIX_F3) && insn->modrm >= 0xd8 && insn->modrm < 0xe0;
    uint64_t value = context->gpr[(insn->modrm & 7) | (insn->rex & 1) << 3];
    if (!(insn->rex & 8))
        value = (uint32_t)value;
    if (!writes || value + (UINT64_C(1) << 47) >= UINT64_C(1) << 48)
        return false;
    context->program_gs = value;
    context->pc += insn->length;
    return true;
}

/* ---- out and back */

/* The kernel comes back from int $0x80 with the trap flag in force, so the trap is taken behind one
 * instruction more: the call is made from here, where that is a nop. iretq loads pc, flags and
 * stack at once, so that the trap comes behind the first instruction there. If the program's pc is
 * no address at all, it is iretq that faults (exact_step_goes). What it needs lies on our stack:
 * %gs is the program's by then. */
__asm__(".pushsection .text\n"
        "exact_step_go:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%gs:144\n"
        "  mov %ss,%eax\n  push %rax\n  pushq %gs:32\n"
        "  mov %gs:136,%rax\n  or $0x100,%rax\n  push %rax\n"
        "  mov %cs,%eax\n  push %rax\n  pushq %gs:128\n"
        "  pushq %gs:0\n  push %rdi\n"
        "  mov %gs:8,%rcx\n  mov %gs:16,%rdx\n  mov %gs:24,%rbx\n  mov %gs:40,%rbp\n"
        "  mov %gs:48,%rsi\n  mov %gs:56,%rdi\n  mov %gs:64,%r8\n  mov %gs:72,%r9\n"
        "  mov %gs:80,%r10\n  mov %gs:88,%r11\n  mov %gs:96,%r12\n  mov %gs:104,%r13\n"
        "  mov %gs:112,%r14\n  mov %gs:120,%r15\n"
        "  pop %rax\n  wrgsbase %rax\n  pop %rax\n"
        "exact_step_goes:\n"
        "  iretq\n"
        "exact_step_call:\n"
        "  int $0x80\n  nop\n"
        "exact_step_called:\n  ud2\n"
        "exact_step_returns:\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n  ret\n"
        ".popsection\n");
void exact_step_go(uint64_t program_gs);
extern char exact_step_goes[], exact_step_call[], exact_step_called[], exact_step_returns[];

/* A debugger would take the trap of a step for its own, and keep it. A refused instruction that is
 * counted with its superblock comes again without it: then the loss is counted. */
static bool steps_here(const struct context *context, bool is_call, uint32_t exit)
{
    bool traced = tracer_present();
    if (traced && !exit)
        agent_lose(LOSS_traced);
    return !traced && !(is_call && call_is_ours(context->gpr[RAX]));
}

/* Only what says that the step was made, or that it failed, comes meanwhile. */
bool exact_step(struct thread *thread, uint32_t exit)
{
    struct context *context = thread->context;
    struct insn insn;
    uint64_t mask = ~exact_actions_unblocked(), next = 0;
    bool known = insn_here(context, &insn);
    if (known && gs_written(context, &insn))
        return true;
    bool is_call = known && is_one_byte(&insn, INT_N) && (uint8_t)insn.imm == 0x80;
    bool judged = is_call && thread->dispatching.mode; /* the kernel must do it */
    if (judged || !steps_here(context, is_call, exit)) {
        exact_undo(thread, exit);
        return false;
    }
    if (is_call) {
        next = context->pc + insn.length;
        context->pc = (uint64_t)exact_step_call;
    }
    agent_lose(exit ? LOSS_stepped : LOSS_stepped_uncounted);
    thread->stepping.exit = exit;
    thread->stepping.traps = known && is_one_byte(&insn, ICEBP);
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&thread->stepping.mask, 8, 0, 0);
    thread->stepping.on = true;
    exact_step_go(context->program_gs);
    if (next && context->pc == (uint64_t)exact_step_called)
        context->pc = next;
    return true;
}

static bool step_made(const struct thread *thread, int signal, int32_t code)
{
    return signal == SIGTRAP && (code == CODE_STEP || code == CODE_TRAP) && !thread->stepping.traps;
}

uint64_t exact_step_ended(struct thread *thread, int signal, uint8_t *siginfo,
                          struct kernel_ucontext *frame)
{
    struct context *context = thread->context;
    int32_t code;
    __builtin_memcpy(&code, siginfo + 8, 4);
    thread->stepping.on = false;
    context->program_gs = gs_read();
    gs_write((uint64_t)context);
    frame->rflags &= ~(uint64_t)TRAP_FLAG;
    frame->mask = thread->stepping.mask;
    if (frame->rip == (uint64_t)exact_step_goes)
        frame_store(context, frame);
    if (!step_made(thread, signal, code))
        return exact_signals_fault(thread, signal, siginfo, frame, thread->stepping.exit);
    if ((uint16_t)frame->segments !=
        CODE_64_BIT) { /* in code of 32 bits, for which there are no copies */
        exact_retire(thread);
        gs_write(context->program_gs);
        return 0;
    }
    frame_load(context, frame);
    frame->rip = (uint64_t)exact_step_returns;
    frame->rsp = context->host_sp;
    frame->rflags = 0x202;
    return 0;
}
