#include "python/layout.h"

#define VERSION_3_11 0x030bu
#define VERSION_3_12 0x030cu
#define VERSION_3_13 0x030du

static void layout_3_11(struct python_layout *layout)
{
    *layout = (struct python_layout){
        .interpreters = 40,
        .threads = 16,
        .thread_next = 8,
        .thread_id = 152,
        .native_id = 160,
        .thread_frame = 56,
        .cframes = true,
        .cframe_frame = 8,
        .cframe_previous = 16,
        .previous = 48,
        .code = 32,
        .instruction = 56,
        .owner = 69,
        .entry = 68,
        .first_line = 72,
        .file = 112,
        .name = 128,
        .lines = 136,
        .instructions = 184,
        .ascii_bytes = 48,
        .compact_bytes = 72,
    };
}

static void layout_3_12(struct python_layout *layout)
{
    *layout = (struct python_layout){
        .interpreters = 40,
        .threads = 72,
        .thread_next = 8,
        .thread_id = 136,
        .native_id = 144,
        .thread_frame = 56,
        .cframes = true,
        .cframe_frame = 0,
        .cframe_previous = 8,
        .previous = 8,
        .instruction = 56,
        .owner = 70,
        .first_line = 68,
        .file = 112,
        .name = 128,
        .lines = 136,
        .instructions = 192,
        .ascii_bytes = 40,
        .compact_bytes = 56,
    };
}

/* Words of _Py_DebugOffsets of 3.13, after its cookie. */
enum {
    SAYS_VERSION,
    SAYS_FREE_THREADED,
    SAYS_INTERPRETERS = 4,
    SAYS_NEXT = 7,
    SAYS_THREADS = 8,
    SAYS_THREAD_NEXT = 20,
    SAYS_FRAME = 22,
    SAYS_THREAD_ID,
    SAYS_NATIVE_ID,
    SAYS_PREVIOUS = 28,
    SAYS_CODE,
    SAYS_INSTRUCTION,
    SAYS_OWNER = 32,
    SAYS_FILE = 34,
    SAYS_QUALNAME = 36,
    SAYS_LINES,
    SAYS_FIRST_LINE,
    SAYS_INSTRUCTIONS = 42,
    SAYS_N
};

static bool layout_3_13(struct python_layout *layout, uint64_t runtime,
                        const struct python_memory *memory)
{
    enum { OFFSET_MAX = 1 << 20 };
    const uint64_t cookie = 0x7970677562656478; /* "xdebugpy" */
    uint64_t says[SAYS_N];
    if (python_word(memory, runtime) != cookie ||
        !python_read(memory, runtime + sizeof cookie, says, sizeof says))
        return false;
    for (uint32_t i = SAYS_INTERPRETERS; i < SAYS_N; i++)
        if (says[i] >= OFFSET_MAX)
            return false;
    *layout = (struct python_layout){
        .interpreters = (uint32_t)says[SAYS_INTERPRETERS],
        .next = (uint32_t)says[SAYS_NEXT],
        .threads = (uint32_t)says[SAYS_THREADS],
        .thread_next = (uint32_t)says[SAYS_THREAD_NEXT],
        .thread_id = (uint32_t)says[SAYS_THREAD_ID],
        .native_id = (uint32_t)says[SAYS_NATIVE_ID],
        .thread_frame = (uint32_t)says[SAYS_FRAME],
        .previous = (uint32_t)says[SAYS_PREVIOUS],
        .code = (uint32_t)says[SAYS_CODE],
        .instruction = (uint32_t)says[SAYS_INSTRUCTION],
        .owner = (uint32_t)says[SAYS_OWNER],
        .file = (uint32_t)says[SAYS_FILE],
        .name = (uint32_t)says[SAYS_QUALNAME],
        .lines = (uint32_t)says[SAYS_LINES],
        .first_line = (uint32_t)says[SAYS_FIRST_LINE],
        .instructions = (uint32_t)says[SAYS_INSTRUCTIONS],
        .ascii_bytes = 40,
        .compact_bytes = 56,
    };
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

bool python_layout_read(struct python_layout *layout, uint64_t version, uint64_t runtime,
                        const struct python_memory *memory)
{
    switch (version >> 16) {
    case VERSION_3_11: layout_3_11(layout); break;
    case VERSION_3_12: layout_3_12(layout); break;
    case VERSION_3_13:
        if (!layout_3_13(layout, runtime, memory))
            return false;
        break;
    default: return false;
    }
    layout->frame_bytes =
        larger(larger(layout->owner + 1, layout->entry + 1),
               larger(larger(layout->instruction, layout->previous), layout->code) + 8);
    layout->code_bytes = larger(larger(larger(layout->file, layout->name), layout->lines) + 8,
                                layout->first_line + 4);
    return layout->frame_bytes <= PYTHON_FRAME_BYTES && layout->code_bytes <= PYTHON_CODE_BYTES;
}
