/* Where CPython keeps its threads, frames and code objects: offsets of one build, in bytes.
 *
 * 3.11 and 3.12 are tables, taken from their headers; releases of one minor version do not change
 * them. From 3.13 on the interpreter says itself (_Py_DebugOffsets, at the start of _PyRuntime). */
#pragma once

#include "python/memory.h"

enum { PYTHON_FRAME_BYTES = 96, PYTHON_CODE_BYTES = 192 };

struct python_layout {
    uint32_t interpreters;           /* of _PyRuntime: the first interpreter */
    uint32_t next, threads;          /* of an interpreter: the next one; its first thread */
    uint32_t thread_next, thread_id; /* of a thread; the id is pthread_self() */
    uint32_t native_id;              /* its tid */
    uint32_t thread_frame;           /* its innermost frame, or with cframes: its _PyCFrame */
    bool cframes;                    /* each loop has a _PyCFrame, on the C stack */
    uint32_t cframe_frame, cframe_previous;
    uint32_t previous, code, instruction, owner; /* of a frame */
    uint32_t entry; /* one byte: whether a loop began with the frame; 0: such a loop has a frame
                       of its own, outside, on the C stack */
    uint32_t frame_bytes;                                 /* as far as fields are needed */
    uint32_t first_line, file, name, lines, instructions; /* of a code object */
    uint32_t code_bytes;
    uint32_t ascii_bytes, compact_bytes; /* headers of strings */
};

/* version: as Py_Version has it (0x030b07f0). False: not one of these. */
bool python_layout_read(struct python_layout *ret, uint64_t version, uint64_t runtime,
                        const struct python_memory *memory);
