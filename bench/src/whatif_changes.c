/* Changes that are really made: bench/whatif compares what each brings with what `gait whatif` said
 * it would. Built twice, as it is and with -DCHANGED: one change a case, of the source, of a flag
 * or of the input. The arguments: a case, and how often its work is done. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CHANGED
enum { changed = 1 };
#else
enum { changed = 0 };
#endif

#define CASE                                                                                       \
    __attribute__((noipa, optimize("no-tree-vectorize,no-if-conversion,no-if-conversion2")))
#define KEEP(x) __asm__ volatile("" : "+r"(x))

enum { SMALL = 1 << 12, LARGE = 1 << 22, LONG = 1 << 18 };

static uint64_t seed = 88172645463325252u;
static uint64_t drawn(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static int32_t numbers[SMALL], others[SMALL], sums[SMALL];
static float reals[SMALL], reals2[SMALL];
static uint64_t *table;
static uint8_t drawn_bytes[LONG]; /* so many that no predictor learns them by heart */
static uint32_t position;

static int by_number(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

static void numbers_draw(int range)
{
    for (int i = 0; i < SMALL; i++) {
        numbers[i] = (int32_t)(drawn() % (uint64_t)range);
        others[i] = (int32_t)(drawn() % 1000) + 1;
    }
}

/* The next SMALL of them. */
static const uint8_t *bytes_next(void)
{
    position = (position + SMALL) % LONG;
    return drawn_bytes + position;
}

/* ---- branches */

CASE static uint64_t branch_half(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i++)
        if (bytes[i] >= 128) {
            KEEP(sum);
            sum += (uint64_t)others[i];
        }
    return sum;
}

CASE static uint64_t branch_rare(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i++)
        if (bytes[i] >= 230) {
            KEEP(sum);
            sum = sum * 5 + 1;
        }
    return sum;
}

CASE static uint64_t branch_work(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i++) {
        uint64_t x = (uint64_t)others[i];
        if (bytes[i] & 1) {
            KEEP(x);
            sum += x * x;
        } else {
            sum ^= x + (x << 3);
        }
    }
    return sum;
}

/* The change: a minimum without a branch. */
CASE static uint64_t branch_select(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i++) {
        int64_t x = bytes[i];
#ifdef CHANGED
        int64_t limit = 128;
        __asm__("cmp %1, %0\n\tcmovg %1, %0" : "+r"(x) : "r"(limit) : "cc");
#else
        if (x > 128) {
            x = 128;
            KEEP(x);
        }
#endif
        sum += (uint64_t)x;
    }
    return sum;
}

