#include "program/cfg/values.h"

#include <string.h>

/* ---- values */

bool value_equal(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && a->bits == b->bits && a->scale == b->scale &&
           a->is_signed == b->is_signed && a->weak == b->weak && a->name == b->name &&
           a->number == b->number;
}

struct value value_cut(struct value value, unsigned bits)
{
    if (value.kind == VALUE_CONST)
        return value_const(value.number & width_mask(bits));
    if (value.kind != VALUE_TERM)
        return bits == 64 ? value : (struct value){0};
    if (bits == 64 || (bits > value.bits && !value.is_signed && value.scale == 1))
        return value;
    if (value.scale != 1 || bits > value.bits)
        return (struct value){0};
    value.bits = (uint8_t)bits;
    value.is_signed = false;
    value.number &= width_mask(bits);
    return value;
}

struct value value_add(struct value value, uint64_t number, unsigned bits)
{
    value = value_cut(value, bits);
    if (value.kind == VALUE_CONST)
        return value_const((value.number + number) & width_mask(bits));
    if (value.kind != VALUE_TERM || value.bits != bits || value.scale != 1)
        return (struct value){0};
    value.number = (value.number + number) & width_mask(bits);
    return value;
}

/* ---- ranges */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct value_range range_meet(struct value_range a, struct value_range b)
{
    return (struct value_range){most(a.low, b.low), least(a.high, b.high), least(a.limit, b.limit)};
}

static struct value_range range_unite(struct value_range a, struct value_range b)
{
    return (struct value_range){least(a.low, b.low), most(a.high, b.high), most(a.limit, b.limit)};
}

static bool range_equal(const struct value_range *a, const struct value_range *b)
{
    return a->low == b->low && a->high == b->high && a->limit == b->limit;
}

static struct value_range range_all(unsigned bits)
{
    return (struct value_range){0, width_mask(bits), LIMIT_NONE};
}

bool range_shift(struct value_range *range, uint64_t by, unsigned bits)
{
    uint64_t low = (range->low + by) & width_mask(bits);
    uint64_t high = (range->high + by) & width_mask(bits);
    uint64_t beyond = range->limit - range->high;
    if (high - low != range->high - range->low)
        return false;
    bool limited = range->limit != LIMIT_NONE && beyond <= width_mask(bits) - high;
    *range = (struct value_range){low, high, limited ? high + beyond : LIMIT_NONE};
    return true;
}

/* What a fact says about a term of the same name of which `known` is known already. */
static struct value_range fact_apply(const struct value_fact *fact, const struct value *term,
                                     struct value_range known)
{
    unsigned narrow = fact->bits < term->bits ? fact->bits : term->bits;
    uint64_t shift = (term->number - fact->number) & width_mask(narrow);
    struct value_range said = fact->range;
    if (fact->bits == term->bits) {
        /* Else it wraps around, and is no range. */
        return range_shift(&said, shift, narrow) ? range_meet(known, said) : known;
    }
    if (shift)
        return known;
    /* A wide term that fits in narrow bits is its own narrow view. */
    if (fact->bits > term->bits ? said.high > width_mask(narrow) : known.high > width_mask(narrow))
        return known;
    return range_meet(known, said);
}

/* Which facts are about a name. */
struct about {
    uint32_t n;
    uint8_t at[STATE_FACTS];
};

/* Facts by name, for who asks of many: the first of each name modulo 64, and of each the next. */
enum { NAMES_FOLDED = 64, FACT_NONE = STATE_FACTS };
struct fact_index {
    uint8_t first[NAMES_FOLDED], next[STATE_FACTS];
};

static void facts_index(const struct state *state, struct fact_index *index)
{
    memset(index->first, FACT_NONE, sizeof index->first);
    for (uint32_t i = state->n_facts; i-- > 0;) {
        uint8_t *first = &index->first[state->facts[i].name % NAMES_FOLDED];
        index->next[i] = *first;
        *first = (uint8_t)i;
    }
}

static void about_look_up(const struct state *state, const struct fact_index *index,
                          value_name name, struct about *about)
{
    about->n = 0;
    for (uint8_t i = index->first[name % NAMES_FOLDED]; i != FACT_NONE; i = index->next[i])
        if (state->facts[i].name == name)
            about->at[about->n++] = i;
}

