#include "profile/system_calls.h"

#include <stddef.h>

struct system_call {
    uint16_t number;
    uint8_t arguments;
    const char *name;
};

static const struct system_call calls[] = {
#define SYSTEM_CALL(number, name, arguments) {number, arguments, #name},
#include "profile/system_calls.def"
#undef SYSTEM_CALL
};

static const struct system_call *call_find(uint64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

const char *system_call_name(uint64_t number)
{
    const struct system_call *call = call_find(number);
    return call ? call->name : "";
}

uint32_t system_call_arguments(uint64_t number)
{
    const struct system_call *call = call_find(number);
    return call ? call->arguments : SYSTEM_CALL_ARGUMENTS;
}
