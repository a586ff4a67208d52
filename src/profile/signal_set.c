#include "profile/signal_set.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIGNALS = 64, NAMED = 32, KILLS = 9, STOPS = 19 };

static const char *const names[NAMED] = {
    "",     "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"};

/* False: it has no room. */
static bool word_add(char *text, size_t bytes, const char *word)
{
    enum { DOTS = sizeof " ..." };
    size_t length = strlen(text);
    if (length + 1 + strlen(word) + DOTS > bytes)
        return false;
    snprintf(text + length, bytes - length, "%s%s", length ? " " : "", word);
    return true;
}

void signal_set_text(uint64_t set, char *text, size_t bytes)
{
    const uint64_t never = UINT64_C(1) << (KILLS - 1) | UINT64_C(1) << (STOPS - 1);
    char number[8];
    text[0] = 0;
    if (!set || (set | never) == UINT64_MAX) {
        snprintf(text, bytes, set ? "all" : "none");
        return;
    }
    for (int i = 1; i <= SIGNALS; i++) {
        snprintf(number, sizeof number, "%d", i);
        if (set >> (i - 1) & 1 && !word_add(text, bytes, i < NAMED ? names[i] : number)) {
            strcat(text, " ...");
            return;
        }
    }
}
