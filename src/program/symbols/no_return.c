#include "program/symbols/no_return.h"

#include "program/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Sorted. Only what a standard or an ABI says never returns, under the name that linkers see. */
static const char *const known[] = {
    "_Exit",
    "_Unwind_Resume",
    "_ZN10__cxxabiv111__terminateEPFvvE",
    "_ZSt10unexpectedv",
    "_ZSt16__throw_bad_castv",
    "_ZSt17__throw_bad_allocv",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt19__throw_range_errorPKc",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt20__throw_system_errori",
    "_ZSt21__throw_bad_exceptionv",
    "_ZSt21__throw_runtime_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt9terminatev",
    "__assert",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_terminate",
    "__cxa_call_unexpected",
    "__cxa_deleted_virtual",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__cxa_throw_bad_array_length",
    "__cxa_throw_bad_array_new_length",
    "__fortify_fail",
    "__libc_fatal",
    "__libc_start_main",
    "__longjmp_chk",
    "__pthread_unwind_next",
    "__stack_chk_fail",
    "_exit",
    "_longjmp",
    "abort",
    "err",
    "errx",
    "exit",
    "longjmp",
    "pthread_exit",
    "quick_exit",
    "siglongjmp",
    "thrd_exit",
    "verr",
    "verrx",
};

static int name_order(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

bool no_return_name(const char *name)
{
    return bsearch(name, known, sizeof known / sizeof *known, sizeof *known, name_order) != NULL;
}

/* The function, or stub, that begins there, without its "@plt"; NULL: none does, or its name is
 * longer than any that matters. */
static const char *bare_name(const struct symbols *symbols, struct svma at, char room[64],
                             enum function_source *ret_source)
{
    function_id f = symbols_find(symbols, at);
    if (f == FUNCTION_NONE || symbols->functions.at[f].start.v != at.v)
        return NULL;
    const char *name = symbols->functions.at[f].name;
    size_t length = strcspn(name, "@");
    *ret_source = (enum function_source)symbols->functions.at[f].source;
    if ((*ret_source != FUNCTION_SYMBOL && *ret_source != FUNCTION_STUB) || length >= 64)
        return NULL;
    memcpy(room, name, length);
    room[length] = 0;
    return room;
}

bool no_return_at(const struct symbols *symbols, struct svma at)
{
    char room[64];
    enum function_source source;
    const char *name = bare_name(symbols, at, room, &source);
    /* A program may have an err() of its own; the other names are the implementation's. */
    return name && no_return_name(name) &&
           (source == FUNCTION_STUB || *name == '_' || !strstr(name, "err"));
}

static bool is_named(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool jumps_far_name(const char *name)
{
    static const char *const far[] = {"longjmp",    "_longjmp",          "__longjmp_chk",
                                      "siglongjmp", "__longjmp",         "____longjmp_chk",
                                      "setcontext", "__libc_siglongjmp", "__libc_longjmp"};
    return is_named(name, far, sizeof far / sizeof *far);
}

bool jumps_far_at(const struct symbols *symbols, struct svma at)
{
    char room[64];
    enum function_source source;
    const char *name = bare_name(symbols, at, room, &source);
    return name && jumps_far_name(name);
}

bool calls_back_at(const struct symbols *symbols, struct svma at)
{
    static const char *const back[] = {"qsort",   "qsort_r", "bsearch", "lfind",
                                       "lsearch", "twalk",   "ftw",     "nftw"};
    char room[64];
    enum function_source source;
    return is_named(bare_name(symbols, at, room, &source), back, sizeof back / sizeof *back);
}

bool returns_twice_at(const struct symbols *symbols, struct svma at)
{
    static const char *const twice[] = {"__sigsetjmp", "_setjmp", "getcontext", "setjmp",
                                        "sigsetjmp",   "vfork",   "__vfork",    "savectx"};
    char room[64];
    enum function_source source;
    return is_named(bare_name(symbols, at, room, &source), twice, sizeof twice / sizeof *twice);
}
