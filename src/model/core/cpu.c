#include "model/core/cpu.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY = 1 << 16 };

/* The first row that fits is the one. Models as their makers publish them; a row for each core, and
 * behind them what is left of a family or a maker. */
static const struct {
    const char *vendor;
    unsigned family, first, last; /* ANY: whichever */
    const char *core;
    enum cpu_nearness nearness;
} table[] = {
    {"GenuineIntel", 6, 143, 143, "golden-cove", CPU_SAME}, /* Sapphire Rapids */
    {"GenuineIntel", 6, 207, 207, "golden-cove", CPU_SAME}, /* Emerald Rapids */
    {"GenuineIntel", 6, 151, 151, "golden-cove", CPU_SAME}, /* Alder Lake, its fast cores */
    {"GenuineIntel", 6, 154, 154, "golden-cove", CPU_SAME},
    {"GenuineIntel", 6, 183, 183, "golden-cove", CPU_SAME}, /* Raptor Lake, likewise */
    {"GenuineIntel", 6, 186, 186, "golden-cove", CPU_SAME},
    {"GenuineIntel", 6, 191, 191, "golden-cove", CPU_SAME},
    {"GenuineIntel", 6, 170, 174, "golden-cove", CPU_NEAREST}, /* Meteor Lake, Granite Rapids */
    {"GenuineIntel", 6, 181, 181, "golden-cove", CPU_NEAREST}, /* Arrow Lake */
    {"GenuineIntel", 6, 189, 189, "golden-cove", CPU_NEAREST}, /* Lunar Lake */
    {"GenuineIntel", 6, 197, 198, "golden-cove", CPU_NEAREST}, /* Arrow Lake */
    {"GenuineIntel", 6, 204, 204, "golden-cove", CPU_NEAREST}, /* Panther Lake */
    {"GenuineIntel", 6, 78, 78, "skylake", CPU_SAME},
    {"GenuineIntel", 6, 94, 94, "skylake", CPU_SAME},
    {"GenuineIntel", 6, 85, 85, "skylake", CPU_SAME},   /* servers, up to Cooper Lake */
    {"GenuineIntel", 6, 142, 142, "skylake", CPU_SAME}, /* Kaby Lake and what came of it */
    {"GenuineIntel", 6, 158, 158, "skylake", CPU_SAME},
    {"GenuineIntel", 6, 165, 166, "skylake", CPU_SAME}, /* Comet Lake */
    {"GenuineIntel", ANY, 0, ANY, "skylake", CPU_NEAREST},
    {"AuthenticAMD", 25, 16, 31, "zen4", CPU_SAME}, /* AMD gives out sixteen models at a time */
    {"AuthenticAMD", 25, 96, 127, "zen4", CPU_SAME},
    {"AuthenticAMD", 25, 160, 175, "zen4", CPU_SAME},
    {"AuthenticAMD", 25, 0, ANY, "zen3", CPU_SAME},
    {"AuthenticAMD", 23, 0, ANY, "zen3", CPU_NEAREST}, /* Zen, Zen 2 */
    {"HygonGenuine", ANY, 0, ANY, "zen3", CPU_NEAREST},
    {"AuthenticAMD", ANY, 0, ANY, "zen4", CPU_NEAREST},
};

const char *cpu_core(const struct cpu *cpu, enum cpu_nearness *ret_nearness)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool family = table[i].family == ANY || table[i].family == cpu->family;
        bool model = cpu->model >= table[i].first && cpu->model <= table[i].last;
        if (!family || !model || strcmp(table[i].vendor, cpu->vendor) != 0)
            continue;
        *ret_nearness = table[i].nearness;
        return table[i].core;
    }
    *ret_nearness = CPU_UNLIKE;
    return "zen3";
}

void cpu_why(const struct cpu *cpu, char *ret_why, size_t room)
{
    static const char *const how[] = {[CPU_SAME] = "the same core",
                                      [CPU_NEAREST] = "an approximation: the nearest that is known",
                                      [CPU_UNLIKE] = "an approximation: nothing like it is known"};
    enum cpu_nearness nearness;
    const char *core = cpu_core(cpu, &nearness);
    snprintf(ret_why, room, "%s (%s), for %s family %u model %u", core, how[nearness],
             cpu->vendor[0] ? cpu->vendor : "unknown", cpu->family, cpu->model);
}

/* ---- as text */

void cpu_text(const struct cpu *cpu, char *text, size_t room)
{
    snprintf(text, room, "%s %u %u%s%s", cpu->vendor[0] ? cpu->vendor : "unknown", cpu->family,
             cpu->model, cpu->name[0] ? " " : "", cpu->name);
}

bool cpu_parse(const char *text, struct cpu *ret_cpu)
{
    struct cpu cpu = {0};
    int end = 0;
    if (sscanf(text, "%12s %u %u%n", cpu.vendor, &cpu.family, &cpu.model, &end) != 3)
        return false;
    if (text[end] && text[end] != ' ')
        return false;
    snprintf(cpu.name, sizeof cpu.name, "%s", text[end] ? text + end + 1 : "");
    *ret_cpu = cpu;
    return true;
}

/* ---- this one */

static void name_read(char *ret_name)
{
    unsigned words[12] = {0};
    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                         &words[4 * i + 3]))
            return;
    char text[sizeof words + 1] = "";
    memcpy(text, words, sizeof words);
    char *from = text + strspn(text, " "), *end = from + strlen(from);
    while (end > from && end[-1] == ' ')
        *--end = 0;
    memcpy(ret_name, from, (size_t)(end - from) + 1);
}

void cpu_here(struct cpu *ret_cpu)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    struct cpu cpu = {0};
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(cpu.vendor, &b, 4);
        memcpy(cpu.vendor + 4, &d, 4);
        memcpy(cpu.vendor + 8, &c, 4);
    }
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        cpu.family = a >> 8 & 15;
        cpu.model = (a >> 4 & 15) | (a >> 16 & 15) << 4;
        if (cpu.family == 15)
            cpu.family += a >> 20 & 255;
    }
    name_read(cpu.name);
    *ret_cpu = cpu;
}