static void about_find(const struct state *state, value_name name, struct about *about)
{
    about->n = 0;
    for (uint32_t i = 0; state->named >> name % 64 & 1 && i < state->n_facts; i++)
        if (state->facts[i].name == name)
            about->at[about->n++] = (uint8_t)i;
}

static struct value_range range_about(const struct state *state, const struct value *value,
                                      const struct about *about)
{
    if (value->kind == VALUE_CONST)
        return (struct value_range){value->number, value->number, LIMIT_NONE};
    if (value->kind != VALUE_TERM)
        return range_all(64);
    struct value_range range = range_all(value->bits);
    /* One alone says all that it can at once. */
    for (uint32_t pass = 0; pass < 2 && pass < about->n; pass++)
        for (uint32_t i = 0; i < about->n; i++)
            range = fact_apply(&state->facts[about->at[i]], value, range);
    if (value->is_signed && range.high > width_mask(value->bits) >> 1)
        return range_all(64);
    return range;
}

struct value_range state_range(const struct state *state, const struct value *value)
{
    struct about about = {.n = 0};
    if (value->kind == VALUE_TERM)
        about_find(state, value->name, &about);
    return range_about(state, value, &about);
}

static void fact_drop(struct state *state, uint32_t i)
{
    memmove(&state->facts[i], &state->facts[i + 1],
            (state->n_facts - i - 1) * sizeof *state->facts);
    state->n_facts--;
}

static void fact_push(struct state *state, const struct value *term, struct value_range range)
{
    if (state->n_facts == STATE_FACTS)
        fact_drop(state, 0);
    state->named |= UINT64_C(1) << term->name % 64;
    state->facts[state->n_facts++] = (struct value_fact){
        .name = term->name, .bits = term->bits, .number = term->number, .range = range};
}

void state_learn(struct state *state, const struct value *value, struct value_range range)
{
    struct value term = *value;
    /* Not negative: then the sign has nothing to extend. */
    if (term.is_signed && range.high <= width_mask(term.bits) >> 1)
        term.is_signed = false;
    if (term.kind != VALUE_TERM || term.is_signed)
        return;
    struct value_range known = state_range(state, &term);
    range = range_meet(known, range);
    if (range.low > range.high || range_equal(&range, &known))
        return;
    for (uint32_t i = 0; i < state->n_facts; i++)
        if (state->facts[i].name == term.name && state->facts[i].bits == term.bits &&
            state->facts[i].number == term.number) {
            fact_drop(state, i);
            break;
        }
    fact_push(state, &term, range);
}

/* ---- names */

static bool names(const struct value *value, value_name name)
{
    return value->kind >= VALUE_TERM && value->name == name;
}

void state_forget(struct state *state, value_name name)
{
    for (unsigned r = 0; r < 16; r++)
        if (names(&state->registers[r], name))
            state->registers[r] = (struct value){0};
    for (uint32_t i = state->n_slots; i-- > 0;) {
        if (names(&state->slots[i].value, name))
            state->slots[i].value = (struct value){0};
        if (state->slots[i].name == name)
            state_slot_drop(state, i);
    }
    for (uint32_t i = state->n_facts; state->named >> name % 64 & 1 && i-- > 0;)
        if (state->facts[i].name == name)
            fact_drop(state, i);
    if (names(&state->left, name))
        state->left = (struct value){0};
}

/* ---- memory */

const struct slot *state_slot(const struct state *state, value_name name, uint64_t number,
                              unsigned bits)
{
    for (uint32_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].name == name && state->slots[i].number == number &&
            state->slots[i].bits >= bits)
            return &state->slots[i];
    return NULL;
}

void state_slot_drop(struct state *state, uint32_t slot)
{
    memmove(&state->slots[slot], &state->slots[slot + 1],
            (state->n_slots - slot - 1) * sizeof *state->slots);
    state->n_slots--;
}

void state_slot_set(struct state *state, value_name name, uint64_t number, unsigned bits,
                    struct value value)
{
    if (state->n_slots == STATE_SLOTS)
        state_slot_drop(state, 0);
    state->slots[state->n_slots++] =
        (struct slot){.name = name, .bits = (uint8_t)bits, .number = number, .value = value};
}

/* ---- joining */

static bool slot_equal(const struct slot *a, const struct slot *b)
{
    return a->name == b->name && a->bits == b->bits && a->number == b->number &&
           value_equal(&a->value, &b->value);
}

static bool fact_equal(const struct value_fact *a, const struct value_fact *b)
{
    return a->name == b->name && a->bits == b->bits && a->number == b->number &&
           range_equal(&a->range, &b->range);
}

