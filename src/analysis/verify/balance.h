/* Checks flow conservation of exact profiles. */
#pragma once

#include "analysis/verify/verification.h"

struct scene;

void balance_check(struct verification *verdict, struct scene *scene);
