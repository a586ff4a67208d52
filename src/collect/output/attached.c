#include "collect/output/attached.h"

#include "base/called.h"
#include "base/err.h"
#include "profile/profile.h"
#include "program/elf/image.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { ATTACHED_BYTES = 2 * BUILD_ID_MAX + 1 + NAME_MAX + 1 };

/* "-": it has none. */
static bool build_put(int pid, char *to)
{
    char path[64];
    struct image image;
    struct err ignored;
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (!image_open(&image, path, &ignored))
        return false;
    strcpy(to, "-");
    for (uint32_t i = 0; i < image.build_id_bytes; i++)
        snprintf(to + 2 * (size_t)i, 3, "%02x", image.build_id[i]);
    image_close(&image);
    return true;
}

static void comm_read(int pid, char *to, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *from = fopen(path, "re");
    size_t n = from ? fread(to, 1, room - 1, from) : 0;
    if (from)
        fclose(from);
    to[n] = 0;
    to[strcspn(to, "\n")] = 0;
}

static bool attached_text(int pid, char to[ATTACHED_BYTES])
{
    char file[PATH_MAX], comm[64];
    if (!called_file(pid, file, sizeof file) || !build_put(pid, to))
        return false;
    comm_read(pid, comm, sizeof comm);
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t n = strlen(to);
    const char *name = called_so(pid, file, comm) ? comm : base;
    snprintf(to + n, ATTACHED_BYTES - n, " %.*s", NAME_MAX, name);
    return true;
}

void attached_describe(struct profile *head, const int *pids, size_t n)
{
    char first[ATTACHED_BYTES] = "", next[ATTACHED_BYTES];
    for (size_t i = 0; i < n; i++) {
        if (!attached_text(pids[i], next))
            continue;
        if (*first && strcmp(first, next) != 0)
            return;
        strcpy(first, next);
    }
    if (*first)
        profile_fact(head, FACT_ATTACHED, first);
}
