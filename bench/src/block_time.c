/* What blocks of straight code take on this machine, in cycles a copy.
 *
 *     block_time [-l] <HEX-LINES >HEX,CYCLES
 *
 * Each block runs in a process of its own, unrolled: 150 copies or 3072 bytes of them, and thrice as many; the difference is
 * what is told. Registers and memory hold one address at first, and every page that the block touches is the same frame,
 * mapped when it is first missed. With -l a block becomes the body of a loop that counts down a register that it
 * does not use, and is written with its end.
 *
 * The clock is the time stamp counter, which goes in steps and not at the pace of the core: a time is the mean of many
 * runs, and a chain of additions that is timed in the same way gives the cycles. A block is kept if four of five such
 * times agree within 2 %; what faults, does not end or cannot be told is counted. */
#include <Zydis/Zydis.h>

#include <fcntl.h>
#include <immintrin.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    BLOCK_MOST = 1024,
    COPIES_MOST = 150,
    CODE_BYTES = 3072,
    CODE_ROOM = 1 << 16,
    PAGES_MOST = 2048, /* that one block may touch */
    RUNS = 60,
    RUNS_MOST = 600, /* of what takes few steps of the clock */
    TIMES = 5,
    CLOCK_STEP = 30, /* ticks, at most, between two values that the clock shows */
    LOOPS = 1000,    /* so many that the wrong guess at the end is little */
    CHAIN = 1000,    /* additions */
};
static const uint32_t fill = 0x10000000, code_at = 0x400000, state_at = 0x7000000;

/* Parent and child share it; the code under the clock reaches it by its address. */
struct state {
    uint64_t stack, start;
    uint8_t vector[16];
    double cycles; /* of a copy; 0: it could not be told */
};

static struct state *state;
static int frame_fd;
static uint8_t *frame;
static int pages;

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- code */

struct code {
    uint8_t *at;
    size_t n;
};

static void emit(struct code *code, const void *bytes, size_t n)
{
    if (code->n + n > CODE_ROOM)
        die("room for code");
    memcpy(code->at + code->n, bytes, n);
    code->n += n;
}

#define EMIT(code, ...)                                                                            \
    do {                                                                                           \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                    \
        emit(code, bytes_, sizeof bytes_);                                                         \
    } while (0)

static void emit_32(struct code *code, uint32_t value)
{
    emit(code, &value, sizeof value);
}

static void emit_state(struct code *code, size_t offset)
{
    emit_32(code, state_at + (uint32_t)offset);
}

static void emit_register(struct code *code, unsigned reg, uint32_t value)
{
    if (reg >= 8)
        EMIT(code, 0x41);
    EMIT(code, (uint8_t)(0xb8 + reg % 8));
    emit_32(code, value);
}

/* Saves what a caller wants back, sets every register, reads the clock. */
static void emit_begin(struct code *code, int counter, uint32_t turns)
{
    EMIT(code, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x89, 0x24, 0x25);
    emit_state(code, offsetof(struct state, stack));
    for (unsigned reg = 0; reg < 16; reg++) { /* vmovdqu xmm, [state.vector] */
        EMIT(code, 0xc5, (uint8_t)(reg >= 8 ? 0x7a : 0xfa), 0x6f, (uint8_t)(0x04 | (reg % 8) << 3),
             0x25);
        emit_state(code, offsetof(struct state, vector));
    }
    EMIT(code, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x89,
         0x04, 0x25);
    emit_state(code, offsetof(struct state, start));
    for (unsigned reg = 0; reg < 16; reg++)
        emit_register(code, reg, (int)reg == counter ? turns : fill);
    EMIT(code, 0x0f, 0xae, 0xe8);
}

static void emit_end(struct code *code)
{
    EMIT(code, 0xfc, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48,
         0x8b, 0x24, 0x25);
    emit_state(code, offsetof(struct state, stack));
    EMIT(code, 0x48, 0x2b, 0x04, 0x25);
    emit_state(code, offsetof(struct state, start));
    EMIT(code, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3);
}

typedef uint64_t timed(void);

