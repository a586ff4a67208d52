#include "store/check.h"

#include "base/err.h"
#include "profile/file/file.h"
#include "store/body.h"
#include "store/code.h"
#include "store/sums.h"

#include <stdio.h>

struct checking {
    struct store_checked checked;
    struct profile modules; /* and stubs of all bodies */
};

static void damage(struct store_checked *checked, const char *text)
{
    if (!checked->damaged++)
        snprintf(checked->first, sizeof checked->first, "%s", text);
}

/* Only what is to be looked up in packs is kept. */
static void stubs_take(struct checking *checking, const struct profile *profile)
{
    for (size_t i = 0; i < profile->kept.n; i++) {
        struct kept_part part = profile->kept.at[i];
        const struct module *module = &profile->modules.at[part.module];
        part.module = profile_module(&checking->modules, module->path, module->build_id,
                                     module->build_id_bytes);
        kept_add(&checking->modules.kept, &checking->modules.arena, &part);
    }
    kept_sort(&checking->modules.kept);
}

static bool body_check(struct checking *checking, const char *name, const struct sql_value *body,
                       bool stubs)
{
    struct err err;
    struct profile profile;
    if (!body_read(name, body->bytes, body->n, &profile, &err)) {
        damage(&checking->checked, err.text);
        return false;
    }
    if (profile.warning)
        damage(&checking->checked, profile.warning);
    else if (stubs)
        stubs_take(checking, &profile);
    profile_release(&profile);
    return true;
}

static bool body_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct checking *checking = to;
    char name[256];
    (void)err;
    snprintf(name, sizeof name, "a recording of %.*s", (int)columns[1].n,
             (const char *)columns[1].bytes);
    checking->checked.bodies++;
    body_check(checking, name, &columns[0], true);
    return true;
}

static bool pack_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct checking *checking = to;
    (void)err;
    checking->checked.packs++;
    body_check(checking, "a pack of code", &columns[0], false);
    return true;
}

bool store_check(struct store *store, struct store_checked *ret_checked, struct err *err)
{
    struct checking checking = {0};
    profile_init(&checking.modules);
    bool ok =
        sql_query(store->sql,
                  "SELECT body, service FROM gait_recordings WHERE rolled IN (0, 3) UNION ALL "
                  "SELECT body, service FROM gait_sums",
                  NULL, 0, body_take, &checking, NULL, err) &&
        sql_query(store->sql, "SELECT body FROM gait_code", NULL, 0, pack_take, &checking, NULL,
                  err);
    struct err lost;
    if (ok && !code_fill(store->sql, &checking.modules, &checking.checked.lost_parts, &lost))
        damage(&checking.checked, lost.text);
    profile_release(&checking.modules);
    if (ok)
        *ret_checked = checking.checked;
    return ok;
}
