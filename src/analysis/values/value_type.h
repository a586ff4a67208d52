/* How a value is shown: as the type that its instruction uses. */
#pragma once

#include "analysis/counts/scene.h"

#include <stdbool.h>
#include <stdint.h>

enum value_type {
    VALUE_INTEGER, /* of so many bytes, in decimal if it is small */
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_TYPES
};

struct value_form {
    uint8_t type; /* enum value_type */
    uint8_t bytes;
};

struct decoded;

const char *value_type_name(enum value_type type);
/* What the instruction makes of the values that it computes, loads or takes. */
struct value_form value_form_of(const struct decoded *decoded, bool vector);
/* A number; one buffer. */
const char *value_text(struct value_form form, uint64_t value);
/* An address of a module of the scene: "name+0x12", a string that is there, or MODULE+0xADDRESS;
 * holds until the scene is closed. */
const char *value_pointer_text(struct scene *scene, uint32_t module, uint64_t at);
