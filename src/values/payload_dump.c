#include "values/payload_dump.h"

#include "base/err.h"
#include "base/private_file.h"
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void dump_event(struct payload_consumer *consumer, const struct payload_event *event)
{
    const struct payload_dump *dump = (const struct payload_dump *)consumer;
    const char *path = "[unknown]";
    if (event->at.module < dump->profile->modules.n)
        path = dump->profile->modules.at[event->at.module].path;
    const char *slash = strrchr(path, '/');
    if (event->first)
        fprintf(dump->file, "window %d\n", event->tid);
    fprintf(dump->file, "%d %" PRIx64 " %s+0x%" PRIx64 " %s %u %u", event->tid, event->pc,
            slash ? slash + 1 : path, event->at.address.v,
            payload_kind_name((enum payload_kind)event->item->kind), event->item->detail,
            event->item->access);
    for (uint32_t i = 0; i < event->item->words; i++)
        fprintf(dump->file, " %" PRIx64, event->words[i]);
    fputc('\n', dump->file);
}

bool payload_dump_open(struct payload_dump *dump, const char *path, const struct profile *profile,
                       struct err *err)
{
    int fd = private_file_open(path);
    *dump = (struct payload_dump){
        .consumer = {dump_event}, .profile = profile, .file = fd < 0 ? NULL : fdopen(fd, "w")};
    return dump->file || err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

bool payload_dump_close(struct payload_dump *dump, const char *path, struct err *err)
{
    bool whole = !ferror(dump->file);
    whole = fclose(dump->file) == 0 && whole;
    dump->file = NULL;
    return whole || err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}
