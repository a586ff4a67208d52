/* Python frames of an interrupted thread, as they are sent with its sample. */
#pragma once

#include "python/code.h"

enum { PYTHON_SENT = 256 };

struct python_copy {
    uint64_t state; /* its PyThreadState, if it still is one; 0: none is known */
    uint32_t skips; /* samples for which a thread that has none is not searched again */
    /* Code objects whose texts the tool has, of this process (a fork has another channel). */
    struct {
        uint64_t code;
        uint32_t print;
        int32_t pid;
    } sent[PYTHON_SENT];
    struct python_frame frames[PYTHON_FRAMES_MAX];
    _Alignas(8) uint8_t text[PYTHON_CODE_ROOM];
};
