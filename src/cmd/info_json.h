/* What `info` says, as JSON of the schema gait/info/1. */
#pragma once

#include <stdio.h>

struct profile;

void info_json(FILE *to, const struct profile *profile);
