#include "store/push.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "profile/file/file.h"
#include "profile/kernel_names.h"
#include "profile/kernel_place.h"
#include "profile/no_values.h"
#include "store/body.h"
#include "store/blur.h"
#include "store/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void push_init(struct push *push, struct store *store, const struct push_options *options)
{
    *push = (struct push){.store = store, .options = *options, .day = -1};
    code_known_init(&push->known);
}

/* Between two transactions packs may be forgotten. */
static void known_forget(struct push *push)
{
    code_known_release(&push->known);
    code_known_init(&push->known);
}

void push_undo(struct push *push)
{
    struct err ignored;
    if (push->begun)
        sql_run(push->store->sql, "ROLLBACK", &ignored);
    push->begun = false;
    push->day = -1;
    push->sums = push->committed;
    known_forget(push); /* what it sent is not there */
}

void push_release(struct push *push)
{
    push_undo(push);
    kernel_table_release(&push->kernel);
    code_known_release(&push->known);
}

bool push_commit(struct push *push, struct err *err)
{
    if (!push->begun)
        return true;
    push->begun = false;
    known_forget(push);
    if (!sql_run(push->store->sql, "COMMIT", err))
        return false;
    push->committed = push->sums;
    return true;
}

static bool some_add(struct push *push, size_t first, size_t n, push_add *add, void *to,
                     struct err *err)
{
    bool ok = true;
    push->store->sql->clashed = false;
    for (size_t i = 0; ok && i < n; i++)
        ok = add(push, to, first + i, err);
    ok = ok && push_commit(push, err);
    if (!ok)
        push_undo(push);
    return ok;
}

bool push_together(struct push *push, size_t n, push_add *add, void *to, struct err *err)
{
    enum { TRIES = 4 };
    bool ok = some_add(push, 0, n, add, to, err);
    if (ok || !push->store->sql->clashed)
        return ok;
    /* One locks what it adds in an order that all have: code by build-ids, then the recording. */
    ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = false;
        for (unsigned k = 0; !ok && k < TRIES && (!k || push->store->sql->clashed); k++)
            ok = some_add(push, i, 1, add, to, err);
    }
    return ok;
}

static bool file_bytes(const char *path, struct bytes *to, struct err *err)
{
    enum { SOME = 1 << 20 };
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_MISSING, "%s: %s", path,
                       errno == ENOENT ? "no such file" : strerror(errno));
    for (;;) {
        bytes_reserve(to, to->n + SOME);
        ssize_t got = read(fd, to->at + to->n, SOME);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(err, "%s", path);
        if (!got)
            return true;
        to->n += (size_t)got;
    }
}

/* An unfinished recording may go on, and would be another one when it comes again. */
static bool fit(struct push *push, const char *path, const struct profile *profile, struct err *err)
{
    if (profile->ruined)
        return err_set(err, ERR_FORMAT, "%s", profile->warning);
    if (!profile->complete && !profile->warning && !push->options.unfinished)
        return err_set(err, ERR_FORMAT,
                       "%s: the recording was not closed: it is still running or was killed; "
                       "--unfinished takes it nevertheless",
                       path);
    snprintf(push->warning, sizeof push->warning, "%s", profile->warning ? profile->warning : "");
    return true;
}

/* A clock that jumped: then it began when the sender says, which is the same however often it is
 * sent. */
static bool time_settle(const struct push *push, struct origin *origin, struct err *err)
{
    enum { AHEAD_DAYS_MAX = 2, APART_S_MAX = 3600 };
    uint64_t named = push->options.named_ns, begin = origin->begin_ns;
    uint64_t apart = named > begin ? named - begin : begin - named;
    if (named && apart > APART_S_MAX * 1000000000ull) {
        origin->end_ns = named + (origin->end_ns - begin);
        origin->begin_ns = named;
    }
    if (origin->begin_ns > clock_ns(CLOCK_REALTIME) + AHEAD_DAYS_MAX * DAY_NS && !named)
        return err_set(err, ERR_FORMAT,
                       "it begins more than %d days in the future: a clock is wrong",
                       AHEAD_DAYS_MAX);
    return true;
}

static void prepare(struct push *push, struct profile *profile, const char *service)
{
    /* Whoever looks at it may run another kernel. */
    kernel_names_complete_many(profile, &push->kernel);
    kernel_place(profile);
    profile->totals.recordings += !profile->totals.recordings;
    if (!push->options.values)
        profile_forget_values(profile);
    if (push->options.compact)
        profile_compact(profile, service);
}

/* Room for a day is made in a transaction of its own where that can be: others wait for it. */
static bool begin(struct push *push, int64_t day, struct err *err)
{
    if (day != push->day && !sql_day(push->store->sql, day, err))
        return false;
    push->day = day;
    if (push->begun)
        return true;
    if (!sql_begin(push->store->sql, err))
        return false;
    push->begun = true;
    return code_hold(push->store->sql, false, err);
}

static bool insert(struct push *push, const struct origin *origin, const uint8_t *digest,
                   const struct bytes *body, struct err *err)
{
    uint64_t changed;
    const struct sql_value values[] = {
        sql_number(origin_day(origin->begin_ns)),
        sql_bytes(digest, SHA256_BYTES),
        sql_text(origin->machine),
        sql_text(origin->service),
        sql_text(origin->build),
        sql_text(origin->kind),
        sql_number((int64_t)origin->begin_ns),
        sql_number((int64_t)origin->end_ns),
        sql_number((int64_t)body->n),
        sql_bytes(body->at, body->n),
    };
    if (!sql_query(push->store->sql,
                   "INSERT INTO gait_recordings (day, digest, machine, service, build, kind, "
                   "begin_ns, end_ns, bytes, body) "
                   "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
                   values, sizeof values / sizeof *values, NULL, NULL, &changed, err))
        return false;
    push->sums.sent += changed;
    push->sums.same += !changed;
    push->sums.bytes += changed ? body->n : 0;
    return true;
}

static bool send(struct push *push, struct profile *profile, const uint8_t *digest, struct err *err)
{
    struct origin origin;
    struct bytes body = {0};
    origin_find(profile, push->options.machine, push->options.service, &origin);
    if (!time_settle(push, &origin, err))
        return false;
    prepare(push, profile, origin.service);
    bool ok = begin(push, origin_day(origin.begin_ns), err) &&
              code_send(push->store->sql, &push->known, profile, err);
    if (ok) {
        body_write(&body, profile);
        ok = insert(push, &origin, digest, &body, err);
    }
    vec_release(&body);
    return ok;
}

bool push_file(struct push *push, const char *path, struct err *err)
{
    struct bytes bytes = {0};
    struct profile profile;
    uint8_t digest[SHA256_BYTES];
    bool ok =
        file_bytes(path, &bytes, err) && profile_read_bytes(path, bytes.at, bytes.n, &profile, err);
    if (ok) {
        sha256(bytes.at, bytes.n, digest);
        ok = fit(push, path, &profile, err) &&
             (send(push, &profile, digest, err) || err_in(err, "%s", path));
        profile_release(&profile);
    }
    vec_release(&bytes);
    return ok;
}
