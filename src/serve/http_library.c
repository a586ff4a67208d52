#include "serve/http_library.h"

#include "base/err.h"

#include <dlfcn.h>
#include <string.h>

bool http_library_open(struct http_library *ret_library, struct err *err)
{
    struct http_library library;
    void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, ERR_SYSTEM,
                       "the server needs libmicrohttpd.so.12; type:  sudo apt-get install "
                       "libmicrohttpd12  (or write a file: gait export --format html)");
#define HTTP_FIND(name)                                                                            \
    void *name##_at = dlsym(handle, #name);                                                        \
    if (!name##_at)                                                                                \
        return err_set(err, ERR_SYSTEM, "libmicrohttpd.so.12 has no " #name);                      \
    memcpy(&library.name, &name##_at, sizeof name##_at);
    HTTP_FUNCTIONS(HTTP_FIND)
#undef HTTP_FIND
    *ret_library = library;
    return true;
}
