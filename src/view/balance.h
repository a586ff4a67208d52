/* Flow conservation of exact profiles, for verify. */
#pragma once

#include "view/verify.h"

__attribute__((format(printf, 3, 4))) void verification_problem(struct verification *verdict,
                                                                enum verify_check check,
                                                                const char *format, ...);

void balance_check(struct verification *verdict, struct scene *scene);
