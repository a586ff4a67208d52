/* A preloaded library that runs its program on copies, like the agent does, and tells the driver
 * the program's whole state in short intervals. At the start of each window it forks: the child is
 * the native twin, which the driver steps along by ptrace.
 *
 * Runs with the program's vector registers live: built without any use of them, and without libc
 * behind the constructor. */
#include "log.h"

#include "walk/run.h"
#include "walk/base/probe.h"
#include "walk/base/sys.h"
#include "walk/emit/tables.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { UNITS_BYTES = 48 << 20, COUNTERS_BYTES = 32 << 20 };

static struct log *steps;
static struct cache *cache;
static struct context *context;
static struct regions *regions;
static uint64_t units_bytes, counters, program_gs;
static struct walk walker;
/* The vDSO reads what the kernel writes at any time: there the driver must see every single
 * instruction. */
static uint64_t vdso_start, vdso_end;
static uint32_t vdso_refusal = LOSS_at_anonymous;

/* ---- the log */

static struct entry *entry_begin(uint32_t kind, uint32_t instructions)
{
    while (steps->head - __atomic_load_n(&steps->tail, __ATOMIC_ACQUIRE) == LOG_ENTRIES)
        sys3(SYS_sched_yield, 0, 0, 0);
    struct entry *entry = &steps->entries[steps->head % LOG_ENTRIES];
    entry->kind = kind;
    entry->instructions = instructions;
    for (int i = 0; i < 16; i++)
        entry->gpr[i] = context->gpr[i];
    entry->pc = context->pc;
    entry->flags = context->flags;
    __asm__ volatile("xsave64 %0"
                     : "+m"(*(uint8_t(*)[LOG_XSAVE])entry->xsave)
                     : "a"(-1), "d"(-1)
                     : "memory");
    return entry;
}

static void entry_publish(void)
{
    __atomic_store_n(&steps->head, steps->head + 1, __ATOMIC_RELEASE);
}

static void entry_wait(void)
{
    entry_publish();
    while (__atomic_load_n(&steps->tail, __ATOMIC_ACQUIRE) != steps->head)
        sys3(SYS_sched_yield, 0, 0, 0);
}

static void tell(uint32_t kind, uint32_t instructions)
{
    entry_begin(kind, instructions);
    if (kind == ENTRY_STATE)
        entry_publish();
    else
        entry_wait();
}

/* ---- mappings, with nothing but system calls */

static uint64_t hex(const char **at)
{
    uint64_t value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return value;
    }
}

static void line_take(struct regions *into, const char *line, const char *end)
{
    uint64_t start = hex(&line), stop;
    line++;
    stop = hex(&line);
    if (end - line >= 6 && end[-1] == ']' && end[-2] == 'o' && end[-3] == 's')
        vdso_start = start, vdso_end = stop, steps->vdso = (struct own_range){start, stop};
    if (line[3] == 'x' && into->n < REGIONS_MAX && !cache_contains(cache, start))
        into->at[into->n++] = (struct region){
            start, stop, start == vdso_start ? vdso_refusal : LOSS_N, REGION_LASTING};
}

static void maps_read(struct regions *into)
{
    static char text[1 << 18];
    long fd = sys3(SYS_open, (long)"/proc/self/maps", O_RDONLY, 0), n, used = 0;
    while ((n = sys3(SYS_read, fd, (long)text + used, (long)sizeof text - used)) > 0)
        used += n;
    sys3(SYS_close, fd, 0, 0);
    into->n = 0;
    for (long at = 0, line = 0; at < used; at++)
        if (text[at] == '\n') {
            line_take(into, text + line, text + at);
            line = at + 1;
        }
}

/* ---- the walk */

/* System calls are met outside of walk_run. */
static uint64_t behind_call;

static bool stop_there(struct walk *walk, uint64_t behind)
{
    (void)walk;
    behind_call = behind;
    return false;
}

static bool in_vdso(void)
{
    return context->pc - vdso_start < vdso_end - vdso_start;
}

