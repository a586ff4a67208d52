#include "analysis/report/cost.h"

#include "profile/profile.h"

static uint64_t without(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Walking does the program's work, too: only what goes beyond it is overhead. */
struct cost cost_of(const struct totals *totals)
{
    uint64_t cpu = larger(totals->user_ns + totals->kernel_ns,
                          totals->whole_user_ns + totals->whole_kernel_ns);
    uint64_t agent = without(totals->agent_ns, totals->walked_ns);
    uint64_t tool = without(totals->tool_ns, totals->once_ns), alone = without(cpu, agent);
    double percent = alone ? 100 / (double)alone : 0;
    uint64_t rest = without(without(agent, totals->delivery_ns), totals->translate_ns);
    return (struct cost){.known = alone != 0,
                         .alone = (double)alone / 1e9,
                         .agent = (double)agent * percent,
                         .tool = (double)tool * percent,
                         .interrupts = (double)totals->delivery_ns * percent,
                         .copying = (double)totals->translate_ns * percent,
                         .walking = (double)rest * percent,
                         .tool_ms = (double)tool / 1e6,
                         .once_ms = (double)totals->once_ns / 1e6};
}

/* By what interrupts stand for; in files that do not know it, by their number. What was dropped on
 * its way to the tool has no weight there. */
double walked_share(const struct totals *totals)
{
    uint64_t interrupts = totals->interrupts, dropped = totals->losses[LOSS_dropped];
    if (!totals->sampled_xx)
        return (double)totals->windows / (double)interrupts;
    double arrived = interrupts ? 1 - (double)dropped / (double)interrupts : 0;
    return (double)totals->complete_ns / (double)totals->sampled_ns * arrived;
}
