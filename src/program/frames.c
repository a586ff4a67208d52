#include "program/frames.h"

#include "program/image.h"
#include "program/unwind_entries.h"
#include "program/unwind_sections.h"

#include <stdlib.h>

static int frame_order(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Its program changes something before it moves on: what is at the entry of a function is the CIE's to say. Bytes are DWARF's: advances are 0x40 to 0x7f
 * and 0x02 to 0x04. */
static bool begins_inside(const struct unwind_entry *entry)
{
    enum { DEF_CFA = 0x0c, DEF_CFA_REGISTER, DEF_CFA_OFFSET, DEF_CFA_EXPRESSION };
    if (entry->program.at >= entry->program.end)
        return false;
    return *entry->program.at >= DEF_CFA && *entry->program.at <= DEF_CFA_EXPRESSION;
}

void frames_read(struct frames *frames, const struct image *image)
{
    *frames = (struct frames){0};
    struct unwind_entries entries = {0};
    unwind_entries_read_eh(&entries, image);
    for (size_t i = 0; i < entries.n; i++)
        if (image_executable(image, entries.at[i].start))
            *vec_push(frames) = (struct frame){entries.at[i].start, entries.at[i].bytes,
                                               begins_inside(&entries.at[i])};
    unwind_entries_release(&entries);
    if (frames->n)
        qsort(frames->at, frames->n, sizeof *frames->at, frame_order);
}

void frames_release(struct frames *frames)
{
    vec_release(frames);
}
