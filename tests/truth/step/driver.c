/* driver LIBRARY OPTION=N... -- PROGRAM...: runs a program on copies and a native twin of it step
 * by step, and compares the two. Options: flavour (0 plain, 1 record, 2 count), single, events
 * (EVENTS_ bits), piece, windows, skip, window, memory, disturb. */
#include "compare.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { UNTIL_MAX = 2000000 };

static struct log *steps;
static struct twin twin;
static struct memory_pair pair;
static uint64_t states, calls, resynced, done_steps;

static bool fail(const struct entry *entry, const char *what)
{
    printf("DIFFERS: %s after %lu steps: walked pc %lx, native pc %llx, which came from %lx\n",
           what, done_steps + twin.steps, entry->pc, twin.regs.rip, twin.came_from);
    return false;
}

static bool advance(const struct entry *entry)
{
    if (entry->instructions == LOG_UNTIL_SYSCALL) {
        for (uint64_t i = 0; !twin_at_syscall(&twin); i++)
            if (i == UNTIL_MAX || !twin_step(&twin))
                return false;
        return true;
    }
    for (uint32_t i = 0; i < entry->instructions; i++)
        if (!twin_step(&twin))
            return false;
    return true;
}

static void registers_copy(const struct entry *entry)
{
    for (int i = 0; i < 16; i++)
        *twin_gpr(&twin, i) = entry->gpr[i];
    twin.regs.rip = entry->pc;
    twin.regs.eflags = entry->flags;
    twin_set(&twin);
}

static bool state_check(const struct entry *entry)
{
    if (!advance(entry))
        return fail(entry, "the way");
    states++;
    if (twin.came_from >= steps->vdso.start && twin.came_from < steps->vdso.end)
        twin.chance = true;
    if (twin.chance) { /* both have read a clock, or the like: they go on from what the walked one
                          read */
        twin.chance = false;
        resynced++;
        if (entry->pc != twin.regs.rip)
            return fail(entry, "the way behind an instruction of chance");
        registers_copy(entry);
    }
    return states_equal(&twin, entry) || fail(entry, "a register");
}

/* What a system call did to the address space is done to the twin's; all else that the kernel gave
 * is copied. */
static bool result_copy(const struct entry *entry)
{
    uint64_t argument[6];
    long result = (long)entry->gpr[0];
    memcpy(argument, entry->argument, sizeof argument);
    bool failed = result < 0 && result > -4096;
    calls++;
    if (!failed && entry->number == SYS_mmap) {
        argument[0] = (uint64_t)result;
        argument[3] = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
        argument[4] = (uint64_t)-1, argument[5] = 0;
        if (twin_call(&twin, entry->number, argument) != result)
            return fail(entry, "mmap");
        if (!(entry->argument[3] & MAP_ANONYMOUS))
            memory_copy_range(&pair, &twin, (uint64_t)result, (uint64_t)result + argument[1]);
    } else if (!failed && entry->number == SYS_mremap) {
        if ((uint64_t)result != argument[0])
            argument[3] |= MREMAP_MAYMOVE | MREMAP_FIXED, argument[4] = (uint64_t)result;
        if (twin_call(&twin, entry->number, argument) != result)
            return fail(entry, "mremap");
    } else if (entry->number == SYS_munmap || entry->number == SYS_mprotect ||
               entry->number == SYS_brk || entry->number == SYS_madvise) {
        if (twin_call(&twin, entry->number, argument) != result)
            return fail(entry, "a call that changes memory");
    }
    twin.regs.rip = entry->pc;
    twin.regs.rax = entry->gpr[0];
    twin.regs.rcx = entry->gpr[1];
    twin.regs.r11 = entry->gpr[11];
    twin_set(&twin);
    return memory_copy(&pair, &twin) || fail(entry, "memory that cannot be copied");
}

static bool memory_check(const struct entry *entry)
{
    return memory_equal(&pair, &twin) || fail(entry, "memory");
}

static bool twin_begin(const struct entry *entry)
{
    twin_close(&twin);
    return (twin_open(&twin, steps->twin, entry) && states_equal(&twin, entry) &&
            memory_check(entry)) ||
           fail(entry, "the start");
}

