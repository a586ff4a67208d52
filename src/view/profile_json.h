/* Parts of a profile as JSON, shared by several views. */
#pragma once

#include "text/json.h"

struct module;
struct profile;

/* An element of "modules". */
void module_json(struct json *json, uint64_t id, const struct module *module);
/* Members of "losses": those that were met, by name. */
void losses_met_json(struct json *json, const struct profile *profile);
