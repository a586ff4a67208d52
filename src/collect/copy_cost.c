#include "collect/copy_cost.h"

#include "walk/base/budgets.h"
#include "walk/run.h"
#include "wire/plain.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <x86intrin.h>

enum {
    ROUNDS = 8,
    STACK_BYTES = 1 << 16,
    UNITS_BYTES = 1 << 20,
    COUNTERS = 1 << 12,
    CONTEXT_BYTES = sizeof(struct context) + COUNTERS * sizeof(uint64_t),
    ENDLESS = 1 << 30, /* instructions: more than a call executes */
    USUAL_Q8 = 256,
    LEAST_Q8 = 64,
    HAS_FSGSBASE = 2, /* in AT_HWCAP2 */
};

/* ---- functions that branch as programs do: an interpreter, a sort that calls, a scan of text */

enum { CELLS = 64 };

struct cells {
    uint64_t at[CELLS];
};

static uint64_t operation_run(struct cells *cells, uint8_t operation, uint64_t n, uint64_t sum)
{
    uint64_t *top = &cells->at[(sum >> 3) % CELLS];
    switch (operation) {
    case 0: *top = n; break;
    case 1: *top += cells->at[n % CELLS]; break;
    case 2:
        if (*top & 8)
            return sum + 3;
        ++*top;
        break;
    case 3: cells->at[*top * 31 % CELLS]++; break;
    case 4: return sum ^ cells->at[n % CELLS];
    case 5: return sum + 1;
    case 6: return n & 1 ? sum + *top : sum;
    default: *top = sum; return sum * 5 + 1;
    }
    return sum;
}

__attribute__((noinline)) static uint64_t interpret(void)
{
    static const uint8_t program[] = {0, 1, 2, 3, 1, 4, 5, 0, 2, 6, 1, 3, 7, 2, 4, 0, 5, 6, 3, 7};
    struct cells cells = {{0}};
    uint64_t sum = 0;
    for (uint64_t n = 0; n < 100; n++)
        for (uint32_t pc = 0; pc < sizeof program; pc++)
            sum = operation_run(&cells, program[pc], n, sum);
    return sum;
}

__attribute__((noinline)) static bool is_before(const uint32_t *a, const uint32_t *b)
{
    return *a < *b;
}

__attribute__((noinline)) static uint64_t sort(void)
{
    uint32_t values[96], seed = 1;
    for (uint32_t i = 0; i < 96; i++)
        values[i] = (seed = seed * 1664525u + 1013904223u) >> 8;
    for (uint32_t gap = 48; gap; gap /= 2) {
        for (uint32_t i = gap; i < 96; i++) {
            uint32_t value = values[i], at = i;
            for (; at >= gap && is_before(&value, &values[at - gap]); at -= gap)
                values[at] = values[at - gap];
            values[at] = value;
        }
    }
    return values[48];
}

__attribute__((always_inline)) static inline uint64_t scan(uint64_t hash)
{
    static const char text[] = "Words, and what stands between them: a text that is long enough,\n"
                               "for branches to go one way or the other, but not at random.\n";
    uint64_t words = 0, lines = 0;
    for (uint32_t round = 0; round < 8; round++) {
        bool inside = false;
        for (const char *at = text; *at; at++) {
            bool apart = *at == ' ' || *at == ',' || *at == '\n';
            lines += *at == '\n';
            words += !apart && !inside;
            inside = !apart;
            if (inside)
                hash = hash * 33 + (uint8_t)*at;
        }
    }
    return words + lines + hash;
}

/* Short loops take one or two times as long on copies, as the addresses of their counters happen to
 * be: so there are several of it. */
#define SCANS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define SCAN_DEFINE(n)                                                                             \
    __attribute__((noinline)) static uint64_t scan_##n(void)                                       \
    {                                                                                              \
        return scan(n);                                                                            \
    }
#define SCAN_NAME(n) scan_##n,
SCANS(SCAN_DEFINE)

/* ---- walking them */

struct bed {
    struct regions regions;
    struct cache cache;
    uint8_t stack[STACK_BYTES];
    uint8_t units[UNITS_BYTES];
    uint64_t units_bytes, counters;
};

struct
try {
    struct bed *bed;
    struct walk walk;
    uint8_t *arena;
};

struct cost {
    uint64_t native, copies; /* ticks, of the quickest round */
    uint64_t figured;        /* what wire/plain.h says of the difference */
};

