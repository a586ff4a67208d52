/* Kinds of values beside those of payloads (wire/payload.h).
 *
 * For a customisation module, facts "module_text" say how to print each value: its number in
 * hexadecimal, a space, the text. The others belong to a straight run, by its first instruction,
 * except VALUE_OF_LINE, which belongs to a load. A process has rows of threads, CPUs or nodes only
 * if it had more than one; else a fact "one_thread", "one_cpu" or "one_node" has the process and
 * the number. */
#pragma once

enum {
    VALUE_OF_MODULE = 0x80, /* made by a customisation module */
    VALUE_OF_THREAD,        /* that ran it */
    VALUE_OF_CPU,           /* that it ran on */
    VALUE_OF_NODE,          /* NUMA node of that CPU */
    VALUE_OF_LOCK,          /* address of the held lock; 0: none */
    VALUE_OF_LINE,          /* address of a loaded cache line, enum latency_bin in its low bits */
};
