#include "python/frames.h"

enum {
    OBJECT_TYPE = 8,   /* ob_type of a PyObject */
    OWNER_C_STACK = 3, /* FRAME_OWNED_BY_CSTACK: where a loop began; runs nothing */
    INTERPRETERS_MAX = 64,
    THREADS_MAX = 4096,
};

bool python_begin(struct python *python, const struct python_memory *memory)
{
    if (!python->runtime)
        return false;
    if (!python->known)
        python->known =
            python_layout_read(&python->layout, python->version, python->runtime, memory);
    return python->known;
}

/* ---- threads */

bool python_thread_is(const struct python *python, const struct python_memory *memory,
                      uint64_t thread, enum python_id by, uint64_t id)
{
    const struct python_layout *layout = &python->layout;
    return thread && id &&
           python_word(memory, thread + (by == PYTHON_BY_TID ? layout->native_id
                                                             : layout->thread_id)) == id;
}

uint64_t python_thread(const struct python *python, const struct python_memory *memory,
                       enum python_id by, uint64_t id)
{
    const struct python_layout *layout = &python->layout;
    uint64_t interpreter = python_word(memory, python->runtime + layout->interpreters);
    uint32_t threads = 0;
    for (uint32_t i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
        uint64_t thread = python_word(memory, interpreter + layout->threads);
        for (; thread && threads < THREADS_MAX; threads++) {
            if (python_thread_is(python, memory, thread, by, id))
                return thread;
            thread = python_word(memory, thread + layout->thread_next);
        }
        interpreter = python_word(memory, interpreter + layout->next);
    }
    return 0;
}

/* ---- frames */

static uint64_t word_at(const uint8_t *bytes, uint32_t at)
{
    uint64_t word;
    __builtin_memcpy(&word, bytes + at, sizeof word);
    return word;
}

/* False: it is no code object. */
static bool code_check(const struct python *python, const struct python_memory *memory,
                       uint64_t code, uint32_t *ret_print)
{
    const struct python_layout *layout = &python->layout;
    uint8_t bytes[PYTHON_CODE_BYTES];
    if (!code || code % 8 || !python_read(memory, code, bytes, layout->code_bytes) ||
        word_at(bytes, OBJECT_TYPE) != python->code_type)
        return false;
    uint64_t print = word_at(bytes, layout->name) * UINT64_C(0x9e3779b97f4a7c15) +
                     word_at(bytes, layout->lines) * UINT64_C(0xc2b2ae3d27d4eb4f) +
                     word_at(bytes, layout->file) * 31;
    *ret_print = (uint32_t)(print >> 32 ^ print);
    return true;
}

struct reading {
    const struct python *python;
    const struct python_memory *memory;
    struct python_frame *to;
    uint32_t n;
    uint64_t at, cframe; /* the next frame, and the loop that runs it */
};

static bool frame_read(struct reading *reading)
{
    const struct python_layout *layout = &reading->python->layout;
    uint8_t bytes[PYTHON_FRAME_BYTES];
    if (reading->at % 8 || !python_read(reading->memory, reading->at, bytes, layout->frame_bytes))
        return false;
    uint64_t before = word_at(bytes, layout->previous);
    if (!layout->entry && bytes[layout->owner] == OWNER_C_STACK) {
        if (reading->n)
            reading->to[reading->n - 1].entered = reading->at;
        reading->at = before;
        return true;
    }
    struct python_frame *frame = &reading->to[reading->n];
    *frame = (struct python_frame){.code = word_at(bytes, layout->code), .at = PYTHON_NOWHERE};
    if (!code_check(reading->python, reading->memory, frame->code, &frame->print))
        return false;
    uint64_t offset = word_at(bytes, layout->instruction) - (frame->code + layout->instructions);
    if (offset < PYTHON_NOWHERE)
        frame->at = (uint32_t)offset;
    if (layout->entry && bytes[layout->entry]) {
        frame->entered = reading->cframe;
        reading->cframe = python_word(reading->memory, reading->cframe + layout->cframe_previous);
    }
    reading->n++;
    reading->at = before;
    return true;
}

uint32_t python_frames(const struct python *python, const struct python_memory *memory,
                       uint64_t thread, struct python_frame *to, uint32_t room, bool *ret_whole)
{
    const struct python_layout *layout = &python->layout;
    struct reading reading = {
        python, memory, to, 0, python_word(memory, thread + layout->thread_frame), 0};
    if (layout->cframes) {
        reading.cframe = reading.at;
        reading.at = python_word(memory, reading.cframe + layout->cframe_frame);
    }
    /* Frames of loops are no frames of functions: a few of each. */
    uint32_t steps = 0;
    while (reading.at && reading.n < room && steps++ < 2 * room && frame_read(&reading))
        continue;
    *ret_whole = !reading.at;
    return reading.n;
}
