#include "program/dwarf/inline_unit.h"

#include "program/dwarf/dwarf_ranges.h"
#include "program/dwarf/dwarf_unit.h"
#include "program/elf/image.h"

#include <string.h>

struct walker {
    struct inline_unit *result;
    const struct dwarf_unit *unit;
    const struct image *image;
    struct range_budget *budget;
    struct inline_scratch *scratch; /* claims: of the outermost open function */
    size_t function_level;          /* of the outermost open function; 0: none is open */
};

/* ---- one function */

static bool in_code(const struct image *image, const struct address_range *range)
{
    size_t room;
    return image_executable(image, (struct svma){range->start}) &&
           image_bytes(image, (struct svma){range->start}, &room) &&
           range->end - range->start <= room && range->end - range->start < UINT32_MAX;
}

/* Everything that the function's entries claim becomes pieces of code, cut into segments. */
static void function_close(struct walker *walker)
{
    struct inline_unit *result = walker->result;
    struct inline_piece *piece = NULL;
    walker->scratch->painted.n = 0;
    stretches_paint(&walker->scratch->claims, &walker->scratch->painted);
    walker->scratch->claims.n = 0;
    for (size_t i = 0; i < walker->scratch->painted.n; i++) {
        const struct stretch *stretch = &walker->scratch->painted.at[i];
        if (!piece || piece->end != stretch->start || stretch->end - piece->start >= UINT32_MAX) {
            piece = vec_push(&result->pieces);
            piece->start = stretch->start;
            piece->first_segment = (uint32_t)walker->scratch->segments.n;
        }
        *vec_push(&walker->scratch->segments) =
            (struct inline_segment){(uint32_t)(stretch->start - piece->start), stretch->value};
        piece->n_segments++;
        piece->end = stretch->end;
    }
}

static void claims_add(struct walker *walker, const struct die *die, uint32_t node)
{
    walker->scratch->ranges.n = 0;
    if (!dwarf_ranges_read(&walker->scratch->ranges, walker->unit, die, walker->budget))
        damage_note(&walker->result->damage, ".debug_info", die->offset,
                    "an entry has ranges that make no sense");
    for (size_t i = 0; i < walker->scratch->ranges.n; i++)
        if (in_code(walker->image, &walker->scratch->ranges.at[i]))
            *vec_push(&walker->scratch->claims) = (struct stretch){
                walker->scratch->ranges.at[i].start, walker->scratch->ranges.at[i].end, node};
}

static uint32_t small(const struct die *die, enum die_attribute attribute)
{
    return die_has(die, attribute) ? (uint32_t)die->value[attribute] : 0;
}

/* The new node, or NODE_NONE if the entry has no code. */
static uint32_t function_open(struct walker *walker, const struct die *die)
{
    if (!die_has(die, DIE_RANGES) && !(die_has(die, DIE_LOW) && die_has(die, DIE_HIGH)))
        return NODE_NONE;
    size_t before = walker->scratch->claims.n;
    uint32_t node = (uint32_t)walker->scratch->nodes.n;
    claims_add(walker, die, node);
    if (walker->scratch->claims.n == before)
        return NODE_NONE;
    *vec_push(&walker->scratch->nodes) =
        (struct inline_node){.origin = die->offset, .parent = NODE_NONE};
    return node;
}

static uint32_t inlined_open(struct walker *walker, const struct die *die, uint32_t parent)
{
    uint64_t origin = die_reference(walker->unit, die, DIE_ORIGIN);
    uint32_t node = (uint32_t)walker->scratch->nodes.n;
    *vec_push(&walker->scratch->nodes) =
        (struct inline_node){.origin = origin == OFFSET_NONE ? die->offset : origin,
                             .parent = parent,
                             .call_file = small(die, DIE_CALL_FILE),
                             .call_line = small(die, DIE_CALL_LINE),
                             .call_column = small(die, DIE_CALL_COLUMN),
                             .discriminator = small(die, DIE_DISCRIMINATOR)};
    claims_add(walker, die, node);
    return node;
}

/* ---- all entries */

/* Where the next entry of the same level is, if that is said and makes sense; else 0. */
static uint64_t sibling_of(const struct walker *walker, const struct die *die,
                           const struct cursor *cursor)
{
    uint64_t at = die_reference(walker->unit, die, DIE_SIBLING);
    uint64_t here = (uint64_t)(cursor->at - walker->unit->sections->at[DWARF_INFO].at);
    return at != OFFSET_NONE && at >= here && at < walker->unit->end ? at : 0;
}

