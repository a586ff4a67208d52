/* Kinds of values beside those of payloads (wire/payload.h).
 *
 * For a customisation module, facts "module_text" say how to print each value: its number in
 * hexadecimal, a space, the text. The others belong to a straight run, by its first instruction,
 * except VALUE_OF_LINE, which belongs to a load, and VALUE_OF_PAGE, to an access. A process has
 * rows of threads, CPUs, nodes, users or sets of signals only if it had more than one; else a fact
 * "one_thread", "one_cpu", "one_node", "one_user", "one_signal" or "one_pending" has the process
 * and the value.
 *
 * Readers that do not know VALUE_LATER refuse such rows: they would take them for addresses. */
#pragma once

enum {
    VALUE_OF_MODULE = 0x80, /* made by a customisation module */
    VALUE_OF_THREAD,        /* that ran it */
    VALUE_OF_CPU,           /* that it ran on */
    VALUE_OF_NODE,          /* NUMA node of that CPU */
    VALUE_OF_LOCK,          /* address of the held lock; 0: none */
    VALUE_OF_LINE,          /* address of a loaded cache line, enum latency_bin in its low bits */
    VALUE_LATER = 1 << 19,  /* no kind: a bit of those that follow, and of PAYLOAD_SYSCALL */
    VALUE_OF_USER = 0x86 | VALUE_LATER, /* effective user */
    VALUE_OF_SIGNAL,                    /* blocked signals, as a set: bit N - 1 is signal N */
    VALUE_OF_PENDING,                   /* blocked signals that wait, the same */
    VALUE_OF_PAGE,                      /* physical address of the page that is accessed */
};
