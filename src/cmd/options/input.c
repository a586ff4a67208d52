#include "cmd/options/input.h"

#include "profile/file/file.h"
#include "store/place.h"
#include "store/read.h"

bool input_read(const char *text, struct profile *ret_profile, struct err *err)
{
    return store_named(text) ? store_read(text, ret_profile, err)
                             : profile_read(text, ret_profile, err);
}
