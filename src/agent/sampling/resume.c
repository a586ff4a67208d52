#include "agent/sampling/resume.h"

#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "walk/base/probe.h"
#include "wire/attach.h"
#include "x86/insn.h"

#include <asm/signal.h>
#include <sys/syscall.h>

#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))
/* Their handler must run if code cannot be read. */
#define PROBE_BITS (UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1))

enum { TRAP_FLAG = 0x100, SYSCALL_BYTES = 2, CODE_BREAKPOINT = 1, CODE_STEP = 2 };

/* Whether a signal mask at this address leaves SIGTRAP unblocked. */
static bool mask_suits(uint64_t at)
{
    uint64_t mask;
    return !at || (program_read(at, &mask, sizeof mask) && !(mask & TRAP_BIT));
}

/* Calls that return to the thread that makes them, and leave SIGTRAP, stacks, %gs and code alone.
 * Those that map memory without touching code are made by the walk itself. */
static bool returns(const uint64_t *gpr)
{
    switch (gpr[RAX]) {
    case SYS_rt_sigaction: return gpr[RDI] != SIGTRAP;
    case SYS_rt_sigprocmask: return mask_suits(gpr[RSI]);
    case SYS_accept:
    case SYS_accept4:
    case SYS_bind:
    case SYS_chdir:
    case SYS_chmod:
    case SYS_clock_nanosleep:
    case SYS_close:
    case SYS_connect:
    case SYS_copy_file_range:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_epoll_create1:
    case SYS_epoll_ctl:
    case SYS_epoll_pwait:
    case SYS_epoll_wait:
    case SYS_eventfd2:
    case SYS_fallocate:
    case SYS_fchdir:
    case SYS_fchmod:
    case SYS_fcntl:
    case SYS_fdatasync:
    case SYS_flock:
    case SYS_fsync:
    case SYS_ftruncate:
    case SYS_futex:
    case SYS_getdents64:
    case SYS_getpeername:
    case SYS_getsockopt:
    case SYS_inotify_add_watch:
    case SYS_ioctl:
    case SYS_link:
    case SYS_linkat:
    case SYS_listen:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_msync:
    case SYS_nanosleep:
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_prlimit64:
    case SYS_pselect6:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_rename:
    case SYS_renameat2:
    case SYS_rmdir:
    case SYS_select:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_sendfile:
    case SYS_sendmsg:
    case SYS_sendto:
    case SYS_setitimer:
    case SYS_setsockopt:
    case SYS_shutdown:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_splice:
    case SYS_symlink:
    case SYS_timer_settime:
    case SYS_timerfd_settime:
    case SYS_truncate:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_utimensat:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_write:
    case SYS_writev: return true;
    default: return false;
    }
}

/* Whether an instruction does the same if it runs twice: its result depends on registers only, and
 * it changes none that it reads. */
static bool may_repeat(const struct insn *insn)
{
    uint8_t op = insn->opcode, reg = insn->modrm >> 3 & 7, rm = insn->modrm & 7;
    bool registers = insn->has_modrm && insn->modrm >= 0xc0;
    if (insn->class != INSN_PLAIN || insn->space != SPACE_LEGACY || insn->map != 0)
        return false;
    if (op == 0x3c || op == 0x3d || op == 0xa8 || op == 0xa9) /* cmp, test with %rax */
        return true;
    if (!registers)
        return false;
    if (op == 0x89 || op == 0x8b) { /* mov */
        uint8_t high_reg = insn->rex & 4, high_rm = insn->rex & 1;
        return reg != rm || !high_reg != !high_rm;
    }
    return (op >= 0x38 && op <= 0x3b) || op == 0x84 || op == 0x85 || /* cmp, test */
           ((op == 0x81 || op == 0x83) && reg == 7) || (op == 0xf7 && reg == 0);
}

/* neg %eax, as libc has it where a function returns the error: its own inverse. */
static bool negates(const struct insn *insn)
{
    return insn->class == INSN_PLAIN && insn->space == SPACE_LEGACY && insn->map == 0 &&
           insn->opcode == 0xf7 && insn->modrm == 0xd8 && !insn->rex && !insn->prefixes;
}

static bool signal_suits(const struct thread *thread)
{
    return agent.signal == TRIGGER_SIGNAL && agent.own[SIGTRAP] && !thread->trap_really &&
           !(thread->frame.mask & (TRAP_BIT | PROBE_BITS));
}