/* False: over, or different. */
static bool entry_take(const struct entry *entry, bool *ret_good)
{
    bool good = true, over = false;
    switch ((enum entry_kind)entry->kind) {
    case ENTRY_START: good = twin_begin(entry); break;
    case ENTRY_STATE: good = state_check(entry); break;
    case ENTRY_SYSCALL: good = state_check(entry) && memory_check(entry); break;
    case ENTRY_RESULT: good = result_copy(entry); break;
    case ENTRY_MEMORY: good = memory_check(entry); break;
    case ENTRY_END:
        good = memory_check(entry);
        done_steps += twin.steps;
        twin_close(&twin);
        break;
    case ENTRY_REFUSED:
        printf("the walk was refused at %lx, loss %u\n", entry->pc, entry->instructions);
        over = true;
        break;
    case ENTRY_GONE: over = true; break;
    }
    *ret_good = good;
    return good && !over;
}

static bool follow(void)
{
    bool good = true, on = true;
    while (on) {
        while (__atomic_load_n(&steps->head, __ATOMIC_ACQUIRE) == steps->tail) {
            int status = 0;
            if (kill(pair.walked, 0) || waitpid(pair.walked, &status, WNOHANG) == pair.walked) {
                printf("the walked program ended by itself: %s %d\n",
                       WIFSIGNALED(status) ? "signal" : "status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
                return false;
            }
            sched_yield();
        }
        on = entry_take(&steps->entries[steps->tail % LOG_ENTRIES], &good);
        if (on)
            __atomic_store_n(&steps->tail, steps->tail + 1, __ATOMIC_RELEASE);
    }
    return good;
}

static pid_t launch(const char *library, const char *log_path, char **argv)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    personality(ADDR_NO_RANDOMIZE);
    setenv("LD_PRELOAD", library, 1);
    setenv("STEP_LOG", log_path, 1);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0), dup2(nothing, 1), dup2(nothing, 2);
    execvp(argv[0], argv);
    _exit(127);
}

static bool option_take(const char *text)
{
    const struct {
        const char *name;
        void *at;
        bool wide;
    } options[] = {{"flavour", &steps->flavour, false}, {"single", &steps->single, false},
                   {"events", &steps->events, false},   {"piece", &steps->piece, false},
                   {"windows", &steps->windows, false}, {"skip", &steps->skip, true},
                   {"window", &steps->window, true},    {"memory", &steps->memory, true},
                   {"disturb", &steps->disturb, false}};
    const char *equals = strchr(text, '=');
    for (size_t i = 0; equals && i < sizeof options / sizeof *options; i++) {
        if (strncmp(text, options[i].name, (size_t)(equals - text)) != 0 ||
            options[i].name[equals - text])
            continue;
        if (options[i].wide)
            *(uint64_t *)options[i].at = strtoull(equals + 1, NULL, 10);
        else
            *(uint32_t *)options[i].at = (uint32_t)strtoul(equals + 1, NULL, 10);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    char path[64], memory[64];
    int fd = memfd_create("steps", 0), at = 2;
    if (argc < 4 || fd < 0 || ftruncate(fd, sizeof *steps))
        return 2;
    steps = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    steps->flavour = 1, steps->piece = 1, steps->windows = 1, steps->window = 10000,
    steps->memory = 5000;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (!option_take(argv[at]))
            return 2;
    if (at + 1 >= argc)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    pair = (struct memory_pair){.walked = launch(argv[1], path, argv + at + 1), .log = steps};
    snprintf(memory, sizeof memory, "/proc/%d/mem", (int)pair.walked);
    while (__atomic_load_n(&steps->head, __ATOMIC_ACQUIRE) == 0 &&
           waitpid(pair.walked, NULL, WNOHANG) == 0)
        usleep(1000);
    pair.memory = open(memory, O_RDONLY | O_CLOEXEC);
    bool good = follow();
    done_steps += twin.steps;
    twin_close(&twin);
    kill(pair.walked, SIGKILL);
    printf("%lu instructions, %lu states, %lu system calls, %lu MiB of memory compared, %lu "
           "resynchronised\n",
           done_steps, states, calls, pair.bytes >> 20, resynced);
    return good && done_steps > 0 ? 0 : 1;
}