static void vdso_allow(bool allowed)
{
    vdso_refusal = allowed ? LOSS_N : LOSS_at_anonymous;
    for (uint32_t i = 0; i < regions->n; i++)
        if (regions->at[i].start == vdso_start)
            regions->at[i].refusal = vdso_refusal;
    cache_flush(cache);
}

static void budget_set(int64_t instructions)
{
    for (int i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = -(instructions << BUDGET_BITS);
}

static uint32_t budget_used(int64_t instructions)
{
    int64_t used = 0; /* one alone may have gone back: debts are paid in advance */
    for (int i = 0; i < CONTEXT_BUDGETS; i++)
        used += context->budgets[i] + (instructions << BUDGET_BITS);
    return (uint32_t)(used >> BUDGET_BITS);
}

static uint32_t records_used(int64_t piece)
{
    uint32_t used = 0;
    for (int64_t i = CONTEXT_RECORDS - piece; i < CONTEXT_RECORDS + context->record_at / 4; i++)
        used += cache_exit(cache, context->records[i])->instructions;
    return used;
}

/* One piece; *ret_done: instructions executed, a system call in front of which it stands not among
 * them. */
static uint32_t run(enum flavour flavour, int64_t piece, uint32_t *ret_done)
{
    budget_set(piece);
    context->record_at = -4 * piece;
    context->payload_at = 0;
    uint32_t stop = walk_run(&walker, flavour);
    *ret_done = flavour == FLAVOUR_PLAIN    ? budget_used(piece)
                : flavour == FLAVOUR_RECORD ? records_used(piece)
                                            : 0;
    if (stop == LOSS_cache_full) {
        cache_flush(cache);
        return LOSS_N;
    }
    if (stop == LOSS_at_syscall) {
        context->pc = behind_call - 2;
        if (flavour != FLAVOUR_COUNT)
            --*ret_done; /* it is charged, or recorded, before it is made */
    }
    return stop;
}

static uint32_t piece_walk(enum flavour flavour, int64_t piece, uint32_t *ret_done)
{
    bool alone = in_vdso() && flavour != FLAVOUR_COUNT;
    if (alone != (vdso_refusal == LOSS_N))
        vdso_allow(alone || flavour == FLAVOUR_COUNT);
    walker.single = steps->single || alone;
    uint32_t stop = alone ? run(FLAVOUR_RECORD, 1, ret_done) : run(flavour, piece, ret_done);
    return stop == LOSS_at_anonymous && in_vdso() ? LOSS_N : stop;
}

static long program_call(void)
{
    uint64_t *gpr = context->gpr;
    if (gpr[RAX] == SYS_rt_sigaction && gpr[RDI] == SIGSEGV)
        return 0; /* faults_catch has it */
    return sys6((long)gpr[RAX], (long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX], (long)gpr[R10],
                (long)gpr[R8], (long)gpr[R9]);
}

static bool call_ends(uint64_t number)
{
    return number == SYS_exit_group || number == SYS_exit || number == SYS_execve ||
           number == SYS_clone || number == SYS_clone3 || number == SYS_fork ||
           number == SYS_vfork || number == SYS_rt_sigreturn;
}

/* The system call in front of which the context stands. */
static void call_make(bool told)
{
    uint64_t *gpr = context->gpr;
    uint64_t number = gpr[RAX],
             argument[6] = {gpr[RDI], gpr[RSI], gpr[RDX], gpr[R10], gpr[R8], gpr[R9]};
    if (call_ends(number)) {
        tell(ENTRY_GONE, 0);
        sys3(SYS_exit_group, 0, 0, 0);
    }
    long result = program_call();
    gpr[RAX] = (uint64_t)result;
    gpr[RCX] = context->pc += 2;
    gpr[R11] = context->flags;
    if (!sys_failed(result) && (number == SYS_munmap || number == SYS_mprotect ||
                                number == SYS_mremap || number == SYS_mmap || number == SYS_brk)) {
        cache_flush(cache);
        maps_read(regions);
    }
    if (!told)
        return;
    struct entry *entry = entry_begin(ENTRY_RESULT, 0);
    entry->number = number;
    for (int i = 0; i < 6; i++)
        entry->argument[i] = argument[i];
    entry_wait();
}

static void skip_ahead(uint64_t instructions)
{
    uint64_t left = instructions;
    while ((int64_t)left > 0) {
        uint32_t done,
            stop = piece_walk(FLAVOUR_PLAIN, left < 1 << 20 ? (int64_t)left : 1 << 20, &done);
        left -= done + 1 < left ? done + 1 : left;
        if (stop == LOSS_at_syscall)
            call_make(false);
        else if (stop != LOSS_N) {
            tell(ENTRY_REFUSED, stop);
            sys3(SYS_exit_group, 1, 0, 0);
        }
    }
}

/* A child has no room for tiles before it has used one, and could not be given any. */
static void tiles_use(void)
{
    enum { GET_PERMISSIONS = 0x1022, TILE_DATA = 18 };
    static _Alignas(64) uint8_t config[64] = {[0] = 1, [16] = 64, [48] = 16};
    uint64_t permitted = 0;
    if (sys3(SYS_arch_prctl, GET_PERMISSIONS, (long)&permitted, 0) || !(permitted >> TILE_DATA & 1))
        return;
    __asm__ volatile(".byte 0xc4,0xe2,0x78,0x49,0x07\n" /* ldtilecfg (%rdi) */
                     ".byte 0xc4,0xe2,0x7b,0x49,0xc0\n" /* tilezero %tmm0 */
                     ".byte 0xc4,0xe2,0x78,0x49,0xc0" ::/* tilerelease */
                     "D"(config),
                     "m"(config));
}

/* A copy of this process whose parent is ours: it stops, and the driver gives it the program's
 * state. Input that both read and output that both write are the walked one's: the twin makes no
 * system call of its own. */
static void twin_fork(void)
{
    long pid = sys6(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0, 0);
    if (pid == 0) {
        tiles_use();
        sys6(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0, 0, 0);
        sys3(SYS_kill, sys3(SYS_getpid, 0, 0, 0), SIGSTOP, 0);
        sys3(SYS_exit_group, 99, 0, 0);
    }
    steps->twin = (int32_t)pid;
    tell(ENTRY_START, 0);
}

/* Something goes wrong, so that it can be seen that this would be seen. */
static void disturb(void)
{
    switch ((enum disturbance)steps->disturb) {
    case DISTURB_NOTHING: break;
    case DISTURB_REGISTER: context->gpr[RSP] ^= UINT64_C(1) << 60; break;
    case DISTURB_FLAGS: context->flags ^= 1 << 10; break;
    case DISTURB_VECTOR: __asm__ volatile("pcmpeqd %xmm15,%xmm15"); break;
    case DISTURB_MEMORY: *(uint8_t *)(context->gpr[RSP] - 4000) ^= 1; break;
    }
    if (steps->disturb) {
        tell(ENTRY_STATE, 0);
        tell(ENTRY_MEMORY, 0);
    }
    steps->disturb = DISTURB_NOTHING;
}

static void window_walk(void)
{
    uint64_t done = 0, compared_at = 0;
    twin_fork();
    while (done < steps->window) {
        uint32_t n, stop = piece_walk((enum flavour)steps->flavour, steps->piece, &n);
        if (steps->flavour == FLAVOUR_COUNT)
            n = LOG_UNTIL_SYSCALL, done += 500;
        else
            done += n;
        if (stop == LOSS_at_syscall) {
            tell(ENTRY_SYSCALL, n);
            call_make(true);
            done++;
        } else if (stop == LOSS_N)
            tell(ENTRY_STATE, n);
        else {
            tell(ENTRY_STATE, n);
            tell(ENTRY_REFUSED, stop);
            sys3(SYS_exit_group, 1, 0, 0);
        }
        if (done > steps->window / 2)
            disturb();
        if (done - compared_at > steps->memory) {
            compared_at = done;
            tell(ENTRY_MEMORY, 0);
        }
    }
    tell(ENTRY_END, 0);
}

__attribute__((used, noreturn)) static void walker_run(void)
{
    __asm__ volatile("rdgsbase %0\n wrgsbase %1" : "=&r"(program_gs) : "r"(context) : "memory");
    for (uint32_t i = 0; i < steps->windows; i++) {
        skip_ahead(steps->skip);
        window_walk();
    }
    tell(ENTRY_GONE, 0);
    sys3(SYS_exit_group, 0, 0, 0);
    __builtin_unreachable();
}

/* ---- in */

__attribute__((used)) static uint64_t take_over_prepare(const uint64_t *saved)
{
    static const uint8_t at[] = {R15, R14, R13, R12, RBP, RBX};
    for (int i = 0; i < 6; i++)
        context->gpr[at[i]] = saved[i];
    context->pc = saved[6];
    context->gpr[RSP] = (uint64_t)(saved + 7);
    context->flags = 0x202;
    return (uint64_t)(context->stack + CONTEXT_STACK_BYTES);
}

void take_over(void);
__asm__(".pushsection .text\ntake_over:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%rdi\n  mov %rsp,%rbx\n  and $-16,%rsp\n  call take_over_prepare\n"
        "  mov %rax,%rsp\n  call walker_run\n  ud2\n.popsection\n");

/* ---- faults: translation reads what may not be there */

void faults_return(void);
__asm__(".pushsection .text\nfaults_return:\n  mov $15,%eax\n  syscall\n.popsection\n");

static void on_fault(int number, siginfo_t *info, void *frame)
{
    (void)info;
    greg_t *pc = &((ucontext_t *)frame)->uc_mcontext.gregs[REG_RIP];
    uint64_t next = probe_fault((uint64_t)*pc);
    if (!next)
        sys3(SYS_exit_group, 128 + number, 0, 0);
    *pc = (greg_t)next;
}

static void faults_catch(void)
{
    enum { RESTORER = 0x04000000 };
    struct {
        void (*handler)(int, siginfo_t *, void *);
        uint64_t flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {on_fault, SA_SIGINFO | RESTORER, faults_return, 0};
    sys6(SYS_rt_sigaction, SIGSEGV, (long)&action, 0, 8, 0, 0);
}

static void *own(uint64_t bytes, int sharing, int fd)
{
    int flags = fd < 0 ? MAP_ANONYMOUS | MAP_NORESERVE : 0;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | flags, fd, 0);
    if (at == MAP_FAILED)
        abort();
    if (steps)
        steps->own[steps->n_own++] = (struct own_range){(uint64_t)at, (uint64_t)at + bytes};
    return at;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("STEP_LOG");
    if (!path)
        return;
    int fd = open(path, O_RDWR);
    steps = own(sizeof *steps, MAP_SHARED, fd);
    close(fd);
    unsetenv("STEP_LOG");
    unsetenv("LD_PRELOAD");
    cpu_set_t first;
    __builtin_memset(&first, 0, sizeof first);
    CPU_SET(0, &first); /* the kernel writes the number of the CPU into the thread's own block */
    sched_setaffinity(0, sizeof first, &first);
    context = own(sizeof *context + COUNTERS_BYTES, MAP_PRIVATE, -1);
    cache = own(sizeof *cache, MAP_PRIVATE, -1);
    regions = own(sizeof *regions, MAP_PRIVATE, -1);
    context_init(context);
    if (!cache_init(cache, regions, own(ZONES_ARENA_BYTES, MAP_SHARED, -1)))
        abort();
    steps->own[steps->n_own++] = (struct own_range){
        (uint64_t)cache->tables, (uint64_t)cache->tables + sizeof *cache->tables};
    unit_log_open(&cache->units, own(UNITS_BYTES, MAP_PRIVATE, -1), UNITS_BYTES, &units_bytes,
                  &counters, COUNTERS_BYTES / 8);
    cache->whole = true;
    cache->events = steps->events;
    regions->refresh = maps_read;
    maps_read(regions);
    walker =
        (struct walk){.cache = cache, .context = context, .syscall = stop_there, .waits = true};
    faults_catch();
    take_over();
}
