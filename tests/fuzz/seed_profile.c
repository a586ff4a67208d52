/* seed_profile FOLDER: writes the seeds of the corpus for fuzz_profile: small profiles of each kind,
 * as writers make them, whole and grown by appends. */
#include "../unit/profile/some_profile.h"

static bool seed(const char *folder, int i, struct err *err)
{
    char path[512];
    struct profile profile;
    struct profile_writer *writer;
    some_state = (uint64_t)i;
    snprintf(path, sizeof path, "%s/seed-%02d", folder, i);
    some_profile(&profile, (enum profile_mode)(i % 3), i == 12 ? 60 : (uint64_t)i / 2);
    bool ok;
    if (i % 4 == 3) {
        ok = profile_writer_open(path, &profile, &writer, err) &&
             profile_writer_append(writer, &profile, err);
        if (ok)
            profile_writer_abandon(writer);
    } else {
        ok = profile_write(path, &profile, err);
    }
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
    for (int i = 0; i < 16; i++)
        if (!seed(argv[1], i, &err)) {
            fprintf(stderr, "seed_profile: %s\n", err.text);
            return 1;
        }
    return 0;
}
