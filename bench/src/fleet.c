/* fleet FOLDER FIRST MACHINES UNIX_S BUILD FILE...: recordings as other machines would have made them. Machine i gets a copy
 * of file i modulo their number: its own host, a start within the day that begins then, and in the build-ids of programs
 * BUILD on top. */
#include "base/bytes.h"
#include "base/err.h"
#include "profile/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 6, FILES_MAX = 64 };

static void host_set(struct profile *profile, const char *host)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "host") == 0)
            profile->facts.at[i].value = arena_string(&profile->arena, host);
}

static void build_set(struct profile *profile, unsigned build)
{
    for (size_t i = 0; i < profile->modules.n; i++) {
        struct module *module = &profile->modules.at[i];
        if (module->path[0] == '/' && !strstr(module->path, ".so"))
            module->build_id[0] = (uint8_t)build;
    }
}

static int fail(const char *text)
{
    fprintf(stderr, "fleet: %s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    static struct profile profiles[FILES_MAX];
    int files = argc - ARGUMENTS;
    struct err err;
    if (files < 1 || files > FILES_MAX)
        return fail("FOLDER FIRST MACHINES UNIX_S BUILD FILE...");
    for (int i = 0; i < files; i++) {
        if (!profile_read(argv[ARGUMENTS + i], &profiles[i], &err))
            return fail(err.text);
        build_set(&profiles[i], (unsigned)atoi(argv[5]));
    }
    for (int i = 0; i < atoi(argv[3]); i++) {
        char text[4096];
        struct bytes bytes = {0};
        struct profile *profile = &profiles[i % files];
        int machine = atoi(argv[2]) + i;
        snprintf(text, sizeof text, "machine-%05d", machine);
        host_set(profile, text);
        profile->start_unix_ns =
            (strtoull(argv[4], NULL, 10) + (uint64_t)machine * 86 % 86000) * 1000000000u;
        profile_write_bytes(&bytes, profile, true);
        snprintf(text, sizeof text, "%s/%05d-%s.data", argv[1], machine, argv[4]);
        FILE *to = fopen(text, "we");
        if (!to || fwrite(bytes.at, 1, bytes.n, to) != bytes.n || fclose(to) != 0)
            return fail(text);
        vec_release(&bytes);
    }
    return 0;
}
