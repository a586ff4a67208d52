/* Where time goes: the place that a sample interrupted, in its calling context if that is known,
 * gets the CPU time that the sample stands for. */
#pragma once

#include "collect/stacks/python_stack.h"
#include "collect/stacks/stack_past.h"
#include "process/recording_session.h"

struct mappings;

struct interrupts {
    const struct recording_session *session;
    struct mappings *mappings;
    struct stack_past past;
    struct python_codes python;
    uint32_t samples;  /* so far */
    uint64_t unmapped; /* outside every module */
};

struct interrupt {
    const struct stack *stack; /* NULL: not known; good until the next */
    uint64_t stack_begin;      /* where the thread's stack begins; 0: not known */
};

void interrupts_init(struct interrupts *interrupts, const struct recording_session *session,
                     struct mappings *mappings);
void interrupts_release(struct interrupts *interrupts);
/* What a Python code object is. False: it makes no sense. */
bool interrupts_python(struct interrupts *interrupts, const struct event_python *event,
                       uint32_t bytes);
/* The moment of a tick of the clock, in Unix time; until its speed is known, now: walks are read
 * soon. */
uint64_t interrupts_unix(uint64_t tsc, uint64_t tsc_hz);
/* `stack`: NULL if none was copied. tsc_hz: 0 if not known. */
struct interrupt interrupts_add(struct interrupts *interrupts, const struct event_walk *walk,
                                const struct stack_sample *stack, uint64_t weight_ns,
                                uint64_t tsc_hz);
