/* A processor as CPUID describes it, and which of the cores that gait knows is most like it: one
 * table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cpu {
    char vendor[13]; /* "": not known */
    unsigned family, model;
    char name[49]; /* as it calls itself, without blanks at its ends */
};

/* That this runs on. */
void cpu_here(struct cpu *ret_cpu);
/* "VENDOR FAMILY MODEL NAME", as a profile keeps it; and back. False: it is not that. */
void cpu_text(const struct cpu *cpu, char *text, size_t room);
bool cpu_parse(const char *text, struct cpu *ret_cpu);

/* How near the core that is taken is to the processor's own. */
enum cpu_nearness {
    CPU_SAME,    /* it is that core */
    CPU_NEAREST, /* another one of the same maker: times are an approximation */
    CPU_UNLIKE,  /* nothing like it is known */
};

/* Name of the core. */
const char *cpu_core(const struct cpu *cpu, enum cpu_nearness *ret_nearness);
/* A sentence on that: which core, how near it is, and what processor it stands for. */
void cpu_why(const struct cpu *cpu, char *ret_why, size_t room);
