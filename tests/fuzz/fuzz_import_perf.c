/* Any bytes as a file of perf: read without harm. What was read is a profile that can be written
 * and read again. */
#include "import/perf_data.h"

#include "base/err.h"
#include "profile/file/encode.h"
#include "profile/file/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void record_ignore(void *closure, uint64_t offset, const char *origin)
{
    (void)closure, (void)offset, (void)origin;
}

static void part_ignore(void *closure, const char *name, uint64_t value)
{
    (void)closure, (void)name, (void)value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile profile, again;
    struct err err;
    struct perf_listener listener = {record_ignore, {part_ignore, NULL}};
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    if (perf_data_import(&profile, data, size, NULL, &err)) {
        struct encoder encoder = {0};
        profile.complete = true;
        encode_whole(&encoder, &profile, NULL);
        ASSERT(profile_read_bytes("again", encoder.out.at, encoder.out.n, &again, &err));
        ASSERT(again.samples.n == profile.samples.n);
        ASSERT(again.totals.interrupts == profile.totals.interrupts);
        profile_release(&again);
        encoder_release(&encoder);
    }
    profile_release(&profile);
    perf_data_tell(data, size, &listener, &err);
    return 0;
}
