/* Kinds of the table of values beside those of payloads (wire/payload.h).
 *
 * Of a module: how each value is shown stands in facts "module_text": its number in hexadecimal, a
 * space, and the text. The others are of a straight run of code, by its first instruction, but for
 * VALUE_OF_LINE, which is of a load. Of threads, CPUs and nodes a process has rows only if it was
 * seen with two: else a fact "one_thread", "one_cpu" or "one_node" has the process and the number.
 */
#pragma once

enum {
    VALUE_OF_MODULE = 0x80, /* that a customisation module made */
    VALUE_OF_THREAD,        /* that ran it */
    VALUE_OF_CPU,           /* that it ran on */
    VALUE_OF_NODE,          /* of memory, whose CPU that is */
    VALUE_OF_LOCK,          /* address of what was held; 0: nothing */
    VALUE_OF_LINE, /* address of a cache line that was loaded from, and enum latency_bin in its low
                      bits */
};
