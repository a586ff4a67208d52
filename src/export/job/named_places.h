/* Names and source of the code at an address, inlined functions included. Each address is looked
 * up once. */
#pragma once

#include "export/job/strings.h"
#include "program/names/demangle.h"
#include "analysis/counts/code_owner.h"
#include "analysis/counts/scene.h"

enum place_kind { PLACE_USER, PLACE_KERNEL, PLACE_JIT };

struct place_function {
    const char *name;     /* readable */
    const char *linkage;  /* as the linker has it */
    const char *file;     /* NULL: not known */
    uint32_t line;        /* where it starts; 0: not known, or inlined */
    uint32_t module;      /* of the profile */
    uint64_t start;       /* 0: not known, or inlined */
    function_id function; /* of the binary's symbols; FUNCTION_NONE: not of them, or inlined */
    uint32_t twin;        /* the first function of the same name and kind: may be itself */
    uint8_t kind;         /* enum place_kind */
};

struct place_frame {
    uint32_t function; /* of places->functions */
    const char *file;  /* NULL: not known */
    uint32_t line;     /* 0: not known */
};

struct named_place {
    uint32_t first_frame, n_frames; /* innermost first; at least one */
};

struct named_places {
    struct scene *scene;
    bool inlined; /* show inlined functions as callers and called */
    struct strings strings;
    struct demangler demangler;
    struct map keys; /* of at: module and address */
    VEC(struct named_place);
    struct place_frames {
        VEC(struct place_frame);
    } frames;
    struct map function_keys, twin_keys;
    struct place_twins {
        VEC(uint32_t);
    } twins; /* for each of twin_keys the first function */
    struct place_functions {
        VEC(struct place_function);
    } functions;
    struct code_frames asked; /* of one address at a time */
};

/* The scene has one side and outlives the places. */
void named_places_open(struct named_places *places, struct scene *scene, bool inlined);
void named_places_close(struct named_places *places);

/* The place's number. */
uint32_t named_places_find(struct named_places *places, uint32_t module, uint64_t address);
