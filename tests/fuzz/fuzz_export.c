/* Reads any bytes as a profile and exports it in every format: whatever a profile claims, exporting
 * it ends, and does no harm. Modules that exist are looked at, so that addresses in them are asked
 * for too. */
#include "base/err.h"
#include "export/export.h"
#include "profile/file/file.h"

#include "mend.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_all(const struct profile *profile)
{
    struct err err;
    struct export_options options = {.weight = profile->mode == PROFILE_EXACT ? WEIGHT_COUNT
                                                                              : WEIGHT_TIME,
                                     .inlined = profile->stacks.nodes.n % 2};
    for (size_t i = 0; i < exporters_n; i++) {
        char *text = NULL;
        size_t n = 0;
        FILE *to = open_memstream(&text, &n);
        ASSERT(to);
        bool ok = export_profile(to, &exporters[i], profile, &options, &err);
        /* What is empty is not written; formats of code need binaries. */
        ASSERT(ok || exporters[i].source != EXPORT_TREE || err.kind == ERR_MISSING);
        ASSERT(fclose(to) == 0);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct profile profile;
    uint8_t *mended = mem_alloc(size);
    if (size)
        memcpy(mended, data, size);
    profile_mend(mended, size);
    if (profile_read_bytes("input", mended, size, &profile, &err)) {
        export_all(&profile);
        profile_release(&profile);
    }
    mem_free(mended);
    return 0;
}
