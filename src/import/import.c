#include "import/import.h"

#include "base/err.h"
#include "import/brstack.h"
#include "import/perf_data.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <string.h>

enum format {
    FORMAT_UNKNOWN,
    FORMAT_BRSTACK,
    FORMAT_CALLGRIND,
    FORMAT_FDATA,
    FORMAT_GCDA,
    FORMAT_PERF,
    FORMAT_PROFILE
};

/* Callgrind's first line is a comment, or one of a few words with a colon; fdata are lines of seven
 * words, or say no_lbr or boltedcollection before. */
static enum format format_of(const char *head, size_t n)
{
    static const char *const callgrind[] = {"# callgrind format",
                                            "version: ", "creator: ", "positions: ", "events: "};
    unsigned type, to_type;
    unsigned long long offset, to_offset, misses, count;
    for (size_t i = 0; i < sizeof callgrind / sizeof *callgrind; i++)
        if (strncmp(head, callgrind[i], strlen(callgrind[i])) == 0)
            return FORMAT_CALLGRIND;
    if (n >= 4 && memcmp(head, "adcg", 4) == 0)
        return FORMAT_GCDA;
    if (n >= 8 && (memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0))
        return FORMAT_PERF;
    if (n >= 5 && memcmp(head,
                         "\x89"
                         "gait",
                         5) == 0)
        return FORMAT_PROFILE;
    if (strncmp(head, "boltedcollection", 16) == 0 || strncmp(head, "no_lbr", 6) == 0 ||
        sscanf(head, "%u %*s %llx %u %*s %llx %llu %llu", &type, &offset, &to_type, &to_offset,
               &misses, &count) == 6)
        return FORMAT_FDATA;
    return brstack_is(head) ? FORMAT_BRSTACK : FORMAT_UNKNOWN;
}

bool import_bytes(FILE *from, struct import_bytes *ret_bytes, struct err *err)
{
    struct import_bytes bytes = {0};
    size_t n;
    do {
        vec_room(&bytes, bytes.n + (1 << 20));
        n = fread(bytes.at + bytes.n, 1, bytes.room - bytes.n, from);
        bytes.n += n;
    } while (n);
    if (ferror(from)) {
        vec_release(&bytes);
        return err_errno(err, "cannot be read");
    }
    *ret_bytes = bytes;
    return true;
}

static bool perf_import(struct profile *profile, FILE *from, const char *binary, struct err *err)
{
    struct import_bytes bytes;
    if (!import_bytes(from, &bytes, err))
        return false;
    bool ok = perf_data_import(profile, bytes.at, bytes.n, binary, err);
    vec_release(&bytes);
    return ok;
}

static bool brstack_import(struct profile *profile, FILE *from, const char *binary, struct err *err)
{
    struct import_bytes text, bytes;
    uint64_t bad;
    if (!import_bytes(from, &text, err))
        return false;
    *vec_push(&text) = 0;
    bool ok = brstack_convert(&bytes, &bad, (const char *)text.at, binary, err);
    vec_release(&text);
    if (!ok)
        return false;
    ok = perf_data_import(profile, bytes.at, bytes.n, binary, err);
    sum_add(&profile->totals.losses[LOSS_garbled], bad);
    vec_release(&bytes);
    return ok;
}

static bool stream_import(struct profile *profile, FILE *from, const char *binary, struct err *err)
{
    char head[4096];
    size_t n = fread(head, 1, sizeof head - 1, from);
    head[n] = 0;
    rewind(from);
    switch (format_of(head, n)) {
    case FORMAT_BRSTACK: return brstack_import(profile, from, binary, err);
    case FORMAT_CALLGRIND: return import_callgrind(profile, from, err);
    case FORMAT_FDATA:
        if (!binary)
            return err_set(err, ERR_USAGE,
                           "BOLT's fdata do not say what program they are of: --binary");
        return import_fdata(profile, from, binary, err);
    case FORMAT_GCDA:
        return err_set(
            err, ERR_FORMAT,
            "counts of gcc are about its own graphs, not about code: gait compare takes two of "
            "them as they are");
    case FORMAT_PERF: return perf_import(profile, from, binary, err);
    case FORMAT_PROFILE: return err_set(err, ERR_FORMAT, "is a gait profile already");
    case FORMAT_UNKNOWN: break;
    }
    return err_set(err, ERR_FORMAT,
                   "neither callgrind's format, BOLT's fdata, perf.data, nor branches as "
                   "perf script -F ip,brstack --show-mmap-events prints them");
}

/* What comes through a pipe can be read once only. */
static bool pipe_import(struct profile *profile, FILE *from, const char *binary, struct err *err)
{
    struct import_bytes bytes;
    if (!import_bytes(from, &bytes, err))
        return false;
    FILE *again = bytes.n ? fmemopen(bytes.at, bytes.n, "r") : NULL;
    bool ok = again ? stream_import(profile, again, binary, err)
                    : err_set(err, ERR_FORMAT, "nothing in it");
    if (again)
        fclose(again);
    vec_release(&bytes);
    return ok;
}

bool import_file(struct profile *ret_profile, const char *path, const char *binary, struct err *err)
{
    struct profile profile;
    FILE *from = fopen(strcmp(path, "-") == 0 ? "/dev/stdin" : path, "re");
    if (!from)
        return err_errno(err, "%s", path);
    profile_init(&profile);
    profile.mode = PROFILE_EXACT;
    bool ok = fseek(from, 0, SEEK_CUR) ? pipe_import(&profile, from, binary, err)
                                       : stream_import(&profile, from, binary, err);
    if (ok && ferror(from))
        ok = err_errno(err, "cannot be read");
    fclose(from);
    if (ok && !profile.totals.instructions && !profile.totals.interrupts && !profile.samples.n)
        ok = err_set(err, ERR_MISSING, "nothing in it ran");
    if (!ok) {
        profile_release(&profile);
        return err_in(err, "%s", path);
    }
    profile.complete = true;
    profile_fact(&profile, "imported", path);
    *ret_profile = profile;
    return true;
}
