#include "program/elf/known.h"

void known_release(struct known *known)
{
    vec_release(&known->functions);
    vec_release(&known->ranges);
    evidence_release(&known->evidence);
    vec_release(&known->starts);
    vec_release(&known->arrivals);
    arena_release(&known->arena);
}
