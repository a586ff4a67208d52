#include "cmd/record/summary_parts.h"

#include "base/memory.h"
#include "cmd/cmd.h"
#include "collect/stacks/stack.h"
#include "base/quote.h"
#include "profile/profile.h"
#include "view/head.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

const char *summary_grouped(uint64_t n, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

void summary_too_short(const struct totals *totals, uint32_t asked_hz)
{
    enum { ENOUGH = 20, HZ_MIN = 100, HZ_MAX = 10000 };
    double cpu = summary_seconds(totals->user_ns + totals->kernel_ns);
    double hz = cpu > 0 ? ENOUGH / cpu : HZ_MAX;
    hz = hz < HZ_MIN ? HZ_MIN : hz > HZ_MAX ? HZ_MAX : hz;
    char ask[48] = "";
    if (totals->interrupts)
        return;
    if (totals->losses[LOSS_no_agent]) {
        say("no sample: %s; gait record --plain includes it", loss_text(LOSS_no_agent));
        return;
    }
    if (asked_hz < hz)
        snprintf(ask, sizeof ask, "-F %.0f takes more, ", hz);
    say("no sample: the program took only %.1f ms of CPU time. %s--exact=counts needs no samples",
        1e3 * cpu, ask);
}

void summary_losses(const struct totals *totals, bool verbose)
{
    char number[32];
    for (int i = 0; i < LOSS_N; i++)
        if (totals->losses[i] && (verbose || loss_matters(totals, (enum loss)i)) &&
            (i != LOSS_no_agent || totals->instructions))
            say("lost: %s x %s", summary_grouped(totals->losses[i], number),
                loss_text((enum loss)i));
}

void summary_file(const char *output, uint64_t bytes, const char *view)
{
    struct arena arena = {0};
    bool named = strcmp(output, "gait.data") != 0;
    say("wrote %s, %llu KiB; next: gait %s%s%s", output, ((unsigned long long)bytes + 1023) >> 10,
        view, named ? " " : "", named ? quote_word(&arena, output) : "");
    arena_release(&arena);
}

void summary_stacks(const uint64_t *ends)
{
    uint64_t all = 0;
    for (int i = 0; i < STACK_N_ENDS; i++)
        all += ends[i];
    if (all)
        say("complete stacks (up to the start of the thread): %.2f %%",
            100 * (double)ends[STACK_OUTERMOST] / (double)all);
}

void summary_stacks_more(const uint64_t *ends, const uint64_t *fallbacks)
{
    for (int i = 0; i < STACK_N_ENDS; i++)
        if (ends[i])
            say("%llu stacks %s", (unsigned long long)ends[i], stack_end_text[i]);
    for (int i = 0; i < STACK_N_FALLBACKS; i++)
        if (fallbacks[i])
            say("%llu times %s", (unsigned long long)fallbacks[i], stack_fallback_text[i]);
}

void summary_usage(const struct rusage *usage)
{
    char minor[32], major[32], voluntary[32], involuntary[32], memory[32];
    say("%s minor and %s major faults; %s voluntary and %s involuntary context switches; %s KiB of "
        "memory at most",
        summary_grouped((uint64_t)usage->ru_minflt, minor),
        summary_grouped((uint64_t)usage->ru_majflt, major),
        summary_grouped((uint64_t)usage->ru_nvcsw, voluntary),
        summary_grouped((uint64_t)usage->ru_nivcsw, involuntary),
        summary_grouped((uint64_t)usage->ru_maxrss, memory));
}