extern char copy_cost_home[];
__asm__(".text\ncopy_cost_home: int3\n");
extern char __executable_start[], etext[];

/* The tool's own code is all that is walked. */
static void regions_own(struct regions *regions)
{
    regions->n = 1;
    regions->at[0] = (struct region){.start = (uint64_t)__executable_start,
                                     .end = (uint64_t)etext,
                                     .refusal = LOSS_N,
                                     .kind = REGION_LASTING};
}

static void *map_zeroed(size_t bytes, int sharing)
{
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void try_close(struct try *try)
{
    if (try->walk.context)
        munmap(try->walk.context, CONTEXT_BYTES);
    if (try->walk.cache)
        cache_unmap(try->walk.cache);
    else if (try->arena)
        munmap(try->arena, ZONES_ARENA_BYTES);
    if (try->bed)
        munmap(try->bed, sizeof *try->bed);
}

static bool try_open(struct try *try)
{
    *try = (struct try){.bed = map_zeroed(sizeof *try->bed, MAP_PRIVATE),
                        .arena = map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)};
    struct context *context = try->walk.context = map_zeroed(CONTEXT_BYTES, MAP_PRIVATE);
    struct bed *bed = try->bed;
    if (!bed || !try->arena || !context || !(getauxval(AT_HWCAP2) & HAS_FSGSBASE) ||
        !cache_init(&bed->cache, &bed->regions, try->arena))
        return false;
    try->walk.cache = &bed->cache;
    context_init(context);
    unit_log_open(&bed->cache.units, bed->units, UNITS_BYTES, &bed->units_bytes, &bed->counters,
                  COUNTERS);
    bed->regions.refresh = regions_own;
    bed->cache.tallies = true;
    return true;
}

static uint64_t gs_swap(uint64_t base)
{
    uint64_t old;
    __asm__ volatile("rdgsbase %0\n wrgsbase %1" : "=&r"(old) : "r"(base) : "memory");
    return old;
}

static uint64_t ticks_now(void)
{
    _mm_lfence();
    return __rdtsc();
}

/* One call on copies, to its return: its ticks, and in the budgets what it paid. The function's
 * vector registers are live in between. */
__attribute__((target("general-regs-only"), noinline)) static uint64_t
call_walked(struct try *try, uint64_t function)
{
    struct context *context = try->walk.context;
    uint64_t sp = ((uint64_t)try->bed->stack + STACK_BYTES - 256) & ~UINT64_C(15);
    *(uint64_t *)(sp - 8) = (uint64_t)copy_cost_home;
    context->gpr[RSP] = sp - 8;
    context->pc = function;
    context->flags = 0x202;
    budgets_begin(context, ENDLESS);
    uint64_t gs = gs_swap((uint64_t)context), began = __rdtsc();
    (void)walk_run(&try->walk, FLAVOUR_PLAIN);
    uint64_t ticks = __rdtsc() - began;
    gs_swap(gs);
    return ticks;
}

/* By wire/plain.h: of the call before. */
static uint64_t figured(const struct context *context)
{
    struct spent spent = budgets_spent(context, ENDLESS);
    return plain_copies_ticks(USUAL_Q8, spent.direct, spent.indirect, spent.instructions);
}

static void cost_add(struct try *try, uint64_t (*function)(void), struct cost *sum)
{
    uint64_t native = UINT64_MAX, copies = UINT64_MAX, address;
    memcpy(&address, &function, sizeof address);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint64_t began = ticks_now();
        (void)function();
        uint64_t ran = ticks_now() - began, walked = call_walked(try, address);
        native = ran < native ? ran : native;
        copies = walked < copies ? walked : copies;
    }
    sum->native += native;
    sum->copies += copies;
    sum->figured += figured(try->walk.context);
}

uint32_t copy_cost_measure_q8(void)
{
    static uint64_t (*const functions[])(void) = {interpret, sort, SCANS(SCAN_NAME)};
    struct try try;
    struct cost sum = {0};
    if (try_open(&try))
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            cost_add(&try, functions[i], &sum);
    try_close(&try);
    if (!sum.figured)
        return USUAL_Q8;
    uint64_t more = sum.copies > sum.native ? sum.copies - sum.native : 0;
    uint64_t cost = more * 256 / sum.figured * 7 / 5;
    return (uint32_t)(cost < LEAST_Q8 ? LEAST_Q8 : cost > USUAL_Q8 ? USUAL_Q8 : cost);
}
