/* What sort of number scalar floating-point instructions make: zero, subnormal, normal, infinite, none. */
#include "gait-module.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t wants(const struct gait_instruction *instruction)
{
    const char *name = instruction->mnemonic;
    size_t n = strlen(name);
    int is_double = n > 2 && name[n - 2] == 's' && name[n - 1] == 'd';
    return is_double ? GAIT_VECTOR : 0;
}

enum { ZERO, SUBNORMAL, NORMAL, INFINITE, NAN_, CLASSES };

static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n,
                 gait_emit *emit, void *to)
{
    (void)scale;
    for (size_t i = 0; i < n; i++) {
        double number;
        memcpy(&number, &tuples[i].words[0], sizeof number);
        int class = fpclassify(number);
        emit(to, tuples[i].place,
             class == FP_ZERO        ? ZERO
             : class == FP_SUBNORMAL ? SUBNORMAL
             : class == FP_INFINITE  ? INFINITE
             : class == FP_NAN       ? NAN_
                                     : NORMAL);
    }
}

static void format(uint64_t value, char *text, size_t room)
{
    static const char *const names[CLASSES] = {"zero", "subnormal", "normal", "infinite",
                                               "not a number"};
    snprintf(text, room, "%s", value < CLASSES ? names[value] : "?");
}

const struct gait_module gait_module = {
    GAIT_MODULE_VERSION, "classes of doubles", GAIT_VECTOR, wants, take, format};
