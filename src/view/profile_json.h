/* Parts of a profile as JSON, the same wherever they are shown. */
#pragma once

#include "text/json.h"

struct module;
struct profile;

/* An element of "modules". */
void module_json(struct json *json, uint64_t id, const struct module *module);
/* Members of "losses": those that were met, by name. */
void losses_met_json(struct json *json, const struct profile *profile);