static bool comparison_equal(const struct state *a, const struct state *b)
{
    return value_equal(&a->left, &b->left) && a->right == b->right && a->swapped == b->swapped &&
           a->compared_bits == b->compared_bits;
}

void state_copy(struct state *state, const struct state *from)
{
    memcpy(state, from, offsetof(struct state, facts) + from->n_facts * sizeof *from->facts);
}

bool state_equal(const struct state *a, const struct state *b)
{
    bool equal = a->n_slots == b->n_slots && a->n_facts == b->n_facts && comparison_equal(a, b);
    for (unsigned r = 0; r < 16 && equal; r++)
        equal = value_equal(&a->registers[r], &b->registers[r]);
    for (uint32_t i = 0; i < a->n_slots && equal; i++)
        equal = slot_equal(&a->slots[i], &b->slots[i]);
    for (uint32_t i = 0; i < a->n_facts && equal; i++)
        equal = fact_equal(&a->facts[i], &b->facts[i]);
    return equal;
}

/* Ranges of a value cut to each width: a check may be of its low bits alone. */
enum { WIDTHS = 4 };
static const uint8_t widths[WIDTHS] = {64, 32, 16, 8};

struct ranges {
    bool nothing; /* is known, of any width; else: */
    struct value_range of[WIDTHS];
};

static bool is_any(const struct value *value, const struct about *about)
{
    if (value->kind != VALUE_TERM)
        return value->kind != VALUE_CONST;
    return value->scale != 1 || (value->bits == 64 && !about->n);
}

static struct value_range range_cut(const struct state *state, const struct value *value,
                                    const struct about *about, unsigned bits)
{
    struct value_range all = range_all(bits);
    struct value cut = value_cut(*value, bits);
    if (cut.kind == VALUE_ANY || (cut.kind == VALUE_TERM && cut.scale != 1))
        return all;
    struct value_range range = range_about(state, &cut, about);
    return range.high <= width_mask(bits) ? range : all;
}

/* One of two ways that are joined. */
struct way {
    const struct state *state;
    struct fact_index index;
};

static void way_begin(struct way *way, const struct state *state)
{
    way->state = state;
    facts_index(state, &way->index);
}

/* What two ways know of one place, together; `settled`: it may not grow any more. */
static void ranges_unite(const struct way *ways, const struct value *mine,
                         const struct value *theirs, bool settled, struct ranges *ret_ranges)
{
    struct about about_mine, about_theirs;
    about_look_up(ways[0].state, &ways[0].index, mine->name, &about_mine);
    ret_ranges->nothing = is_any(mine, &about_mine);
    if (ret_ranges->nothing)
        return;
    about_look_up(ways[1].state, &ways[1].index, theirs->name, &about_theirs);
    ret_ranges->nothing = is_any(theirs, &about_theirs);
    for (unsigned w = 0; w < WIDTHS && !ret_ranges->nothing; w++) {
        struct value_range a = range_cut(ways[0].state, mine, &about_mine, widths[w]);
        struct value_range b = range_cut(ways[1].state, theirs, &about_theirs, widths[w]);
        struct value_range *both = &ret_ranges->of[w];
        *both = range_unite(a, b);
        if (settled && (both->low != a.low || both->high != a.high))
            *both = range_all(widths[w]);
    }
}

/* A place whose values differ gets a name of the join's own, and the ranges of both. */
static void value_join(const struct way *ways, struct value *mine, const struct value *theirs,
                       value_name name, bool patient, struct ranges *ret_ranges)
{
    struct value joined = value_named(name, 64);
    struct value before = *mine;
    joined.weak = mine->weak;
    bool was_joined = value_equal(mine, &joined);
    if (!was_joined && value_equal(mine, theirs))
        return;
    joined.weak |= theirs->weak;
    *mine = joined;
    ranges_unite(ways, &before, theirs, was_joined && !patient, ret_ranges);
}

/* What the widths say that wider ones do not say already. */
static void ranges_learn(struct state *state, const struct value *value,
                         const struct ranges *ranges)
{
    for (unsigned w = 0; w < WIDTHS && !ranges->nothing; w++) {
        struct value cut = value_cut(*value, widths[w]);
        struct value_range known = state_range(state, &cut);
        const struct value_range *range = &ranges->of[w];
        if (range->low > known.low || range->high < known.high || range->limit < known.limit)
            fact_push(state, &cut, *range);
    }
}

