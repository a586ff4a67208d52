#include "agent/sampling/resume.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "walk/base/probe.h"
#include "wire/attach.h"
#include "x86/insn.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { TRAP_FLAG = 0x100, SYSCALL_BYTES = 2, CODE_BREAKPOINT = 1, CODE_STEP = 2 };

/* Calls that return to the thread that makes them, and leave signals, stacks and %gs alone. */
static bool returns(uint64_t number)
{
    switch (number) {
    case SYS_accept:
    case SYS_accept4:
    case SYS_clock_nanosleep:
    case SYS_close:
    case SYS_connect:
    case SYS_copy_file_range:
    case SYS_epoll_ctl:
    case SYS_epoll_pwait:
    case SYS_epoll_wait:
    case SYS_fallocate:
    case SYS_fcntl:
    case SYS_fdatasync:
    case SYS_flock:
    case SYS_fsync:
    case SYS_ftruncate:
    case SYS_futex:
    case SYS_getdents64:
    case SYS_ioctl:
    case SYS_mkdir:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_nanosleep:
    case SYS_open:
    case SYS_openat:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_pselect6:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_rename:
    case SYS_select:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_sendfile:
    case SYS_sendmsg:
    case SYS_sendto:
    case SYS_splice:
    case SYS_unlink:
    case SYS_unlinkat:
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
    uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
    return agent.signal == TRIGGER_SIGNAL && agent.own[SIGTRAP] && !thread->trap_really &&
           !(thread->frame.mask & trap);
}

bool resume_plan(struct thread *thread)
{
    const struct context *context = thread->context;
    uint8_t bytes[SYSCALL_BYTES + INSTRUCTION_MAX];
    struct insn insn;
    if (thread->resume.times >= RESUMES_MAX || !returns(context->gpr[RAX]) ||
        !signal_suits(thread) || context->flags & TRAP_FLAG)
        return false;
    if (!probe_read(bytes, context->pc, sizeof bytes) || bytes[0] != 0x0f || bytes[1] != 0x05 ||
        !insn_decode(bytes + SYSCALL_BYTES, INSTRUCTION_MAX, &insn) ||
        !(may_repeat(&insn) || negates(&insn)))
        return false;
    thread->resume.negates = negates(&insn);
    thread->resume.next = context->pc + SYSCALL_BYTES;
    thread->resume.after = thread->resume.next + insn.length;
    thread->resume.flags = context->flags;
    return true;
}

void resume_begin(struct thread *thread)
{
    thread->resume.times++;
    thread->resume.on = thread->resume.owed = true;
    thread->frame.rflags |= TRAP_FLAG;
}

/* As the program left it. */
static void frame_restore(const struct thread *thread, struct kernel_ucontext *frame)
{
    frame->rflags &= ~(uint64_t)TRAP_FLAG;
    if (frame->r11 == (thread->resume.flags | TRAP_FLAG))
        frame->r11 = thread->resume.flags;
}

void resume_forget(struct thread *thread, struct kernel_ucontext *frame)
{
    if (!thread->resume.owed || !(frame->rflags & TRAP_FLAG))
        return;
    thread->resume.owed = thread->resume.on = false;
    frame_restore(thread, frame);
}

/* A virtual machine may lose the cause of a step, and the kernel then reports a breakpoint. */
struct thread *resume_end(int signal, const int32_t *siginfo, struct kernel_ucontext *frame,
                          bool *ret_on)
{
    bool stepped = siginfo[2] == CODE_STEP || siginfo[2] == CODE_BREAKPOINT;
    if (signal != SIGTRAP || !stepped || !(frame->rflags & TRAP_FLAG))
        return NULL;
    struct thread *thread = thread_self();
    if (!thread || !thread->resume.owed)
        return NULL;
    *ret_on = thread->resume.on && frame->rip == thread->resume.after;
    thread->resume.owed = thread->resume.on = false;
    frame_restore(thread, frame);
    if (*ret_on)
        frame->rip = thread->resume.next;
    if (*ret_on && thread->resume.negates)
        frame->rax = (uint32_t) - (uint32_t)frame->rax;
    return thread;
}
