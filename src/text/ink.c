#include "text/ink.h"

const char *ink_begin(const struct ink *ink, enum ink_tone tone)
{
    static const char *const codes[] = {
        [INK_PLAIN] = "",          [INK_HEAD] = "\033[1m", [INK_HOT] = "\033[1;31m",
        [INK_WARM] = "\033[33m",   [INK_COLD] = "\033[2m", [INK_NAME] = "\033[36m",
        [INK_SOURCE] = "\033[32m",
    };
    return ink->on ? codes[tone] : "";
}

const char *ink_end(const struct ink *ink, enum ink_tone tone)
{
    return ink->on && tone != INK_PLAIN ? "\033[0m" : "";
}

enum ink_tone ink_of_share(double share)
{
    if (share >= 0.1)
        return INK_HOT;
    if (share >= 0.02)
        return INK_WARM;
    return share < 0.005 ? INK_COLD : INK_PLAIN;
}
