#include "program/cfg/flags.h"

void flags_compare(struct state *state, struct value left, struct value right, unsigned bits)
{
    left = value_cut(left, bits);
    right = value_cut(right, bits);
    state->swapped = left.kind == VALUE_CONST;
    if (state->swapped) {
        struct value swap = left;
        left = right;
        right = swap;
    }
    bool understood = left.kind == VALUE_TERM && left.bits <= bits && right.kind == VALUE_CONST;
    state->left = understood ? left : (struct value){0};
    state->right = right.number;
    state->compared_bits = (uint8_t)bits;
}

/* With its sides exchanged. */
static enum condition condition_swap(enum condition condition)
{
    switch (condition) {
    case CONDITION_ABOVE: return CONDITION_BELOW;
    case CONDITION_ABOVE_EQUAL: return CONDITION_BELOW_EQUAL;
    case CONDITION_BELOW: return CONDITION_ABOVE;
    case CONDITION_BELOW_EQUAL: return CONDITION_ABOVE_EQUAL;
    case CONDITION_GREATER: return CONDITION_LESS;
    case CONDITION_GREATER_EQUAL: return CONDITION_LESS_EQUAL;
    case CONDITION_LESS: return CONDITION_GREATER;
    case CONDITION_LESS_EQUAL: return CONDITION_GREATER_EQUAL;
    case CONDITION_EQUAL:
    case CONDITION_NOT_EQUAL: return condition;
    default: return CONDITION_NONE;
    }
}

/* Signed comparisons of what is known not to be negative are unsigned ones. */
static enum condition condition_unsigned(enum condition condition, struct value_range *known,
                                         uint64_t right, uint64_t positive)
{
    bool both = known->high <= positive && right <= positive;
    switch (condition) {
    case CONDITION_NOT_SIGN:
        if (!right && known->high > positive)
            known->high = positive;
        return CONDITION_NONE;
    case CONDITION_GREATER:
    case CONDITION_GREATER_EQUAL:
        if (right > positive)
            return CONDITION_NONE;
        if (known->high > positive)
            known->high = positive;
        return condition == CONDITION_GREATER ? CONDITION_ABOVE : CONDITION_ABOVE_EQUAL;
    case CONDITION_LESS: return both ? CONDITION_BELOW : CONDITION_NONE;
    case CONDITION_LESS_EQUAL: return both ? CONDITION_BELOW_EQUAL : CONDITION_NONE;
    default: return condition;
    }
}

void flags_forget(struct state *state)
{
    state->left = (struct value){0};
}

void flags_learn(struct state *state, enum condition condition)
{
    const struct value left = state->left;
    if (left.kind != VALUE_TERM || condition == CONDITION_NONE)
        return;
    if (state->swapped)
        condition = condition_swap(condition);
    uint64_t right = state->right;
    struct value_range range = state_range(state, &left);
    range.limit = LIMIT_NONE;
    condition = condition_unsigned(condition, &range, right, width_mask(state->compared_bits) >> 1);
    switch (condition) {
    case CONDITION_ABOVE: range.low = right == UINT64_MAX ? right : right + 1; break;
    case CONDITION_ABOVE_EQUAL: range.low = right; break;
    case CONDITION_BELOW:
        range.limit = right ? right - 1 : 0;
        range.high = range.limit < range.high ? range.limit : range.high;
        break;
    case CONDITION_BELOW_EQUAL:
        range.limit = right;
        range.high = right < range.high ? right : range.high;
        break;
    case CONDITION_EQUAL: range.low = range.high = range.limit = right; break;
    default: break;
    }
    state_learn(state, &left, range);
}