/* Nothing below the entry has code. Of those who say where the next entry is, which is GCC alone,
 * also below types: it puts the code of their functions outside, but for types inside of functions.
 */
static bool has_no_code(const struct walker *walker, const struct die *die)
{
    return die->abbrev->role == ROLE_BORING ||
           (die->abbrev->role == ROLE_TYPE && !walker->function_level);
}

static void level_close(struct walker *walker, uint32_t *node)
{
    *node = walker->scratch->levels.at[--walker->scratch->levels.n];
    if (walker->function_level && walker->scratch->levels.n < walker->function_level) {
        function_close(walker);
        walker->function_level = 0;
    }
}

/* The node of what is inside of the entry. */
static uint32_t entry_open(struct walker *walker, const struct die *die, uint32_t node)
{
    switch (die->abbrev->role) {
    case ROLE_FUNCTION:
        node = function_open(walker, die);
        if (!die->abbrev->children && !walker->function_level)
            function_close(walker);
        return node;
    case ROLE_INLINED: return node == NODE_NONE ? node : inlined_open(walker, die, node);
    default: return node;
    }
}

/* Returns NULL, or what is wrong at the cursor. */
static const char *entries_walk(struct walker *walker, struct cursor *cursor)
{
    const struct dwarf_unit *unit = walker->unit;
    const uint8_t *info = unit->sections->at[DWARF_INFO].at;
    uint32_t node = NODE_NONE;
    struct die die;
    while (cursor->at < cursor->end) {
        die.offset = (uint64_t)(cursor->at - info);
        uint64_t code = cursor_uleb(cursor);
        if (!code) {
            if (cursor->bad || !walker->scratch->levels.n)
                return cursor->bad ? "an entry is cut off" : NULL;
            level_close(walker, &node);
            continue;
        }
        die.abbrev = abbrevs_find(unit->abbrevs, code);
        if (!die.abbrev)
            return "an entry has an abbreviation that does not exist";
        if (die.abbrev->plain && cursor_has(cursor, die.abbrev->fixed_bytes)) {
            cursor->at += die.abbrev->fixed_bytes;
            continue;
        }
        if (!die_read(unit, cursor, &die))
            return "an entry is cut off";
        uint32_t inside = die.abbrev->role == ROLE_BORING ? node : entry_open(walker, &die, node);
        if (!die.abbrev->children)
            continue;
        uint64_t sibling = has_no_code(walker, &die) ? sibling_of(walker, &die, cursor) : 0;
        if (sibling) {
            cursor->at = info + sibling;
            continue;
        }
        *vec_push(&walker->scratch->levels) = node;
        if (die.abbrev->role == ROLE_FUNCTION && !walker->function_level)
            walker->function_level = walker->scratch->levels.n;
        node = inside;
    }
    return NULL;
}

static void *exact_copy(const void *from, size_t bytes)
{
    return bytes ? memcpy(mem_resize(NULL, bytes), from, bytes) : NULL;
}

void inline_unit_read(struct inline_unit *result, const struct dwarf_unit *unit,
                      const struct image *image, struct range_budget *budget,
                      struct inline_scratch *scratch)
{
    *result = (struct inline_unit){0};
    if (!unit->abbrevs)
        return;
    scratch->nodes.n = scratch->segments.n = scratch->levels.n = scratch->claims.n = 0;
    struct walker walker = {
        .result = result, .unit = unit, .image = image, .budget = budget, .scratch = scratch};
    const uint8_t *info = unit->sections->at[DWARF_INFO].at;
    struct cursor cursor = {info + unit->first_die, info + unit->end, false};
    const char *why = entries_walk(&walker, &cursor);
    if (why)
        damage_note(&result->damage, ".debug_info", (uint64_t)(cursor.at - info), why);
    /* What a broken end leaves open. */
    function_close(&walker);
    result->nodes = exact_copy(scratch->nodes.at, scratch->nodes.n * sizeof *result->nodes);
    result->segments =
        exact_copy(scratch->segments.at, scratch->segments.n * sizeof *result->segments);
}

void inline_unit_release(struct inline_unit *result)
{
    mem_free(result->nodes);
    mem_free(result->segments);
    vec_release(&result->pieces);
}

void inline_scratch_release(struct inline_scratch *scratch)
{
    vec_release(&scratch->nodes);
    vec_release(&scratch->segments);
    vec_release(&scratch->claims);
    vec_release(&scratch->painted);
    vec_release(&scratch->ranges);
    vec_release(&scratch->levels);
}
