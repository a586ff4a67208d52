#include "walk/count/plan_path.h"

struct plan_path path_behind(struct plan_path path, const struct wire_plan *operation)
{
    switch ((enum plan_action)operation->action) {
    case PLAN_SET: path = (struct plan_path){(uint64_t)operation->value, true}; break;
    case PLAN_ADD: path.value += (uint64_t)operation->value; break;
    case PLAN_BACK: path = (struct plan_path){0}; break;
    default: break;
    }
    return operation->flags & PLAN_ENDS ? (struct plan_path){0} : path;
}

struct plan_path plan_follow(const struct plan *plan, plan_place place, struct plan_path path)
{
    for (uint32_t i = 0; i < plan_operations(place); i++)
        path = path_behind(path, &plan_operation(plan, place)[i]);
    return path;
}

struct plan_path plan_enter(const struct plan *plan, uint64_t pc, struct plan_path path)
{
    plan_place place = plan && !path_settled(&path) ? plan_find(plan, PLAN_AT, pc) : 0;
    bool set = place && plan_operation(plan, place)->action == PLAN_SET;
    return set ? (struct plan_path){0} : path;
}
