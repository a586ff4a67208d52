#include "core/native.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum { AMD_ZEN_1_2 = 0x17, AMD_ZEN_3_4 = 0x19 };

/* Of family 19h, by what AMD gives out models in: sixteen at a time. */
static const char *zen_of(unsigned model)
{
    switch (model >> 4) {
    case 0x1:
    case 0x6:
    case 0x7:
    case 0xa: return "zen4";
    default: return "zen3";
    }
}

const char *native_core_of(const char *vendor, unsigned family, unsigned model,
                           const char **ret_how)
{
    *ret_how = "the same core";
    if (strcmp(vendor, "AuthenticAMD") == 0 && family == AMD_ZEN_3_4)
        return zen_of(model);
    *ret_how = "the nearest that is known";
    if (strcmp(vendor, "AuthenticAMD") == 0)
        return family == AMD_ZEN_1_2 ? "zen3" : "zen4";
    if (strcmp(vendor, "GenuineIntel") == 0)
        return "skylake";
    *ret_how = "nothing like it is known";
    return "zen3";
}

const char *native_core(char *ret_why, size_t room)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    char vendor[13] = "";
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(vendor, &b, 4);
        memcpy(vendor + 4, &d, 4);
        memcpy(vendor + 8, &c, 4);
    }
    unsigned family = 0, model = 0;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        family = a >> 8 & 15;
        model = (a >> 4 & 15) | (a >> 16 & 15) << 4;
        if (family == 15)
            family += a >> 20 & 255;
    }
    const char *how, *name = native_core_of(vendor, family, model, &how);
    snprintf(ret_why, room, "%s (%s): this is %s, family %u, model %u", name, how,
             vendor[0] ? vendor : "unknown", family, model);
    return name;
}