static void facts_join(struct state *state, const struct way *other, bool patient)
{
    for (uint32_t i = state->n_facts; i-- > 0;) {
        struct value_fact *fact = &state->facts[i];
        struct value term = value_named(fact->name, fact->bits);
        term.number = fact->number;
        struct about about;
        about_look_up(other->state, &other->index, fact->name, &about);
        struct value_range theirs = range_about(other->state, &term, &about);
        struct value_range both = range_unite(fact->range, theirs);
        bool grows = both.low != fact->range.low || both.high != fact->range.high;
        fact->range = both;
        if ((grows && !patient) || (!both.low && both.high == width_mask(fact->bits)))
            fact_drop(state, i);
    }
}

/* Memory behind a pointer that this very join makes anew is dropped with the old pointer. */
static void slots_join(struct state *state, const struct state *other, value_name first_name)
{
    for (uint32_t i = state->n_slots; i-- > 0;) {
        const struct slot *mine = &state->slots[i];
        const struct slot *theirs = state_slot(other, mine->name, mine->number, mine->bits);
        bool stale = mine->name - first_name < STATE_PLACES;
        if (stale || !theirs || theirs->bits != mine->bits)
            state_slot_drop(state, i);
    }
}

/* Many facts have gone. */
static void names_note(struct state *state)
{
    state->named = 0;
    for (uint32_t i = 0; i < state->n_facts; i++)
        state->named |= UINT64_C(1) << state->facts[i].name % 64;
}

static struct value *place_at(struct state *state, uint32_t place)
{
    return place < 16 ? &state->registers[place] : &state->slots[place - 16].value;
}

/* Bits of places that bear the name that this join has for them. */
static uint32_t names_given(struct state *state, value_name first_name)
{
    uint32_t given = 0;
    for (uint32_t place = 0; place < 16 + state->n_slots; place++) {
        const struct value *value = place_at(state, place);
        struct value joined = value_named(first_name + place, 64);
        joined.weak = value->weak;
        given |= (uint32_t)value_equal(value, &joined) << place;
    }
    return given;
}

static bool is_outdated(const struct value *value, value_name first_name, uint32_t given)
{
    value_name place = value->name - first_name;
    return value->kind >= VALUE_TERM && place < STATE_PLACES && given >> place & 1;
}

/* As state_forget, of all names that are given again: whoever else bears one has it from the last
 * time. Their facts and slots are gone already. */
static void names_forget(struct state *state, value_name first_name, uint32_t given)
{
    for (uint32_t place = 0; place < 16 + state->n_slots; place++) {
        struct value *value = place_at(state, place);
        if (is_outdated(value, first_name, given & ~(UINT32_C(1) << place)))
            *value = (struct value){0};
    }
    if (is_outdated(&state->left, first_name, given))
        state->left = (struct value){0};
}

bool state_join(struct state *state, const struct state *other, value_name first_name, bool patient)
{
    struct state before;
    struct ranges ranges[STATE_PLACES];
    struct way ways[2];
    state_copy(&before, state);
    way_begin(&ways[0], &before);
    way_begin(&ways[1], other);
    slots_join(state, other, first_name);
    for (unsigned r = 0; r < 16; r++)
        value_join(ways, &state->registers[r], &other->registers[r], first_name + r, patient,
                   &ranges[r]);
    for (uint32_t i = 0; i < state->n_slots; i++) {
        struct slot *slot = &state->slots[i];
        const struct slot *theirs = state_slot(other, slot->name, slot->number, slot->bits);
        value_join(ways, &slot->value, &theirs->value, first_name + 16 + i, patient,
                   &ranges[16 + i]);
    }
    /* Facts of this join's own names are those of the places that bear them, made anew below. */
    for (uint32_t i = state->n_facts; i-- > 0;)
        if (state->facts[i].name - first_name < STATE_PLACES)
            fact_drop(state, i);
    facts_join(state, &ways[1], patient);
    names_note(state);
    uint32_t given = names_given(state, first_name);
    names_forget(state, first_name, given);
    for (uint32_t place = 0; given >> place; place++)
        if (given >> place & 1)
            ranges_learn(state, place_at(state, place), &ranges[place]);
    if (!comparison_equal(state, other)) {
        state->left = (struct value){0};
        state->right = state->compared_bits = state->swapped = 0;
    }
    return !state_equal(&before, state);
}
