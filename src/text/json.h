/* Writes one JSON value to a stream, correctly nested and escaped, one row of a list a line.
 *
 * Numbers are written so that equal values give equal bytes. Bytes that are no UTF-8 become U+FFFD:
 * paths and symbols may hold anything. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *to;
    int depth;
    bool comma; /* something stands before in the same object or array */
    bool rows;  /* in a list of the outermost object: one element a line */
};

void json_begin(struct json *json, FILE *to);
/* Ends the line. */
void json_end(struct json *json);

/* key is NULL for the outermost value and for elements of an array. */
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);

void json_string(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, uint64_t value);
/* Infinite and undefined numbers become null. */
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
