/* libmicrohttpd, opened when a server starts: it brings a library for TLS with it, and loading
 * those would slow down every other command. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

struct err;

#define HTTP_FUNCTIONS(X)                                                                          \
    X(MHD_start_daemon)                                                                            \
    X(MHD_stop_daemon)                                                                             \
    X(MHD_run)                                                                                     \
    X(MHD_get_timeout)                                                                             \
    X(MHD_get_daemon_info)                                                                         \
    X(MHD_get_connection_values_n)                                                                 \
    X(MHD_lookup_connection_value)                                                                 \
    X(MHD_set_connection_option)                                                                   \
    X(MHD_suspend_connection)                                                                      \
    X(MHD_resume_connection)                                                                       \
    X(MHD_create_response_from_buffer)                                                             \
    X(MHD_add_response_header)                                                                     \
    X(MHD_queue_response)                                                                          \
    X(MHD_destroy_response)

struct http_library {
#define HTTP_POINTER(name) __typeof__(&name) name;
    HTTP_FUNCTIONS(HTTP_POINTER)
#undef HTTP_POINTER
};

bool http_library_open(struct http_library *ret_library, struct err *err);
