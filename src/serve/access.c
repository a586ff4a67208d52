#include "serve/access.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool token_make(char ret_token[TOKEN_CHARS + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 5 bits each */
    unsigned char bytes[TOKEN_CHARS];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < TOKEN_CHARS; i++)
        ret_token[i] = letters[bytes[i] & 31];
    ret_token[TOKEN_CHARS] = 0;
    return true;
}

/* In a time that does not depend on how much of it is right. */
static bool token_matches(const char *given, const char *token)
{
    unsigned char differs = 0;
    size_t n = strnlen(given, TOKEN_CHARS);
    for (size_t i = 0; i < TOKEN_CHARS; i++)
        differs |= (unsigned char)(given[i < n ? i : 0] ^ token[i]);
    return n == TOKEN_CHARS && !differs;
}

static bool is_own_host(const char *host, uint16_t port)
{
    char own[2][32];
    snprintf(own[0], sizeof own[0], "127.0.0.1:%u", port);
    snprintf(own[1], sizeof own[1], "localhost:%u", port);
    return strcasecmp(host, own[0]) == 0 || strcasecmp(host, own[1]) == 0;
}

static bool is_own_origin(const char *origin, uint16_t port)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           is_own_host(origin + sizeof scheme - 1, port);
}

const char *access_refuses(const struct access_request *request, const char *token, uint16_t port,
                           unsigned *ret_status, const char **ret_path)
{
    const char *url = request->url;
    *ret_status = 403;
    if (strcmp(request->method, "GET") != 0) {
        *ret_status = 405;
        return "only GET is answered";
    }
    if (!request->host || !is_own_host(request->host, port))
        return "the Host header is not this server's";
    if (request->origin && !is_own_origin(request->origin, port))
        return "the Origin header is not this server's";
    if (*url != '/' || !token_matches(url + 1, token) || url[1 + TOKEN_CHARS] != '/')
        return "the address has no token or a wrong one: use the one that gait view printed";
    *ret_path = url + 1 + TOKEN_CHARS + 1;
    return NULL;
}