static timed *code_make(size_t offset, const uint8_t *block, size_t n, uint32_t copies, int counter)
{
    struct code code = {(uint8_t *)(uintptr_t)code_at + offset, 0};
    emit_begin(&code, counter, copies);
    while (code.n % 64)
        EMIT(&code, 0x90);
    for (uint32_t i = 0; i < (counter >= 0 ? 1 : copies); i++)
        emit(&code, block, n);
    emit_end(&code);
    return (timed *)(uintptr_t)code.at;
}

/* ---- one block, in the child */

static void on_fault(int sig, siginfo_t *info, void *unused)
{
    (void)unused;
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    if (sig != SIGSEGV || pages++ == PAGES_MOST ||
        mmap((void *)page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, frame_fd,
             0) == MAP_FAILED)
        _exit(2);
}

static void faults_catch(void)
{
    static uint8_t stack[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = 2}, NULL);
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ticks of one run. The clock goes in coarse steps, so the least of many tells little; their mean is true to a fraction of a
 * step, if those are left out that were interrupted. */
static double ticks_of(timed *run, int runs)
{
    double ticks[RUNS_MOST], sum = 0;
    int n = 0;
    for (int i = 0; i < runs; i++) {
        for (size_t at = 0; at < PAGE; at += 8)
            memcpy(frame + at, &(uint64_t){fill}, 8);
        ticks[i] = (double)run();
    }
    qsort(ticks, (size_t)runs, sizeof *ticks, number_order);
    while (n < runs && ticks[n] <= ticks[runs / 4] * 1.01 + CLOCK_STEP)
        sum += ticks[n++];
    return sum / n;
}

/* Of what is between `copies` and thrice as many. */
static double ticks_between(timed *code[2], uint32_t copies, int runs)
{
    return (ticks_of(code[1], runs) - ticks_of(code[0], runs)) / (2.0 * copies);
}

/* Four of five that agree within 2 %: their mean; else 0. */
static double times_agree(double times[TIMES])
{
    qsort(times, TIMES, sizeof *times, number_order);
    for (int from = 0; from < 2; from++) {
        double sum = 0;
        for (int i = from; i < from + TIMES - 1; i++)
            sum += times[i];
        if (times[from + TIMES - 2] - times[from] <= 0.02 * times[from] && times[from] > 0)
            return sum / (TIMES - 1);
    }
    return 0;
}

static void block_run(const uint8_t *block, size_t n, uint32_t copies, int counter)
{
    static const uint8_t add[] = {0x48, 0x01, 0xc0};
    timed *runs[2], *chain[2];
    for (uint32_t i = 0; i < 2; i++) {
        runs[i] = code_make(i * CODE_ROOM, block, n, i ? 3 * copies : copies, counter);
        chain[i] = code_make((2 + i) * CODE_ROOM, add, sizeof add, i ? 3 * CHAIN : CHAIN, -1);
    }
    mprotect((void *)(uintptr_t)code_at, 4 * CODE_ROOM, PROT_READ | PROT_EXEC);
    faults_catch();
    _mm_setcsr(0x9fc0); /* no exceptions, and no time for denormal numbers */
    double times[TIMES];
    ticks_of(chain[1], RUNS);
    int n_runs = ticks_of(runs[1], RUNS) < 20 * CLOCK_STEP ? RUNS_MOST : RUNS;
    for (int i = 0; i < TIMES; i++) {
        double cycle = ticks_between(chain, CHAIN, RUNS);
        double ticks = ticks_between(runs, copies, n_runs);
        cycle = (cycle + ticks_between(chain, CHAIN, RUNS)) / 2;
        times[i] = ticks / cycle;
    }
    state->cycles = times_agree(times);
}

/* ---- all of them */

static size_t hex_read(const char *text, uint8_t *to)
{
    size_t n = 0;
    unsigned byte;
    while (n < BLOCK_MOST && sscanf(text + 2 * n, "%2x", &byte) == 1)
        to[n++] = (uint8_t)byte;
    return n;
}

