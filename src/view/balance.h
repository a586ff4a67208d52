/* Flow conservation of exact profiles, for verify. */
#pragma once

#include "view/verify.h"

__attribute__((format(printf, 3, 4))) void
verdict_problem(struct verdict *verdict, enum check check, const char *format, ...);

void balance_check(struct verdict *verdict, struct scene *scene);
