/* Who may ask the server, and for what: decided from the request's line and headers alone.
 *
 * The server stands on 127.0.0.1, where every program and every page of a browser can reach it. The
 * token, a part of every address, keeps out who was not told; the Host header keeps out pages whose
 * name was made to mean this machine (DNS rebinding); the Origin header keeps out scripts of other
 * pages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TOKEN_CHARS = 32 };

/* Random letters and digits, and a NUL. False: the system has no random numbers. */
bool token_make(char ret_token[TOKEN_CHARS + 1]);

struct access_request {
    const char *method, *url;  /* the path of the URL, decoded */
    const char *host, *origin; /* NULL: not sent */
};

/* NULL if the request is allowed; then *ret_path is what follows the token in the URL. Else the
 * sentence for the answer, and its status. */
const char *access_refuses(const struct access_request *request, const char *token, uint16_t port,
                           unsigned *ret_status, const char **ret_path);
