#include "collect/kernel/wait_pace.h"

enum {
    /* On an Emerald Rapids: the kernel takes 4 us for a stack of up to 8 KiB, and the tool 6 to
     * unwind it. Without room in the ring only the kernel's own frames are walked. */
    TAKEN_NS = 10000,
    MISSED_NS = 1500,
    /* What may be spent at once: 400 waits of a program that starts. */
    BANK_NS = 4000000,
    /* A program that mostly waits uses hardly any CPU time. Its time counts for this part. */
    ELAPSED_PART = 10,
    SLICE_EVENTS = 64, /* fit into a ring */
};
static const uint64_t SLICE_MIN_NS = 1000000, SLICE_MAX_NS = 1000000000;
static const uint64_t OFF_MIN_NS = 20000000, OFF_MAX_NS = 1000000000;

void wait_pace_start(struct wait_pace *pace, uint64_t share_ppm, uint64_t now_ns)
{
    *pace = (struct wait_pace){.share_ppm = share_ppm,
                               .on = true,
                               .since_ns = now_ns,
                               .slice_ns = UINT64_MAX,
                               .due_ns = UINT64_MAX,
                               .random = now_ns | 1};
}

uint64_t wait_cost_ns(uint64_t taken, uint64_t missed)
{
    return taken * TAKEN_NS + missed * MISSED_NS;
}

/* xorshift64: no program must be in step with us. Between a half and three halves. */
static uint64_t scatter(struct wait_pace *pace, uint64_t ns)
{
    pace->random ^= pace->random << 13;
    pace->random ^= pace->random >> 7;
    pace->random ^= pace->random << 17;
    return ns / 2 + pace->random % (ns + 1);
}

static uint64_t between(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* As long as it takes to see so many waits. */
static void choose_slice(struct wait_pace *pace, uint64_t now_ns, uint64_t spent_ns)
{
    uint64_t cost = spent_ns - pace->spent_ns, lasted = now_ns - pace->since_ns;
    uint64_t wanted = (uint64_t)SLICE_EVENTS * TAKEN_NS;
    uint64_t slice = cost ? (uint64_t)((double)lasted * (double)wanted / (double)cost) : lasted * 2;
    pace->slice_ns = between(slice, SLICE_MIN_NS, SLICE_MAX_NS);
}

static void turn(struct wait_pace *pace, bool on, uint64_t now_ns, uint64_t spent_ns)
{
    if (pace->on)
        pace->on_ns += now_ns - pace->since_ns;
    pace->on = on;
    pace->since_ns = now_ns;
    pace->spent_ns = spent_ns;
}

void wait_pace_update(struct wait_pace *pace, uint64_t now_ns, uint64_t spent_ns, uint64_t cpu_ns,
                      uint64_t elapsed_ns)
{
    uint64_t base = cpu_ns > elapsed_ns / ELAPSED_PART ? cpu_ns : elapsed_ns / ELAPSED_PART;
    double share = (double)pace->share_ppm / 1e6;
    double allowed = (double)BANK_NS + (double)base * share;
    if (!pace->on && now_ns >= pace->due_ns) {
        turn(pace, true, now_ns, spent_ns);
        pace->due_ns = now_ns + pace->slice_ns;
    } else if (pace->on && (double)spent_ns > allowed) {
        /* The debt is paid back at the rate at which the program has used CPUs so far. A program
         * that begins with many switches is not punished for long: slices are short from here on.
         */
        double rate = elapsed_ns ? share * (double)base / (double)elapsed_ns : share;
        double slice = (double)SLICE_EVENTS * TAKEN_NS;
        uint64_t off = (uint64_t)(((double)spent_ns - allowed + slice) / rate);
        choose_slice(pace, now_ns, spent_ns);
        turn(pace, false, now_ns, spent_ns);
        pace->sliced = true;
        pace->due_ns = now_ns + scatter(pace, between(off, OFF_MIN_NS, OFF_MAX_NS));
    } else if (pace->on && now_ns >= pace->due_ns) {
        pace->due_ns = UINT64_MAX; /* it was cheaper than thought */
    }
}
