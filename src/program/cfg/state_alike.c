#include "program/cfg/state_alike.h"

/* An own name becomes that of the same place of another block. */
static value_name name_as(value_name name, value_name own, value_name own_from)
{
    return name - own_from < STATE_PLACES ? own + (name - own_from) : name;
}

/* Own names of both are told apart from all others, even if one has those of the other. */
static bool name_alike(value_name a, value_name own_a, value_name b, value_name own_b)
{
    bool is_own = a - own_a < STATE_PLACES;
    return is_own == (b - own_b < STATE_PLACES) && (is_own ? a - own_a == b - own_b : a == b);
}

static bool value_alike(const struct value *a, value_name own_a, const struct value *b,
                        value_name own_b)
{
    struct value renamed = *b;
    renamed.name = a->name;
    return value_equal(a, &renamed) && name_alike(a->name, own_a, b->name, own_b);
}

static bool slots_alike(const struct state *a, value_name own_a, const struct state *b,
                        value_name own_b)
{
    for (uint32_t i = 0; i < a->n_slots; i++) {
        const struct slot *x = &a->slots[i], *y = &b->slots[i];
        if (x->bits != y->bits || x->number != y->number ||
            !name_alike(x->name, own_a, y->name, own_b) ||
            !value_alike(&x->value, own_a, &y->value, own_b))
            return false;
    }
    return true;
}

static bool facts_alike(const struct state *a, value_name own_a, const struct state *b,
                        value_name own_b)
{
    for (uint32_t i = 0; i < a->n_facts; i++) {
        const struct value_fact *x = &a->facts[i], *y = &b->facts[i];
        if (x->bits != y->bits || x->number != y->number || x->range.low != y->range.low ||
            x->range.high != y->range.high || x->range.limit != y->range.limit ||
            !name_alike(x->name, own_a, y->name, own_b))
            return false;
    }
    return true;
}

bool state_alike(const struct state *a, value_name own_a, const struct state *b, value_name own_b)
{
    if (a->n_slots != b->n_slots || a->n_facts != b->n_facts || a->right != b->right ||
        a->swapped != b->swapped || a->compared_bits != b->compared_bits ||
        !value_alike(&a->left, own_a, &b->left, own_b))
        return false;
    for (unsigned r = 0; r < 16; r++)
        if (!value_alike(&a->registers[r], own_a, &b->registers[r], own_b))
            return false;
    return slots_alike(a, own_a, b, own_b) && facts_alike(a, own_a, b, own_b);
}

void state_copy_as(struct state *state, value_name own, const struct state *from,
                   value_name own_from)
{
    state_copy(state, from);
    state->left.name = name_as(from->left.name, own, own_from);
    for (unsigned r = 0; r < 16; r++)
        state->registers[r].name = name_as(from->registers[r].name, own, own_from);
    for (uint32_t i = 0; i < from->n_slots; i++) {
        state->slots[i].name = name_as(from->slots[i].name, own, own_from);
        state->slots[i].value.name = name_as(from->slots[i].value.name, own, own_from);
    }
    for (uint32_t i = 0; i < from->n_facts; i++) {
        value_name name = name_as(from->facts[i].name, own, own_from);
        state->facts[i].name = name;
        state->named |= UINT64_C(1) << name % 64;
    }
}

uint32_t state_names(const struct state *state, value_name ret_names[STATE_NAMES_MAX])
{
    uint32_t n = 0;
    ret_names[n++] = state->left.name;
    for (unsigned r = 0; r < 16; r++)
        ret_names[n++] = state->registers[r].name;
    for (uint32_t i = 0; i < state->n_slots; i++) {
        ret_names[n++] = state->slots[i].name;
        ret_names[n++] = state->slots[i].value.name;
    }
    for (uint32_t i = 0; i < state->n_facts; i++)
        ret_names[n++] = state->facts[i].name;
    return n;
}