CASE static uint64_t branch_search(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i += 4) {
        uint32_t low = 0, high = 255, key = (uint32_t)bytes[i] * 4;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            KEEP(middle);
            if ((uint32_t)others[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        sum += low;
    }
    return sum;
}

/* ---- loads */

static void table_make(uint64_t n)
{
    table = malloc(n * sizeof *table);
    for (uint64_t i = 0; i < n; i++)
        table[i] = i;
    for (uint64_t i = n - 1; i > 0; i--) { /* one cycle through all of it */
        uint64_t k = drawn() % i, other = table[k];
        table[k] = table[i];
        table[i] = other;
    }
}

CASE static uint64_t load_chase(uint64_t at)
{
    for (int i = 0; i < SMALL; i++)
        at = table[at];
    return at;
}

CASE static uint64_t load_lookup(uint64_t sum)
{
    uint64_t x = sum | 1, mask = changed ? SMALL / 4 - 1 : LARGE - 1;
    for (int i = 0; i < SMALL; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sum += table[x >> 33 & mask];
    }
    return sum;
}

/* The change: prefetched sixteen iterations before. */
CASE static uint64_t load_prefetch(uint64_t sum)
{
    static uint64_t position;
    for (int i = 0; i < SMALL; i++) {
        uint64_t x = (position + (uint64_t)i) * 0x9e3779b97f4a7c15u;
#ifdef CHANGED
        __builtin_prefetch(&table[(position + (uint64_t)i + 16) * 0x9e3779b97f4a7c15u >> 42]);
#endif
        uint64_t value = table[x >> 42];
        sum = (sum ^ value) * 3;
        sum = sum / ((value & 7) + 3);
    }
    position += SMALL;
    return sum;
}

/* The change: by rows. */
CASE static uint64_t load_columns(uint64_t sum)
{
    enum { SIDE = 2048 };
    static uint64_t from;
    for (uint64_t i = 0; i < SMALL; i++) {
        uint64_t at = (from + i) % ((uint64_t)SIDE * SIDE);
        uint64_t row = changed ? at / SIDE : at % SIDE, column = changed ? at % SIDE : at / SIDE;
        sum += table[row * SIDE + column];
    }
    from += SMALL;
    return sum;
}

/* ---- store forwarding */

CASE static uint64_t forward_halves(uint64_t sum)
{
    static union {
        uint64_t whole;
        uint32_t half[2];
    } volatile box;
    for (int i = 0; i < SMALL; i++) {
#ifdef CHANGED
        box.whole = (uint64_t)(uint32_t)numbers[i] << 32 | (uint32_t)sum;
#else
        box.half[0] = (uint32_t)sum;
        box.half[1] = (uint32_t)numbers[i];
#endif
        sum += box.whole;
    }
    return sum;
}

CASE static uint64_t forward_byte(uint64_t sum)
{
    static union {
        uint32_t whole;
        uint8_t byte;
    } volatile box;
    for (int i = 0; i < SMALL; i++) {
#ifdef CHANGED
        box.whole = (uint8_t)(sum + (uint64_t)numbers[i]);
#else
        box.byte = (uint8_t)(sum + (uint64_t)numbers[i]);
#endif
        sum += box.whole;
    }
    return sum;
}

CASE static uint64_t forward_across(uint64_t sum)
{
    static volatile uint8_t bytes[64];
    for (int i = 0; i < SMALL; i++) {
        *(volatile uint64_t *)(bytes + 8) = sum;
        sum += *(volatile uint64_t *)(bytes + (changed ? 8 : 12)) + (uint64_t)numbers[i];
    }
    return sum;
}

/* ---- divisions */

static volatile uint64_t divisor = 10;
static volatile double real_divisor = 8;

CASE static uint64_t divide_64(uint64_t sum)
{
    uint64_t by = changed ? 10 : divisor;
    for (int i = 0; i < SMALL; i++)
        sum += (sum + (uint64_t)numbers[i] * 0x123456789abcu) / by;
    return sum;
}

CASE static uint64_t divide_32(uint64_t sum)
{
    uint32_t by = changed ? 10 : (uint32_t)divisor, x = (uint32_t)sum | 1;
    for (int i = 0; i < SMALL; i++)
        x = x / by + (uint32_t)numbers[i] * 77777u;
    return x;
}

CASE static uint64_t remainder_64(uint64_t sum)
{
    uint64_t by = changed ? 1000003 : (divisor - 10 + 1000003);
    for (int i = 0; i < SMALL; i++)
        sum = (sum * 31 + (uint64_t)numbers[i]) % by;
    return sum;
}

CASE static uint64_t divide_real(uint64_t sum)
{
    double by = real_divisor, x = (double)(sum & 255);
    for (int i = 0; i < SMALL; i++)
        x = changed ? x * 0.125 + numbers[i] : x / by + numbers[i];
    return (uint64_t)x;
}

/* ---- calls */

#ifdef CHANGED
#define CALLED static inline __attribute__((always_inline))
#else
#define CALLED static __attribute__((noinline, noclone))
#endif

CALLED uint64_t mixed(uint64_t a, uint64_t b)
{
    return (a ^ b) + (b >> 3);
}

CASE static uint64_t inline_mixed(uint64_t sum)
{
    for (int i = 0; i < SMALL; i++)
        sum = mixed(sum, (uint64_t)numbers[i]);
    return sum;
}

CALLED int32_t fetched(const int32_t *from, int i)
{
    return from[i];
}

CASE static uint64_t inline_getter(uint64_t sum)
{
    for (int i = 0; i < SMALL; i++)
        sum += (uint64_t)fetched(numbers, i);
    return sum;
}

CALLED uint64_t longer(uint64_t a, const int32_t *from)
{
    uint64_t b = (uint64_t)from[0], c = (uint64_t)from[1];
    b ^= a >> 7;
    c += b * 3;
    a += c ^ b;
    return a + (b << 1);
}

CASE static uint64_t inline_longer(uint64_t sum)
{
    for (int i = 0; i + 1 < SMALL; i++)
        sum = longer(sum, numbers + i);
    return sum;
}

/* ---- loops */

#ifdef CHANGED
#define UNROLL _Pragma("GCC unroll 4")
#else
#define UNROLL _Pragma("GCC unroll 1")
#endif

CASE static uint64_t unroll_sum(uint64_t sum)
{
    int32_t all = (int32_t)sum;
    UNROLL
    for (int i = 0; i < SMALL; i++)
        all += numbers[i];
    return (uint64_t)all;
}

CASE static uint64_t unroll_copy(uint64_t sum)
{
    UNROLL
    for (int i = 0; i < SMALL; i++)
        sums[i] = numbers[i] + others[i];
    return sum + (uint64_t)sums[sum % SMALL];
}

CASE static uint64_t unroll_mask(uint64_t sum)
{
    uint64_t all = sum;
    UNROLL
    for (int i = 0; i < SMALL; i++)
        all ^= (uint64_t)numbers[i] & (uint64_t)others[i];
    return all;
}

/* How many turns inner loops make is the same each time: known to the compiler, or not. */
#ifdef CHANGED
#define TURNS(n) (n)
#define IN_A_ROW _Pragma("GCC unroll 16")
#else
#define TURNS(n) turns[n]
#define IN_A_ROW _Pragma("GCC unroll 1")
#endif

static volatile int turns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

CASE static uint64_t trips_short(uint64_t sum)
{
    const int n = TURNS(3);
    for (int i = 0; i + 3 <= SMALL; i += 3) {
        uint64_t row = 0;
        IN_A_ROW
        for (int k = 0; k < n; k++)
            row = row * 31 + (uint64_t)numbers[i + k];
        sum ^= row;
    }
    return sum;
}

CASE static uint64_t trips_rows(uint64_t sum)
{
    const int n = TURNS(6);
    for (int i = 0; i + 6 <= SMALL; i += 6) {
        int32_t row = 0;
        IN_A_ROW
        for (int k = 0; k < n; k++)
            row += numbers[i + k] & others[i + k];
        sums[i] = row;
    }
    return sum + (uint64_t)sums[sum % SMALL / 6 * 6];
}

CASE static uint64_t trips_bits(uint64_t sum)
{
    const int n = TURNS(12);
    for (int i = 0; i < SMALL; i++) {
        uint64_t mixed = (uint64_t)numbers[i];
        IN_A_ROW
        for (int k = 0; k < n; k++)
            mixed ^= mixed >> 7 ^ (uint64_t)k;
        sum += mixed;
    }
    return sum;
}

/* Of trips_short: the numbers of turns differ, so that none can be known. */
CASE static uint64_t varied_short(uint64_t sum)
{
    for (int i = 0; i + 8 <= SMALL; i += 3) {
        uint64_t row = 0;
        int n = 2 + (numbers[i] & 3);
        _Pragma("GCC unroll 1") for (int k = 0; k < n; k++)
            row = row * 31 + (uint64_t)numbers[i + k];
        sum ^= row;
    }
    return sum;
}

#ifdef CHANGED
#define WIDE __attribute__((noipa, target("avx2"), optimize("tree-vectorize,O3")))
#else
#define WIDE __attribute__((noipa, optimize("tree-vectorize,O3")))
#endif

WIDE static uint64_t wider_reals(uint64_t sum)
{
    for (int i = 0; i < SMALL; i++)
        reals[i] = reals[i] * 0.5f + reals2[i];
    return sum + (uint64_t)reals[sum % SMALL];
}

WIDE static uint64_t wider_numbers(uint64_t sum)
{
    for (int i = 0; i < SMALL; i++)
        sums[i] = (numbers[i] + others[i]) ^ sums[i];
    return sum + (uint64_t)sums[sum % SMALL];
}

WIDE static uint64_t wider_bytes(uint64_t sum)
{
    static uint8_t a[SMALL], b[SMALL];
    for (int i = 0; i < SMALL; i++)
        a[i] = (uint8_t)(a[i] > b[i] ? a[i] : b[i] + 1);
    return sum + a[sum % SMALL];
}

/* ---- the cases */

/* ---- held out: the model's error was fitted before they were written. The function that changes
 * is one of several, or the change another than those above. */

CASE static uint64_t far_beside(uint64_t at)
{
    for (int i = 0; i < SMALL / 16; i++)
        at = table[at % LARGE];
    return at;
}

CASE static uint64_t reals_beside(uint64_t sum)
{
    float total = 1;
    for (int i = 0; i < SMALL; i++)
        total = total * 0.5f + reals[i];
    return sum + (uint64_t)total;
}

CASE static uint64_t branch_beside_far(uint64_t sum)
{
    return branch_rare(sum) ^ far_beside(sum);
}

CASE static uint64_t branch_beside_reals(uint64_t sum)
{
    return branch_half(sum) ^ reals_beside(sum);
}

CASE static uint64_t divide_beside(uint64_t sum)
{
    return divide_32(sum) ^ reals_beside(sum);
}

/* An interpreter: where the jump goes depends on the next byte. */
CASE static uint64_t branch_switch(uint64_t sum)
{
    const uint8_t *bytes = bytes_next();
    for (int i = 0; i < SMALL; i++)
        switch (bytes[i] >> 5) {
        case 0: sum += 3; break;
        case 1: sum ^= sum >> 7; break;
        case 2: sum = sum * 9; break;
        case 3: sum = ~sum; break;
        case 4: sum -= (uint64_t)i; break;
        case 5: sum = sum << 3 | sum >> 61; break;
        case 6: sum |= 1; break;
        default: sum = -sum; break;
        }
    return sum;
}

/* A search in a sorted row, as std::lower_bound does it. */
CASE static uint64_t load_search(uint64_t sum)
{
    const uint64_t n = changed ? SMALL / 4 : LARGE;
    uint64_t key = 12345;
    for (int i = 0; i < 256; i++) {
        uint64_t low = 0, size = n;
        key = key * 6364136223846793005u + 1442695040888963407u;
        while (size > 1) {
            size /= 2;
            low += table[low + size] <= (key >> 11) % n ? size : 0;
        }
        sum += low;
    }
    return sum;
}

#ifdef CHANGED
#define COMPARE static inline __attribute__((always_inline))
#else
#define COMPARE __attribute__((noipa)) static
#endif
COMPARE int lower(int32_t a, int32_t b)
{
    return a < b;
}

CASE static uint64_t inline_compare(uint64_t sum)
{
    int32_t least = numbers[0];
    for (int i = 1; i < SMALL; i++)
        if (lower(numbers[i], least))
            least = numbers[i];
    return sum + (uint64_t)least;
}

/* A head of four bytes, put together and then read at once. */
CASE static uint64_t forward_head(uint64_t sum)
{
    static union {
        volatile uint8_t bytes[4];
        volatile uint32_t word;
    } head;
    for (int i = 0; i < SMALL; i++) {
        if (changed) {
            head.word = (uint32_t)i * 0x01010101u;
        } else {
            head.bytes[0] = head.bytes[1] = (uint8_t)i;
            head.bytes[2] = head.bytes[3] = (uint8_t)i;
        }
        sum = (sum ^ head.word) * 3;
    }
    return sum;
}

/* ---- inputs */

static void sorts(void);
static void sorts_and_fills(void)
{
    sorts();
    table_make(LARGE);
}

static void rows_make(void)
{
    table_make(LARGE);
    for (uint64_t i = 0; i < LARGE; i++)
        table[i] = i;
}

static void none(void)
{
    numbers_draw(256);
}
static int by_byte(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}
static void draws(void)
{
    numbers_draw(256);
    for (int i = 0; i < LONG; i++)
        drawn_bytes[i] = (uint8_t)drawn();
}
static void sorts(void)
{
    draws();
    if (changed)
        qsort(drawn_bytes, LONG, 1, by_byte);
}
static void alternates(void)
{
    draws();
    for (int i = 0; i < LONG && changed; i++)
        drawn_bytes[i] = (uint8_t)((drawn_bytes[i] & ~1) | (i & 1));
}
static void searches(void)
{
    sorts();
    qsort(others, 256, sizeof *others, by_number);
}
static void chases_far(void)
{
    table_make(changed ? SMALL / 4 : LARGE);
}
static void chases_near(void) /* in the second cache, or in the first */
{
    table_make(changed ? SMALL / 4 : 1 << 16);
}
static void fills(void)
{
    table_make(LARGE);
}

static const struct {
    const char *name;
    void (*make)(void);
    uint64_t (*work)(uint64_t);
} cases[] = {
    {"branch_half", sorts, branch_half},
    {"branch_rare", sorts, branch_rare},
    {"branch_work", alternates, branch_work},
    {"branch_select", draws, branch_select},
    {"branch_search", searches, branch_search},
    {"load_chase", chases_far, load_chase},
    {"load_second", chases_near, load_chase},
    {"load_lookup", fills, load_lookup},
    {"load_prefetch", fills, load_prefetch},
    {"load_columns", fills, load_columns},
    {"forward_halves", none, forward_halves},
    {"forward_byte", none, forward_byte},
    {"forward_across", none, forward_across},
    {"divide_64", none, divide_64},
    {"divide_32", none, divide_32},
    {"remainder_64", none, remainder_64},
    {"divide_real", none, divide_real},
    {"inline_mixed", none, inline_mixed},
    {"inline_getter", none, inline_getter},
    {"inline_longer", none, inline_longer},
    {"unroll_sum", none, unroll_sum},
    {"unroll_copy", none, unroll_copy},
    {"unroll_mask", none, unroll_mask},
    {"trips_short", none, trips_short},
    {"trips_rows", none, trips_rows},
    {"trips_bits", none, trips_bits},
    {"varied_short", none, varied_short},
    {"wider_reals", none, wider_reals},
    {"wider_numbers", none, wider_numbers},
    {"wider_bytes", none, wider_bytes},
    {"branch_beside_far", sorts_and_fills, branch_beside_far},
    {"branch_beside_reals", sorts, branch_beside_reals},
    {"divide_beside", none, divide_beside},
    {"branch_switch", sorts, branch_switch},
    {"load_search", rows_make, load_search},
    {"inline_compare", none, inline_compare},
    {"forward_head", none, forward_head},
};

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100, sum = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
            cases[i].make();
            for (uint64_t k = 0; k < rounds; k++)
                sum = cases[i].work(sum);
            printf("%llu\n", (unsigned long long)sum);
            return 0;
        } else if (argc == 1) {
            puts(cases[i].name);
        }
    return argc != 1;
}
