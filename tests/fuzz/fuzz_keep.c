/* Reads any bytes as what a profile kept of a module, and asks about it what views ask. The input
 * is parts: kind (1 byte), address (8), length (2), bytes. */
#include "base/cursor.h"
#include "base/err.h"
#include "keep/kept_image.h"
#include "keep/sources.h"
#include "paths/arrivals.h"
#include "profile/profile.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"
#include "program/source.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void input_read(struct profile *profile, const uint8_t *data, size_t size)
{
    struct cursor cursor = {.at = data, .end = data + size};
    while (cursor_room(&cursor) >= 11) {
        struct kept_part part = {.kind = cursor_u8(&cursor), .at = cursor_u64(&cursor)};
        size_t n = (size_t)cursor_uint(&cursor, 2);
        part.n = n < cursor_room(&cursor) ? n : cursor_room(&cursor);
        part.bytes = cursor.at;
        cursor.at += part.n;
        kept_add(&profile->kept, &profile->arena, &part);
    }
    kept_sort(&profile->kept);
}

static void ask(struct binary *binary)
{
    enum { FUNCTIONS = 16, ROOM = 8 };
    struct source_frame frames[ROOM];
    struct path_arrivals arrivals;
    for (function_id f = 0; f < binary->symbols.functions.n && f < FUNCTIONS; f++) {
        struct svma start = binary->symbols.functions.at[f].start;
        const struct code_range *range =
            &binary->symbols.ranges.at[binary->symbols.functions.at[f].first_range];
        struct cfg cfg;
        source_frames(binary, start, frames, ROOM);
        if (range->bytes < 4096) {
            cfg_build(&cfg, &binary->image, &binary->symbols, f, NULL, 0);
            cfg_release(&cfg);
        }
    }
    if (image_code_bytes(&binary->image) < 1 << 20) {
        path_arrivals_find(&arrivals, &binary->image, &binary->symbols);
        vec_release(&arrivals);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile profile;
    struct image image;
    struct binary binary;
    struct err err;
    size_t n;
    profile_init(&profile);
    profile_module(&profile, "/a", NULL, 0);
    input_read(&profile, data, size);
    source_kept(&profile, "/a.c", &n);
    for (int own = 0; own < 2; own++)
        if (kept_image_there(&profile, 0) &&
            kept_image_open(&image, &profile, 0, own, NULL, &err)) {
            binary_open_image(&binary, image);
            ask(&binary);
            binary_close(&binary);
        }
    profile_release(&profile);
    return 0;
}
