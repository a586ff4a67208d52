/* A signal that comes while the dispatcher stands inside a superblock is put off: the state there
 * is not the program's. */
#include "walk/run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "world.h"

enum { PAGE = 4096, SECOND_AT = PAGE };

static struct context *context;
static struct regions *regions;
static struct walk walker;
static uint64_t units_bytes, counters;
static uint8_t *code;
static uint64_t stack[64];
static volatile uint32_t interrupted;
static uint32_t put_off;

/* The code may change at any time. */
static void refresh(struct regions *into)
{
    into->at[0] = (struct region){.start = (uint64_t)code,
                                  .end = (uint64_t)code + 2 * PAGE,
                                  .refusal = LOSS_N,
                                  .kind = REGION_GUARDED};
    into->n = 1;
}

/* Code is compared before it runs; reading it stands for the moment at which a signal comes. */
static void on_fault(int signal, siginfo_t *info, void *state)
{
    (void)signal, (void)state;
    if ((uint64_t)info->si_addr - (uint64_t)code - SECOND_AT >= PAGE)
        abort();
    mprotect(code + SECOND_AT, PAGE, PROT_READ | PROT_WRITE);
    context->interrupt = 1;
    interrupted++;
}

static void on_put_off(struct walk *walk)
{
    walk->context->interrupt = 0;
    put_off++;
}

/* add $1, %rdi; jmp *%rsi, and there: lea (%rdi), %rax; jmp *%rdx */
static void code_write(void)
{
    static const uint8_t first[] = {0x48, 0x83, 0xc7, 0x01, 0xff, 0xe6};
    static const uint8_t second[] = {0x48, 0x8d, 0x07, 0xff, 0xe2};
    memcpy(code, first, sizeof first);
    memcpy(code + SECOND_AT, second, sizeof second);
}

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(sizeof *context + (1 << 20), MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    code = map_zeroed(2 * PAGE, MAP_PRIVATE);
    code_write();
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    cache->guards = map_zeroed(sizeof *cache->guards, MAP_PRIVATE);
    unit_log_open(&cache->units, map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters,
                  (1 << 20) / 8);
    regions->refresh = refresh;
    walker = (struct walk){.cache = cache, .context = context, .put_off = on_put_off};
    return 0;
}

/* Signals at a superblock's start are delivered here: by going on. */
static uint64_t walked(uint64_t value)
{
    uint32_t stop;
    memset(context->gpr, 0, sizeof context->gpr);
    context->gpr[RSP] = (uint64_t)(stack + 32);
    context->gpr[RDI] = value;
    context->gpr[RSI] = (uint64_t)code + SECOND_AT;
    context->gpr[RDX] = 16; /* nothing is there */
    context->pc = (uint64_t)code;
    context->flags = 0x202;
    uint64_t gs = gs_swap((uint64_t)context);
    do {
        context->interrupt = 0;
        stop = walk_run(&walker, FLAVOUR_COUNT);
    } while (stop == LOSS_N);
    gs_swap(gs);
    assert_int_equal(context->pc, 16);
    return context->gpr[RAX];
}

/* The first superblock runs once, though a signal comes between it and the second, when only the
 * first one's pc is known. */
static void between_superblocks(void **state)
{
    (void)state;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL); /* here: the test's runner has set one of its own */
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(walked(i), i + 1); /* translates, links, lands */
    for (uint64_t i = 0; i < 4; i++) {
        uint32_t before = interrupted;
        mprotect(code + SECOND_AT, PAGE, PROT_NONE);
        assert_int_equal(walked(i), i + 1);
        assert_int_equal(interrupted, before + 1);
    }
    assert_int_equal(put_off, interrupted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(between_superblocks, set_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
