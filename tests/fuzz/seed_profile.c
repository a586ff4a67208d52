/* seed_profile FOLDER: writes the seeds of the corpus for fuzz_profile: small profiles of each
 * kind, as writers make them, whole and grown by appends. */
#include "../unit/profile/file/some_profile.h"

#include "profile/batch.h"

static void close_batches(struct profile *profile, uint64_t keys)
{
    struct batch batch;
    batch_init(&batch);
    for (int b = 0; b < 3; b++) {
        for (uint64_t i = 0; i < keys; i++) {
            uint32_t module = some_module(profile);
            struct edge_key edge = {module, module, {some_below(keys)}, {i}, EDGE_TAKEN};
            struct range_key range = {.module = module, .start = {i}, .last = {i}};
            batch_add_edge(&batch, &edge, some_number() >> 20, some_number() >> 20);
            batch_add_range(&batch, &range, some_number() >> 20, some_number() >> 20);
        }
        batch_add_window(&batch, some_number() >> 20, some_number() >> 20);
        batch_close(&batch, profile);
    }
    batch_release(&batch);
}

static bool grow(const char *path, struct profile *profile, uint64_t batch_keys, struct err *err)
{
    struct profile_writer *writer;
    if (!profile_writer_open(path, profile, &writer, err))
        return false;
    profile_writer_attach(writer, profile);
    if (batch_keys)
        close_batches(profile, batch_keys);
    bool ok = profile_writer_append(writer, profile, err);
    profile_writer_abandon(writer);
    return ok;
}

static bool seed(const char *folder, int i, struct err *err)
{
    char path[512];
    struct profile profile;
    some_state = (uint64_t)i;
    snprintf(path, sizeof path, "%s/seed-%02d", folder, i);
    enum profile_mode mode = i >= 20   ? PROFILE_PLAIN
                             : i >= 16 ? PROFILE_SAMPLED
                                       : (enum profile_mode)(i % 3);
    some_profile(&profile, mode, i == 12 ? 60 : i >= 16 ? 0 : (uint64_t)i / 2);
    if (i >= 20)
        some_plain(&profile, (uint64_t)i - 19);
    bool ok;
    if (i >= 20 ? i % 2 : i >= 16 || i % 4 == 3)
        ok = grow(path, &profile, i >= 16 && i < 20 ? (uint64_t)i - 15 : 0, err);
    else
        ok = profile_write(path, &profile, err);
    profile_release(&profile);
    return ok;
}

int main(int argc, char **argv)
{
    struct err err;
    if (argc != 2) {
        fputs("usage: seed_profile FOLDER\n", stderr);
        return 129;
    }
    for (int i = 0; i < 24; i++)
        if (!seed(argv[1], i, &err)) {
            fprintf(stderr, "seed_profile: %s\n", err.text);
            return 1;
        }
    return 0;
}
