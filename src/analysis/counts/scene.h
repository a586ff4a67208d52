/* One profile, or two that are compared, together with their binaries.
 *
 * The scene knows which functions any of its profiles touches, and which records belong to each.
 * counted.h builds the graph of one function from the targets that all sides have seen, so that
 * blocks and edges mean the same on every side.
 *
 * Modules of two profiles are one module if their build-ids are equal or, where one has none, if
 * the last parts of their paths are. A module whose file is missing or another build has no
 * binary. Its records belong to one function, FUNCTION_NONE, without a graph. */
#pragma once

#include "analysis/counts/bare.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/vec.h"
#include "infer/infer.h"
#include "program/binary.h"
#include "program/cfg/cfg.h"
#include "program/names/demangle.h"
#include "profile/profile.h"

struct err;

enum { SIDES_MAX = 2 };

struct scene_module {
    struct module module;  /* as the first profile that has it says */
    const char *name;      /* the path without its folder */
    const char *label;     /* "[name]": what stands for functions that nothing names */
    struct binary *binary; /* NULL: not there */
    const char *missing;   /* why there is none */
    bool shown;            /* not filtered out */
};

enum touch_kind {
    TOUCH_RANGE, /* runs through the function */
    TOUCH_OUT,   /* an edge that starts in it */
    TOUCH_IN,    /* an edge that arrives from elsewhere */
    TOUCH_TIME,  /* a weight of stacks, interrupted in it */
};

/* One record of one profile, as seen by one function. */
struct touch {
    uint32_t module; /* of the scene */
    function_id function;
    uint32_t record; /* index in the profile's table of ranges, edges or cells of stacks */
    uint8_t side, kind;
};

struct scene_function {
    uint32_t module;
    function_id function; /* FUNCTION_NONE: code of the module that no binary explains */
    size_t first_touch, n_touches;
};

/* Runs of a loop that one profile has seen; profile/profile.h. */
struct scene_trip {
    uint32_t side, module; /* of the scene */
    uint64_t head;
    uint64_t n;
    uint32_t record; /* index in the profile's table of trips */
};

/* Names of functions that have none: MODULE+0xADDRESS, made once. */
struct scene_addresses {
    struct arena arena;
    struct map keys; /* module and function */
    VEC(const char *);
};

/* When other events put a block into a class (classes.h). */
struct class_rules {
    double under; /* of the samples that S - A must be above; 0: 2, as in the paper */
    double over;  /* of the cycles that A must be above; 0: a half, as in the paper */
};

struct scene {
    struct arena arena;
    struct scene_addresses *addresses;
    struct demangler demangler;
    struct intern names;       /* of inlined functions: debug information has many copies of each */
    bool verbose;              /* text has names in full */
    int columns;               /* of the terminal that tables are to fit; 0: any */
    int name_width;            /* of names that are not in full; 0: the usual */
    const char *only_module;   /* NULL: all */
    const char *only_function; /* NULL: all; see scene_want_function */
    uint32_t only_place_module; /* of an only_function that is an address; MODULE_NONE: a name */
    function_id only_place_function;
    const struct profile *sides[SIDES_MAX];
    struct profile *joined; /* of two sides: modules, and what both kept of them; else NULL */
    struct bare bare[SIDES_MAX];
    bool inferred[SIDES_MAX]; /* items have counts made consistent, by this method */
    enum infer_method method;
    struct class_rules rules; /* of INFER_CLASSES */
    uint32_t n_sides;
    struct scene_modules {
        VEC(struct scene_module);
    } modules;
    struct module_ids {
        VEC(uint32_t);
    } module_of[SIDES_MAX]; /* from a profile's module to the scene's */
    struct touches {
        VEC(struct touch); /* by module, function, side, kind, record */
    } touches;
    struct scene_trips {
        VEC(struct scene_trip); /* by scene_trip_order */
    } trips;
    struct scene_functions {
        VEC(struct scene_function); /* by module, function */
    } functions;
};

/* only: show modules of this path or name and no others; NULL shows all. The profiles must outlive
 * the scene. */
void scene_open(struct scene *scene, const struct profile *const *sides, uint32_t n_sides,
                const char *only);
/* Touches of what was sampled plainly, too, which are left out otherwise: there is another view of
 * it, whose stacks say more. */
void scene_take_plain(struct scene *scene);
void scene_close(struct scene *scene);

/* Fails, with the modules that there are, if none is shown. */
bool scene_shows(const struct scene *scene, struct err *err);
/* From here on scene_function_wanted and scene_place_wanted say no to functions that are not meant:
 * a name, a glob, or MODULE+0xADDRESS of any place in it. The pattern must outlive the scene. */
void scene_want_function(struct scene *scene, const char *pattern);
/* The same, and others that were walked are dropped. */
void scene_only_function(struct scene *scene, const char *pattern);
/* The same of this one, after scene_want_function, whose pattern may mean others as well. */
void scene_only_place(struct scene *scene, uint32_t module, function_id function);
bool scene_function_wanted(struct scene *scene, uint32_t module, function_id function,
                           const char *linkage);
/* Whether the module is shown, and the function there is wanted. */
bool scene_place_wanted(struct scene *scene, uint32_t module, uint64_t at);
/* Whether any function that was walked is wanted; what was not walked is not looked at. */
bool scene_wants_any(struct scene *scene, struct err *err);

/* By side, module, head and iterations; records last. */
int scene_trip_order(const void *a, const void *b);

/* The function that the touches from there on belong to, shown or not. */
struct scene_function scene_function_from(const struct scene *scene, size_t first_touch);

/* The module's index on a side, mapped to the scene's; MODULE_NONE stays. */
uint32_t scene_module(const struct scene *scene, uint32_t side, uint32_t module);
/* Whether the command of the first side starts with it, as far as the last part of its first word
 * tells. */
bool scene_is_program(const struct scene *scene, uint32_t module);
/* NULL: it is not there, or the module is none. */
struct binary *scene_binary(const struct scene *scene, uint32_t module);
/* The same of the module with that index on a side. */
const struct image *scene_image(const struct scene *scene, uint32_t side, uint32_t module);
/* What was seen of the function that lies there; NULL: nothing. */
const struct scene_function *scene_function_find(const struct scene *scene, uint32_t module,
                                                 uint64_t at);
function_id scene_function_at(const struct scene *scene, uint32_t module, uint64_t at);
/* The function's name as linked, or MODULE+0xADDRESS if it has none; for FUNCTION_NONE the module's
 * label. */
const char *scene_function_name(const struct scene *scene, uint32_t module, function_id function);
/* Whether a name that scene_function_name gave is no name: an address or a label. */
bool scene_nameless(const char *linkage);
/* The name that the recording has of code without a file; NULL: none. The module is the scene's. */
const char *scene_named(const struct scene *scene, uint32_t side, uint32_t module, uint64_t at);
/* The text of a source file that one of the profiles (of a struct scene) took along; NULL: none. */
const char *scene_source_kept(const void *scene, const char *path, size_t *ret_n);
/* The readable form of a name as linked; holds until the scene is closed. */
const char *scene_readable(struct scene *scene, const char *linkage);
