#include "lab/events/class_choice.h"

#include <math.h>

const struct class_rule class_rule_list[CLASS_RULES] = {
    {2, 0.5, 0},  {2, 0.75, 0},     {2, INFINITY, 0},   {4, 0.5, 0},
    {4, 0.75, 0}, {4, INFINITY, 0}, {INFINITY, 0.5, 0}, {INFINITY, 0.75, 0},
    {0, 0, 1.5},  {0, 0, 2},        {0, 0, 3},
};

size_t class_rule_choose(const double *overlaps, size_t n, size_t own)
{
    size_t best = 0;
    double most = -1;
    for (size_t rule = 0; rule < CLASS_RULES && n > 1; rule++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += i == own ? 0 : overlaps[i * CLASS_RULES + rule];
        if (sum > most) {
            most = sum;
            best = rule;
        }
    }
    return best;
}
