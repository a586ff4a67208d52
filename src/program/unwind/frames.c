#include "program/unwind/frames.h"

#include "base/sort.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_sections.h"

#include <string.h>
#include <sys/syscall.h>

static int frame_order(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Its program changes something before it moves on: what is at the entry of a function is the CIE's
 * to say. Bytes are DWARF's: advances are 0x40 to 0x7f and 0x02 to 0x04. */
static bool begins_inside(const struct unwind_entry *entry)
{
    enum { DEF_CFA = 0x0c, DEF_CFA_REGISTER, DEF_CFA_OFFSET, DEF_CFA_EXPRESSION };
    if (entry->program.at >= entry->program.end)
        return false;
    return *entry->program.at >= DEF_CFA && *entry->program.at <= DEF_CFA_EXPRESSION;
}

/* The way back from signal handlers begins a byte ahead of its code, so that whoever looks up the
 * byte before a return address finds it. That byte is the end of whatever padding lies before:
 * decoded from there, the code is other code. */
static bool begins_ahead(const struct image *image, const struct unwind_entry *entry,
                         const struct unwind_cie *cie)
{
    static const uint8_t wide[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
    static const uint8_t narrow[] = {0xb8, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
    size_t room = 0;
    const uint8_t *bytes =
        cie->signal ? image_bytes(image, (struct svma){entry->start.v + 1}, &room) : NULL;
    if (!bytes || entry->bytes < 2)
        return false;
    return (room >= sizeof wide && memcmp(bytes, wide, sizeof wide) == 0) ||
           (room >= sizeof narrow && memcmp(bytes, narrow, sizeof narrow) == 0);
}

void frames_read(struct frames *frames, const struct image *image)
{
    *frames = (struct frames){0};
    struct unwind_entries entries = {0};
    unwind_entries_read_eh(&entries, image);
    vec_room(frames, entries.n);
    for (size_t i = 0; i < entries.n; i++) {
        const struct unwind_entry *entry = &entries.at[i];
        bool ahead = begins_ahead(image, entry, &entries.cies.at[entry->cie]);
        if (image_executable(image, entry->start))
            *vec_push(frames) =
                (struct frame){entry->start, entry->bytes, !ahead && begins_inside(entry), ahead};
    }
    unwind_entries_release(&entries);
    sort_by_first(frames->at, frames->n, sizeof *frames->at, frame_order);
}

void frames_release(struct frames *frames)
{
    vec_release(frames);
}
