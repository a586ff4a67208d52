/* The Python frames of a thread, innermost first.
 *
 * The thread must not run meanwhile, or the frames may be of different moments. Whatever is read is
 * checked: a frame whose code is no code object ends the list. */
#pragma once

#include "python/layout.h"
#include "wire/python.h"

struct python {
    uint64_t runtime, code_type; /* avma of _PyRuntime and PyCode_Type; 0: no Python here */
    uint64_t version;            /* Py_Version */
    struct python_layout layout;
    bool known; /* the layout is; else it was not read yet, or the version is none of ours */
};

/* Reads the layout if there is one and it was not read before. False: there is none. */
bool python_begin(struct python *python, const struct python_memory *memory);

enum python_id { PYTHON_BY_PTHREAD, PYTHON_BY_TID };
/* The PyThreadState of a thread; 0: it has none. */
uint64_t python_thread(const struct python *python, const struct python_memory *memory,
                       enum python_id by, uint64_t id);
/* Whether it is still that thread's. */
bool python_thread_is(const struct python *python, const struct python_memory *memory,
                      uint64_t thread, enum python_id by, uint64_t id);

/* Returns how many frames were read. *ret_whole: these are all. */
uint32_t python_frames(const struct python *python, const struct python_memory *memory,
                       uint64_t thread, struct python_frame *to, uint32_t room, bool *ret_whole);
