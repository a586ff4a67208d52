#include "store/sql/library.h"

#include "base/err.h"

#include <dlfcn.h>
#include <string.h>

bool library_open(const char *file, const char *package, const char *const *names, size_t n,
                  void *ret_pointers, struct err *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, ERR_SYSTEM, "the store needs %s; type:  sudo apt-get install %s", file,
                       package);
    for (size_t i = 0; i < n; i++) {
        void *at = dlsym(handle, names[i]);
        if (!at)
            return err_set(err, ERR_SYSTEM, "%s has no %s: it is too old", file, names[i]);
        memcpy((char *)ret_pointers + i * sizeof at, &at, sizeof at);
    }
    return true;
}
