/* The functions of one image, and the function of each address.
 *
 * Every byte of every executable section belongs to exactly one function. Sources, the most trusted
 * first: symbols of .symtab and .dynsym (FUNC and IFUNC; the outermost where they nest), PLT stubs
 * ("foo@plt", or "[plt]" without a name), frame descriptions of .eh_frame, and the gaps between.
 * The last two have no name and are called "[0xADDRESS]".
 *
 * If several names share an address, global wins over weak over local, then the shorter, then the
 * alphabetically first. "foo.cold" is a further range of foo, not a function. Unnamed parts are
 * assigned by the jumps that lead to them (split_parts.h). */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "program/symbols/crossings.h"
#include "program/elf/evidence.h"
#include "wire/address.h"

#include <stdint.h>

struct image;

typedef uint32_t function_id;
#define FUNCTION_NONE UINT32_MAX
#define RANGE_NONE UINT32_MAX

enum function_source { FUNCTION_SYMBOL, FUNCTION_STUB, FUNCTION_FRAME, FUNCTION_GAP };

struct function {
    const char *name;
    struct svma start;    /* of its main range: the entry */
    uint32_t first_range; /* the main one */
    uint8_t source;       /* enum function_source */
};
struct code_range {
    struct svma start;
    uint64_t bytes;
    function_id function;
    uint32_t next; /* of the same function, or RANGE_NONE */
};

struct symbols {
    struct arena arena;
    struct functions {
        VEC(struct function); /* by start */
    } functions;
    struct code_ranges {
        VEC(struct code_range); /* by start, disjoint */
    } ranges;
    struct inner_symbols {
        VEC(struct svma);
    } inner;                    /* starts of symbols inside of others; by start */
    struct evidence evidence;   /* of the data that code refers to */
    struct crossings crossings; /* by range; empty, without `used`, if names gave all functions */
};

void symbols_build(struct symbols *symbols, const struct image *image);
/* The same, without the sweep over all code if that is more than so many bytes: an unnamed part of
 * a function is then one of its own. 0: names alone, for who wants them now. */
void symbols_build_within(struct symbols *symbols, const struct image *image, size_t sweep_bytes);
void symbols_release(struct symbols *symbols);
/* The crossings found by symbols_build. If there were none it finds them now, in `own`; the caller
 * releases that. */
const struct crossings *symbols_crossings(const struct symbols *symbols, const struct image *image,
                                          struct crossings *own);

/* The range of the address; RANGE_NONE: not in an executable section. */
uint32_t symbols_range(const struct symbols *symbols, struct svma at);
/* FUNCTION_NONE: not in an executable section. */
function_id symbols_find(const struct symbols *symbols, struct svma at);
