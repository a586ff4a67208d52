// Ways through functions that end in no ordinary manner, one case an argument: what counts paths has to get all of them right. Each does the
// same in every run, whatever the addresses.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone, no_icf))

static uint32_t state = 1;
static volatile uint32_t sink;

static uint32_t draw() { return state = state * 1103515245 + 12345, state >> 16; }

// ---- recursion

KEEP static uint32_t fib(uint32_t n)
{
    if (n < 2)
        return n;
    uint32_t a = fib(n - 1);
    if (a & 1)
        sink = a;
    return a + fib(n - 2);
}

KEEP static bool odd(uint32_t n);
KEEP static bool even(uint32_t n)
{
    bool answer = n == 0 || odd(n - 1);
    if (n % 3 == 0)
        sink = n;
    return answer;
}
KEEP static bool odd(uint32_t n)
{
    bool answer = n != 0 && even(n - 1);
    if (n % 5 == 0)
        sink = n;
    return answer;
}

static void recursion() { printf("%u\n", fib(15)); }
static void mutual() { printf("%d\n", even(1000)); }
static void deep() { printf("%d\n", even(20000)); } // more stack than 64 KiB

// ---- jumps over frames

static jmp_buf back;

KEEP static void dive(uint32_t depth)
{
    if (depth == 0)
        longjmp(back, 1 + (int)(draw() % 3));
    dive(depth - 1);
    sink = depth;
}

KEEP static void longjmps()
{
    for (volatile uint32_t i = 0; i < 50; i++) {
        int how = setjmp(back);
        if (how == 0)
            dive(i % 7);
        else if (how == 2)
            sink = i;
    }
}

KEEP static void throws(uint32_t depth)
{
    struct guard {
        uint32_t n;
        ~guard() { sink = n & 1 ? n : n + 1; }
    } here = {depth};
    if (depth == 0) {
        if (draw() % 2)
            throw 1;
        throw "text";
    }
    throws(depth - 1);
    sink = here.n;
}

static void exceptions()
{
    uint32_t caught = 0;
    for (uint32_t i = 0; i < 60; i++) {
        try {
            throws(i % 5);
        } catch (int) {
            caught++;
        } catch (const char *) {
            caught += 100;
        }
    }
    printf("%u\n", caught);
}

// ---- tail calls

KEEP static uint32_t tail_b(uint32_t n);
KEEP __attribute__((optimize("O2"))) static uint32_t tail_a(uint32_t n)
{
    if (n < 3)
        return n;
    return n & 1 ? tail_b(n / 2) : tail_b(n - 3);
}
KEEP __attribute__((optimize("O2"))) static uint32_t tail_b(uint32_t n)
{
    if (n > 100)
        return tail_a(n / 3);
    return n & 2 ? tail_a(n - 1) : n;
}

static void tails()
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 300; i++)
        sum += tail_a(i);
    printf("%u\n", sum);
}

// ---- threads

static void *thread(void *argument)
{
    uint32_t n = (uint32_t)(uintptr_t)argument, seed = n, sum = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        seed = seed * 1103515245 + 12345;
        if (seed >> 16 & 1)
            sum += seed >> 20 & 1 ? 3 : 5;
        else if (seed >> 17 & 1)
            sum ^= i;
        if (n == 2 && i == 1000)
            pthread_exit((void *)(uintptr_t)sum);
    }
    return (void *)(uintptr_t)sum;
}

static void threads()
{
    pthread_t ids[4];
    uintptr_t sum = 0;
    void *result;
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        if (pthread_join(ids[i], &result) == 0)
            sum += (uintptr_t)result;
    printf("%lu\n", (unsigned long)sum);
}

// ---- signals

static volatile uint32_t handled;

KEEP static void handler(int)
{
    handled = handled + (handled % 3 == 0 ? 1 : 2);
    if (handled & 4)
        sink = handled;
}

KEEP static uint32_t interrupted(uint32_t n)
{
    uint32_t sum = n & 1 ? 3 : 4;
    raise(SIGUSR1);
    return n & 2 ? sum + handled : sum;
}

static void signals()
{
    stack_t stack = {};
    struct sigaction action = {};
    stack.ss_size = 1 << 16;
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 40; i++)
        sum += interrupted(i);
    printf("%u\n", sum);
}

// ---- an interpreter

static void gotos()
{
    static const void *const labels[] = {&&add, &&twice, &&less, &&skip, &&stop};
    uint32_t value = 0;
    uint8_t code[400];
    for (size_t i = 0; i < sizeof code; i++)
        code[i] = (uint8_t)(draw() % 4);
    code[sizeof code - 1] = code[sizeof code - 2] = 4;
    const uint8_t *at = code;
    goto *labels[*at++];
add:
    value += 7;
    goto *labels[*at++];
twice:
    value = value & 1 ? value * 2 : value + 3;
    goto *labels[*at++];
less:
    value -= 1;
    goto *labels[*at++];
skip:
    at += value & 1;
    goto *labels[*at++];
stop:
    printf("%u\n", value);
}

// ---- more than 2^32 paths

#define ASK(n) if (bits >> n & 1) sum = sum * 3 + n; else sum ^= n * 17;
#define ASK8(n) ASK(n) ASK(n + 1) ASK(n + 2) ASK(n + 3) ASK(n + 4) ASK(n + 5) ASK(n + 6) ASK(n + 7)

KEEP static uint64_t questions(uint64_t bits)
{
    volatile uint64_t sum = 0;
    ASK8(0) ASK8(8) ASK8(16) ASK8(24) ASK8(32) ASK8(40)
    return sum;
}

static void many()
{
    uint64_t bits = 1, sum = 0;
    for (uint32_t i = 0; i < 200; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        sum += questions(bits >> 12);
    }
    printf("%lu\n", (unsigned long)sum);
}

// ---- ends

KEEP static void sink_to(uint32_t depth)
{
    if (depth == 0)
        exit(3);
    sink_to(depth - 1);
    sink = depth;
}

static void leave() { sink_to(20); }

KEEP static uint32_t work(uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += draw() % 3 ? i : 2 * i;
    return sum;
}

KEEP static uint32_t forked(uint32_t n)
{
    uint32_t sum = n & 1 ? 1 : 2;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sum += work(100);
        if (sum & 1)
            _exit(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return n & 2 ? sum + work(50) : sum;
}

static void forks()
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        sum += forked(i);
    printf("%u\n", sum);
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    {"recursion", recursion}, {"mutual", mutual},         {"deep", deep},   {"longjmp", longjmps}, {"exceptions", exceptions},
    {"tails", tails},         {"threads", threads},       {"signals", signals}, {"gotos", gotos},  {"many", many},
    {"fork", forks},          {"exit", leave}, // last: nothing runs behind it
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int arg = 1; arg < argc; arg++)
            if (!strcmp(argv[arg], cases[i].name))
                cases[i].run();
    return 0;
}
