/* The functions of code that is met while a recording goes on. Binaries are opened when their code
 * is met, some at a time: meanwhile nobody reads the kernel's rings. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "profile/kernel_table.h"
#include "profile/names.h"
#include "program/names/demangle.h"
#include "program/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

#define LIVE_NONE UINT32_MAX

struct live_module {
    const char *name; /* the path without its folder */
    bool tried, kernel;
    struct live_image *image; /* NULL: not there, or not opened yet */
};

struct live_function {
    uint32_t module; /* of the recording; MODULE_NONE: of none */
    bool unnamed;    /* it stands for all code of its module that nothing names */
    const char *linkage, *readable;
};

struct live_code {
    struct arena arena;
    struct demangler demangler;
    struct kernel_table kernel;
    bool kernel_read;
    uint64_t until_ns;  /* CLOCK_MONOTONIC; binaries that are met later are not opened yet */
    bool pending;       /* there are such */
    struct names names; /* of code without a file, as the recording has them */
    struct live_modules {
        VEC(struct live_module); /* as the recording numbers them */
    } modules;
    struct map keys;
    struct live_functions {
        VEC(struct live_function);
    } functions;
};

void live_code_init(struct live_code *code);
void live_code_release(struct live_code *code);
/* Takes new modules, and names of code without a file. */
void live_code_news(struct live_code *code, const struct profile *news);
/* The function that the code belongs to. The profile: whose modules they are. */
uint32_t live_code_function(struct live_code *code, const struct profile *news, uint32_t module,
                            uint64_t at);
