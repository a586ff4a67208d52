/* Flow conservation of exact profiles, for verify. */
#pragma once

#include "analysis/verify/verification.h"

struct scene;

void balance_check(struct verification *verdict, struct scene *scene);
