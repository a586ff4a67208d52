/* Functions of a shared library that is opened when it is needed:
 *
 *     #define FUNCTIONS(X) X(sqlite3_step) X(sqlite3_reset)
 *     static struct { LIBRARY_POINTERS(FUNCTIONS) } lib;
 *     static const char *const names[] = {LIBRARY_NAMES(FUNCTIONS)};
 *     library_open("libsqlite3.so.0", names, COUNT, &lib, err); */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

#define LIBRARY_POINTER(name) __typeof__(&name) name;
#define LIBRARY_NAME(name) #name,
#define LIBRARY_POINTERS(functions) functions(LIBRARY_POINTER)
#define LIBRARY_NAMES(functions) functions(LIBRARY_NAME)

/* Fills a struct of n pointers. `package`: of Debian, for the message. */
bool library_open(const char *file, const char *package, const char *const *names, size_t n,
                  void *ret_pointers, struct err *err);
