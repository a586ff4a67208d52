#include "view/values.h"

#include <inttypes.h>
#include <string.h>

const char *value_custom_text(const struct scene *scene, uint64_t value)
{
    static char number[24];
    const struct profile *profile = scene->sides[0];
    int n = snprintf(number, sizeof number, "0x%" PRIx64 " ", value);
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        if (!strcmp(fact->key, "module_text") && !strncmp(fact->value, number, (size_t)n))
            return fact->value + n;
    }
    number[n - 1] = 0;
    return number;
}