/* A register that no operand names, but not the stack pointer; -1: there is none, or these are no instructions. */
static int counter_find(const uint8_t *block, size_t n)
{
    ZydisDecoder decoder;
    uint32_t used = 1 << 4;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < n;) {
        ZydisDecodedInstruction instruction;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (ZYAN_FAILED(
                ZydisDecoderDecodeFull(&decoder, block + at, n - at, &instruction, operands)))
            return -1;
        for (uint8_t i = 0; i < instruction.operand_count; i++) {
            const ZydisDecodedOperand *operand = &operands[i];
            ZydisRegister named[3] = {operand->type == ZYDIS_OPERAND_TYPE_REGISTER
                                          ? operand->reg.value
                                          : ZYDIS_REGISTER_NONE};
            if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
                named[1] = operand->mem.base;
                named[2] = operand->mem.index;
            }
            for (int j = 0; j < 3; j++) {
                ZydisRegister whole =
                    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, named[j]);
                if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
                    used |= 1u << (whole - ZYDIS_REGISTER_RAX);
            }
        }
        at += instruction.length;
    }
    for (int reg = 15; reg >= 0; reg--)
        if (!(used >> reg & 1))
            return reg;
    return -1;
}

/* dec counter; jnz to the start. */
static size_t loop_close(uint8_t *block, size_t n, int counter)
{
    int32_t back = -(int32_t)(n + 3 + 6);
    const uint8_t end[] = {(uint8_t)(counter >= 8 ? 0x49 : 0x48), 0xff,
                           (uint8_t)(0xc8 + counter % 8), 0x0f, 0x85};
    memcpy(block + n, end, sizeof end);
    memcpy(block + n + sizeof end, &back, sizeof back);
    return n + sizeof end + sizeof back;
}

static void frame_make(void)
{
    frame_fd = memfd_create("frame", MFD_CLOEXEC);
    if (frame_fd < 0 || ftruncate(frame_fd, PAGE) != 0)
        die("frame");
    frame = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, frame_fd, 0);
    state = mmap((void *)(uintptr_t)state_at, PAGE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    void *code = mmap((void *)(uintptr_t)code_at, 4 * CODE_ROOM, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (frame == MAP_FAILED || state == MAP_FAILED || code == MAP_FAILED)
        die("memory at its place");
    for (size_t at = 0; at < sizeof state->vector; at += 8)
        memcpy(state->vector + at, &(uint64_t){fill}, 8);
}

enum outcome { KEPT, UNSURE, FAULTED, OUTCOMES };

static enum outcome block_time(const uint8_t *block, size_t n, uint32_t copies, int counter)
{
    int status;
    state->cycles = 0;
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        block_run(block, n, copies, counter);
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid)
        die("wait");
    return status ? FAULTED : state->cycles > 0 ? KEPT : UNSURE;
}

int main(int argc, char **argv)
{
    bool loop = argc > 1 && strcmp(argv[1], "-l") == 0;
    size_t outcomes[OUTCOMES] = {0};
    char line[2 * BLOCK_MOST + 64];
    frame_make();
    while (fgets(line, sizeof line, stdin)) {
        uint8_t block[BLOCK_MOST + 16];
        size_t n = hex_read(line, block);
        int counter = loop ? counter_find(block, n) : -1;
        if (!n || (loop && counter < 0))
            continue;
        uint32_t copies = CODE_BYTES / (uint32_t)n;
        copies = loop ? LOOPS : copies > COPIES_MOST ? COPIES_MOST : copies < 2 ? 2 : copies;
        if (loop)
            n = loop_close(block, n, counter);
        enum outcome outcome = block_time(block, n, copies, counter);
        outcomes[outcome]++;
        if (outcome != KEPT)
            continue;
        for (size_t i = 0; i < n; i++)
            printf("%02x", block[i]);
        printf(",%.3f\n", state->cycles);
        fflush(stdout);
    }
    fprintf(stderr, "blocks: %zu measured, %zu whose times do not agree, %zu that fault\n",
            outcomes[KEPT], outcomes[UNSURE], outcomes[FAULTED]);
    return 0;
}
