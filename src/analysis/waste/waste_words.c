#include "analysis/waste/waste_words.h"

#include <string.h>

static const struct {
    const char *name, *text, *fix;
    bool of_second;
} kinds[WASTE_KINDS] = {
    [WASTE_LOOKED] = {"none", "", "", false},
    [WASTE_ALL] = {"all", "", "", false},
    [WASTE_DEAD_STORE] = {"dead-store", "stored, and overwritten before anything read it",
                          "drop the first store, or store once, where the value is final", false},
    [WASTE_SILENT_STORE] = {"silent-store", "stored what was there already",
                            "store only if the value differs, or move the store out of the loop",
                            true},
    [WASTE_REDUNDANT_LOAD] =
        {"redundant-load", "loaded again, and nothing had been written there",
         "keep it in a local variable; if the compiler cannot know that nobody "
         "writes there, restrict or a copy tells it",
         true},
    [WASTE_UNUSED_RESULT] = {"unused-result", "computed, and overwritten before anything used it",
                             "compute it where it is used, or not at all", false},
    [WASTE_COPY_OF_COPY] = {"copy-of-copy", "copied to a place that was only copied again",
                            "copy straight to the last place, or pass a pointer", true},
    [WASTE_SAME_CALL] = {"same-call", "called again with the same inputs, without any other effect",
                         "keep the result: in a local variable, or in a small table by argument",
                         true},
    [WASTE_SET] = {"set-overwritten", "set at once, and overwritten before anything read it",
                   "do not clear it: set only what is not written afterwards", false},
};

const char *waste_kind_name(enum waste_kind kind)
{
    return kinds[kind].name;
}

const char *waste_kind_text(enum waste_kind kind)
{
    return kinds[kind].text;
}

const char *waste_kind_fix(enum waste_kind kind)
{
    return kinds[kind].fix;
}

bool waste_kind_parse(const char *name, enum waste_kind *ret_kind)
{
    for (int i = WASTE_LOOKED + 1; i < WASTE_ALL; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *ret_kind = (enum waste_kind)i;
            return true;
        }
    return false;
}

bool waste_kind_of_second(enum waste_kind kind)
{
    return kinds[kind].of_second;
}
