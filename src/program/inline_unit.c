#include "program/inline_unit.h"

#include "program/dwarf_ranges.h"
#include "program/dwarf_unit.h"
#include "program/image.h"
#include "program/paint.h"

#include <dwarf.h>

struct walker {
    struct inline_unit *result;
    const struct dwarf_unit *unit;
    const struct image *image;
    struct range_budget *budget;
    struct levels {
        VEC(uint32_t); /* the node at each level of entries that is open */
    } levels;
    size_t function_level; /* of the outermost open function; 0: none is open */
    struct address_ranges ranges;
    struct stretches claims, painted; /* of the outermost open function */
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
    walker->painted.n = 0;
    stretches_paint(&walker->claims, &walker->painted);
    walker->claims.n = 0;
    for (size_t i = 0; i < walker->painted.n; i++) {
        const struct stretch *stretch = &walker->painted.at[i];
        if (!piece || piece->end != stretch->start || stretch->end - piece->start >= UINT32_MAX) {
            piece = vec_push(&result->pieces);
            piece->start = stretch->start;
            piece->first_segment = (uint32_t)result->segments.n;
        }
        *vec_push(&result->segments) =
            (struct inline_segment){(uint32_t)(stretch->start - piece->start), stretch->value};
        piece->n_segments++;
        piece->end = stretch->end;
    }
}

static void claims_add(struct walker *walker, const struct die *die, uint32_t node)
{
    walker->ranges.n = 0;
    if (!dwarf_ranges_read(&walker->ranges, walker->unit, die, walker->budget))
        damage_note(&walker->result->damage, ".debug_info", die->offset,
                    "an entry has ranges that make no sense");
    for (size_t i = 0; i < walker->ranges.n; i++)
        if (in_code(walker->image, &walker->ranges.at[i]))
            *vec_push(&walker->claims) =
                (struct stretch){walker->ranges.at[i].start, walker->ranges.at[i].end, node};
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
    size_t before = walker->claims.n;
    uint32_t node = (uint32_t)walker->result->nodes.n;
    claims_add(walker, die, node);
    if (walker->claims.n == before)
        return NODE_NONE;
    *vec_push(&walker->result->nodes) =
        (struct inline_node){.origin = die->offset, .parent = NODE_NONE};
    return node;
}

static uint32_t inlined_open(struct walker *walker, const struct die *die, uint32_t parent)
{
    uint64_t origin = die_reference(walker->unit, die, DIE_ORIGIN);
    uint32_t node = (uint32_t)walker->result->nodes.n;
    *vec_push(&walker->result->nodes) =
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

static void level_close(struct walker *walker, uint32_t *node)
{
    *node = walker->levels.at[--walker->levels.n];
    if (walker->function_level && walker->levels.n < walker->function_level) {
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
            if (cursor->bad || !walker->levels.n)
                return cursor->bad ? "an entry is cut off" : NULL;
            level_close(walker, &node);
            continue;
        }
        die.abbrev = abbrevs_find(unit->abbrevs, code);
        if (!die.abbrev)
            return "an entry has an abbreviation that does not exist";
        if (!die_read(unit, cursor, &die))
            return "an entry is cut off";
        uint32_t inside = die.abbrev->role == ROLE_BORING ? node : entry_open(walker, &die, node);
        if (!die.abbrev->children)
            continue;
        uint64_t sibling = die.abbrev->role == ROLE_BORING ? sibling_of(walker, &die, cursor) : 0;
        if (sibling) {
            cursor->at = info + sibling;
            continue;
        }
        *vec_push(&walker->levels) = node;
        if (die.abbrev->role == ROLE_FUNCTION && !walker->function_level)
            walker->function_level = walker->levels.n;
        node = inside;
    }
    return NULL;
}

void inline_unit_read(struct inline_unit *result, const struct dwarf_unit *unit,
                      const struct image *image, struct range_budget *budget)
{
    *result = (struct inline_unit){0};
    if (!unit->abbrevs)
        return;
    struct walker walker = {.result = result, .unit = unit, .image = image, .budget = budget};
    const uint8_t *info = unit->sections->at[DWARF_INFO].at;
    struct cursor cursor = {info + unit->first_die, info + unit->end, false};
    const char *why = entries_walk(&walker, &cursor);
    if (why)
        damage_note(&result->damage, ".debug_info", (uint64_t)(cursor.at - info), why);
    /* What a broken end leaves open. */
    function_close(&walker);
    vec_release(&walker.levels);
    vec_release(&walker.ranges);
    vec_release(&walker.claims);
    vec_release(&walker.painted);
}

void inline_unit_release(struct inline_unit *result)
{
    vec_release(&result->nodes);
    vec_release(&result->segments);
    vec_release(&result->pieces);
}
