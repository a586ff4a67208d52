#include "collect/channel/figures.h"

#include "collect/channel/share.h"

__extension__ typedef unsigned __int128 u128;

static const uint64_t SECOND_NS = 1000000000, COUNT_SLACK_NS = 1000000000, TIME_SLACK_NS = 10000000;
/* Interrupts, threads, forks: a microsecond each at least. Exact runs count in their code. */
static const uint64_t SAMPLED_PER_SECOND = 1000000, EXACT_PER_SECOND = 10000000000;
static const uint64_t TSC_HZ_MIN = 100000000, TSC_HZ_MAX = 20000000000;

uint64_t figures_count(uint64_t count, uint64_t passed_ns, bool sampled, uint64_t *refused)
{
    uint64_t each = sampled ? SAMPLED_PER_SECOND : EXACT_PER_SECOND;
    if ((u128)count * SECOND_NS <= ((u128)passed_ns + COUNT_SLACK_NS) * each)
        return count;
    *refused += 1;
    return 0;
}

static uint64_t time_read(const uint64_t *word, uint64_t hz, uint64_t passed_ns, uint64_t *refused)
{
    u128 ns = hz ? (u128)share_load(word) * SECOND_NS / hz : 0;
    if (ns <= (u128)passed_ns + TIME_SLACK_NS)
        return (uint64_t)ns;
    *refused += 1;
    return 0;
}

static bool counted_by_tool(enum loss loss)
{
    switch (loss) {
    case LOSS_at_writable:
    case LOSS_signal_native:
    case LOSS_no_channel:
    case LOSS_unmapped:
    case LOSS_killed:
    case LOSS_sample_lost:
    case LOSS_stack_truncated:
    case LOSS_stack_no_rule:
    case LOSS_stack_astray:
    case LOSS_throttled:
    case LOSS_unfollowed:
    case LOSS_stack_gone:
    case LOSS_unsampled:
    case LOSS_unsampled_us:
    case LOSS_jit_reused:
    case LOSS_astray:
    case LOSS_path_wrong:
    case LOSS_context_lost:
    case LOSS_uncounted:
    case LOSS_conflicts_crowded:
    case LOSS_conflicts_unread:
    case LOSS_waste_crowded:
    case LOSS_waste_unread:
    case LOSS_module_silent:
    case LOSS_module_full:
    case LOSS_path_begun:
    case LOSS_unread:
    case LOSS_path_large:
    case LOSS_fact_lost: return true;
    default: return false;
    }
}

uint64_t figures_loss(enum loss loss, uint64_t count, uint64_t passed_ns, bool sampled,
                      uint64_t *refused)
{
    if (!count || !counted_by_tool(loss))
        return figures_count(count, passed_ns, sampled, refused);
    *refused += 1;
    return 0;
}

void figures_read(const struct channel *channel, uint64_t passed_ns, bool sampled,
                  struct figures *ret)
{
    uint64_t hz = share_load(&channel->tsc_hz);
    *ret = (struct figures){0};
    if (hz && (hz < TSC_HZ_MIN || hz > TSC_HZ_MAX)) {
        ret->refused++;
        hz = 0;
    }
    ret->interrupts =
        figures_count(share_load(&channel->interrupts), passed_ns, true, &ret->refused);
    ret->delivery_ns = time_read(&channel->interrupt_ticks, hz, passed_ns, &ret->refused);
    ret->handler_ns = time_read(&channel->handler_ticks, hz, passed_ns, &ret->refused);
    ret->translate_ns = time_read(&channel->translate_ticks, hz, passed_ns, &ret->refused);
    for (int i = 0; i < LOSS_N; i++)
        ret->losses[i] = figures_loss((enum loss)i, share_load(&channel->losses[i]), passed_ns,
                                      sampled, &ret->refused);
}
