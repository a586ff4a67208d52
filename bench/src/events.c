/* What recording costs for each kind of event: functions walked in warm windows of 2,000 exits, nanoseconds of
 * CPU time an instruction, the least of many rounds; and how many words an instruction writes. */
#include "walk/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 40, EXITS = 2000 };

static struct cache *cache;
static struct context *context;
static struct walk walker;

static void read_maps(struct regions *into)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], rights[8];
    unsigned long start, end;
    into->n = 0;
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && rights[2] == 'x' && into->n < REGIONS_MAX &&
            !cache_contains(cache, start))
            into->at[into->n++] = (struct region){start, end, LOSS_N, REGION_LASTING};
    fclose(maps);
}

static void *map_zeroed(size_t bytes, int sharing)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void prepare(void)
{
    static uint64_t units_bytes, counters;
    struct regions *regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    context = map_zeroed(sizeof *context + CONTEXT_PAYLOAD_BYTES, MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    context_init(context);
    if (!cache_init(cache, regions, map_zeroed(CACHE_ARENA_BYTES, MAP_SHARED)))
        abort();
    unit_log_open(&cache->units, map_zeroed(64 << 20, MAP_PRIVATE), 64 << 20, &units_bytes, &counters, 1000);
    regions->refresh = read_maps;
    walker = (struct walk){.cache = cache, .context = context};
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static uint64_t sorts(void)
{
    static int values[2000];
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++)
        values[i] = (int)((seed = seed * 6364136223846793005u + 3) >> 40);
    qsort(values, 2000, sizeof *values, compare_ints);
    return (uint64_t)values[1000];
}

static uint64_t hashes(void)
{
    static uint64_t table[4096];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t at = (i * UINT64_C(0x9E3779B97F4A7C15)) >> 52;
        if (table[at] & 1)
            sum += table[at] >> 3;
        table[at] += i;
    }
    return sum;
}

static uint64_t texts(void)
{
    char text[256];
    uint64_t sum = 0;
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "%d %s %x", i, "some text", i * 77);
        sum += strlen(text) + (uint64_t)(strchr(text, 'x') - text);
    }
    return sum;
}

static uint64_t floats(void)
{
    static double many[512];
    double sum = 0;
    for (int round = 0; round < 40; round++)
        for (int i = 0; i < 512; i++) {
            many[i] = many[i] * 0.5 + (double)i / (1 + round);
            sum += many[(i * 7) % 512];
        }
    return (uint64_t)sum;
}

static uint64_t gs_swap(uint64_t base)
{
    uint64_t old;
    __asm__ volatile("rdgsbase %0\n wrgsbase %1" : "=&r"(old) : "r"(base) : "memory");
    return old;
}

extern char events_home[];
__asm__(".text\nevents_home: int3\n");

struct walked {
    uint64_t instructions, words, ns;
};

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One call, in windows. Counting what they hold is not timed: it comes after, from the copies of exits. */
__attribute__((target("general-regs-only"))) static void call_walked(uint64_t (*function)(void), struct walked *ret)
{
    static uint8_t stack[1 << 18];
    static uint32_t exits[1 << 20];
    uint64_t sp = ((uint64_t)stack + sizeof stack - 4096) & ~UINT64_C(15), n = 0;
    *(uint64_t *)(sp - 8) = (uint64_t)events_home;
    context->gpr[RSP] = sp - 8;
    context->pc = (uint64_t)function;
    context->flags = 0x202;
    *ret = (struct walked){0};
    uint64_t gs = gs_swap((uint64_t)context), start = cpu_ns();
    uint32_t stop;
    do {
        context->record_at = -4 * EXITS;
        context->payload_at = 0;
        stop = walk_run(&walker, FLAVOUR_RECORD);
        for (int64_t i = -EXITS; i < context->record_at / 4 && n < sizeof exits / sizeof *exits; i++)
            exits[n++] = context->records[CONTEXT_RECORDS + i];
        ret->words += context->payload_at / 8;
    } while (stop == LOSS_N);
    ret->ns = cpu_ns() - start;
    gs_swap(gs);
    for (uint64_t i = 0; i < n; i++)
        ret->instructions += cache_exit(cache, exits[i])->instructions;
}

int main(void)
{
    static const struct {
        const char *name;
        uint32_t events;
    } kinds[] = {{"edge", 0},
                 {"address", EVENTS_ADDRESS},
                 {"value", EVENTS_VALUE},
                 {"latency", EVENTS_LATENCY},
                 {"address,value", EVENTS_ADDRESS | EVENTS_VALUE},
                 {"address,value,latency", EVENTS_PAYLOAD}};
    static const struct {
        const char *name;
        uint64_t (*call)(void);
    } functions[] = {{"sort", sorts}, {"hash", hashes}, {"text", texts}, {"floats", floats}};
    prepare();
    printf("%-8s %-22s %8s %8s\n", "code", "events", "ns/insn", "words");
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct walked least = {.ns = UINT64_MAX}, walked;
            cache_flush(cache);
            cache->events = kinds[k].events;
            for (int round = 0; round < ROUNDS; round++) {
                call_walked(functions[f].call, &walked);
                if (walked.ns < least.ns)
                    least = walked;
            }
            printf("%-8s %-22s %8.2f %8.2f\n", functions[f].name, kinds[k].name,
                   (double)least.ns / (double)least.instructions, (double)least.words / (double)least.instructions);
        }
    return 0;
}