/* The place of this call, or a free one. NULL: none is free. */
static struct resume_place *place_get(struct thread *thread, uint64_t next)
{
    struct resume_place *places = thread->resume.places, *free = NULL;
    for (uint32_t i = 0; i < RESUME_PLACES; i++) {
        if (places[i].owed && places[i].next == next)
            return &places[i];
        if (!places[i].owed)
            free = &places[i];
    }
    return free;
}

bool resume_plan(struct thread *thread)
{
    const struct context *context = thread->context;
    uint8_t bytes[SYSCALL_BYTES + INSTRUCTION_MAX];
    struct insn insn;
    struct resume_place *place = place_get(thread, context->pc + SYSCALL_BYTES);
    if (thread->resume.times >= RESUMES_MAX || !returns(context->gpr) || !signal_suits(thread) ||
        context->flags & TRAP_FLAG || agent_is_own(context->pc) || !place)
        return false;
    if (!probe_read(bytes, context->pc, sizeof bytes) || bytes[0] != 0x0f || bytes[1] != 0x05 ||
        !insn_decode(bytes + SYSCALL_BYTES, INSTRUCTION_MAX, &insn) ||
        !(may_repeat(&insn) || negates(&insn)))
        return false;
    thread->resume.at = place;
    place->negates = negates(&insn);
    place->next = context->pc + SYSCALL_BYTES;
    place->after = place->next + insn.length;
    return true;
}

void resume_begin(struct thread *thread)
{
    thread->resume.times++;
    thread->resume.on = true;
    thread->resume.at->owed++;
    thread->frame.rflags |= TRAP_FLAG;
}

/* As the program left it. A call puts its address into %rcx and the flags into %r11. */
static void frame_restore(const struct resume_place *place, struct kernel_ucontext *frame)
{
    frame->rflags &= ~(uint64_t)TRAP_FLAG;
    if (frame->rcx == place->next)
        frame->r11 &= ~(uint64_t)TRAP_FLAG;
}

void resume_forget(struct thread *thread, struct kernel_ucontext *frame)
{
    for (uint32_t i = 0; i < RESUME_PLACES && frame->rflags & TRAP_FLAG; i++) {
        struct resume_place *place = &thread->resume.places[i];
        bool there = frame->rip == place->next || frame->rip == place->next - SYSCALL_BYTES;
        if (!place->owed || !there)
            continue;
        place->owed--;
        thread->resume.on &= place != thread->resume.at;
        frame_restore(place, frame);
    }
}

/* A virtual machine may lose the cause of a step, and the kernel then reports a breakpoint. */
bool resume_stepped(int signal, const int32_t *siginfo, const struct kernel_ucontext *frame)
{
    bool stepped = siginfo[2] == CODE_STEP || siginfo[2] == CODE_BREAKPOINT;
    return signal == SIGTRAP && stepped && frame->rflags & TRAP_FLAG;
}

/* The call that a trap comes from; NULL: none of ours. A handler that changes the pc in its frame
 * and is entered past us takes the flag along. Then the registers show the call, or the program has
 * no handler for single steps of its own. */
static struct resume_place *place_of_trap(struct thread *thread,
                                          const struct kernel_ucontext *frame)
{
    struct resume_place *places = thread->resume.places, *moved = NULL;
    bool ours = agent.actions[SIGTRAP].handler <= 1;
    for (uint32_t i = 0; i < RESUME_PLACES; i++) {
        bool called = frame->rcx == places[i].next && frame->r11 & TRAP_FLAG;
        if (places[i].owed && places[i].after == frame->rip)
            return &places[i];
        if (places[i].owed && (called || ours))
            moved = &places[i];
    }
    return moved;
}

bool resume_end(struct thread *thread, struct kernel_ucontext *frame, bool *ret_on)
{
    struct resume_place *place = place_of_trap(thread, frame);
    if (!place)
        return false;
    place->owed--;
    frame_restore(place, frame);
    bool on = thread->resume.on && place == thread->resume.at;
    *ret_on = on && frame->rip == place->after;
    thread->resume.on &= !on;
    if (*ret_on)
        frame->rip = place->next;
    if (*ret_on && place->negates)
        frame->rax = (uint32_t) - (uint32_t)frame->rax;
    return true;
}
