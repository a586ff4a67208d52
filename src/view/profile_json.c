#include "view/profile_json.h"

#include "profile/profile.h"

void module_json(struct json *json, uint64_t id, const struct module *module)
{
    char build_id[2 * sizeof module->build_id + 1] = "";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
    json_object(json, NULL);
    json_integer(json, "id", id);
    json_string(json, "path", module->path);
    json_string(json, "build_id", build_id);
    json_object_end(json);
}

void losses_met_json(struct json *json, const struct profile *profile)
{
    for (int i = 0; i < LOSS_N; i++)
        if (profile->totals.losses[i])
            json_integer(json, loss_name((enum loss)i), profile->totals.losses[i]);
    for (size_t i = 0; i < profile->other_losses.n; i++)
        json_integer(json, profile->other_losses.at[i].name, profile->other_losses.at[i].n);
}
