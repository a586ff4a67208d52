#include "analysis/verify/verification.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} checks[] = {
#define CHECK_NAME(name, text) {#name, text},
    CHECKS(CHECK_NAME)
#undef CHECK_NAME
};

const char *verify_check_name(enum verify_check check)
{
    return checks[check].name;
}

const char *verify_check_text(enum verify_check check)
{
    return checks[check].text;
}

void verification_problem(struct verification *verdict, enum verify_check check, const char *format,
                          ...)
{
    bool by_file = check == CHECK_edge || check == CHECK_target || check == CHECK_range ||
                   check == CHECK_node || check == CHECK_call;
    if (verdict->patched && by_file) {
        verdict->skipped++;
        return;
    }
    if (verdict->found[check]++ >= PROBLEMS_SHOWN)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *vec_push(verdict) = (struct problem){check, arena_string(&verdict->arena, text)};
}

void verification_release(struct verification *verdict)
{
    vec_release(verdict);
    arena_release(&verdict->arena);
}

bool verification_good(const struct verification *verdict)
{
    for (int i = 0; i < CHECK_N; i++)
        if (verdict->found[i])
            return false;
    return true;
}
