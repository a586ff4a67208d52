#include "analysis/counts/classes.h"

enum infer_class class_of_events(double samples, struct event_sum sum, struct class_rules rules)
{
    double aggregation = sum.stalls, shadow = sum.cycles - samples;
    double under = rules.under > 0 ? rules.under : 2, over = rules.over > 0 ? rules.over : 0.5;
    if (shadow - aggregation > under * samples)
        return CLASS_UNDER;
    if (aggregation > shadow && aggregation > over * sum.cycles)
        return CLASS_OVER;
    return CLASS_FAIR;
}

enum infer_class class_of_truth(double sampled, double truth, double near)
{
    if (sampled > near * truth)
        return CLASS_OVER;
    return truth > near * sampled ? CLASS_UNDER : CLASS_FAIR;
}

static double block_time(const struct flow *flow, const struct cfg_block *block)
{
    double time = 0;
    for (uint32_t i = 0; i < block->instructions; i++)
        time += (double)flow->instructions[block->first + i].time;
    return time;
}

void classes_by_events(struct infer_problem *problem, const struct problem_parts *parts,
                       const struct event_sums *sums)
{
    const struct cfg *cfg = parts->cfg;
    for (uint32_t i = 0; i < cfg->blocks.n; i++) {
        const struct cfg_block *block = &cfg->blocks.at[i];
        struct event_sum sum = {0};
        for (uint32_t j = 0; j < block->instructions; j++) {
            struct event_sum one = event_sums_at(sums, parts->function->module,
                                                 cfg->instructions.at[block->first + j].at);
            sum.cycles += one.cycles;
            sum.stalls += one.stalls;
        }
        problem->blocks.at[i].sampled =
            class_of_events(block_time(parts->flow, block), sum, parts->scene->rules);
    }
}

void classes_by_truth(struct infer_problem *problem, const struct problem_parts *parts,
                      const struct flow *truth)
{
    const struct cfg *cfg = parts->cfg;
    double sampled = 0, counted = 0;
    for (uint32_t i = 0; i < cfg->blocks.n; i++) {
        const struct cfg_block *block = &cfg->blocks.at[i];
        sampled += block_time(parts->flow, block);
        counted += (double)flow_block(truth, cfg, i)->count * block->instructions;
    }
    for (uint32_t i = 0; i < cfg->blocks.n && counted > 0; i++) {
        const struct cfg_block *block = &cfg->blocks.at[i];
        double ran = (double)flow_block(truth, cfg, i)->count * block->instructions;
        problem->blocks.at[i].sampled =
            class_of_truth(block_time(parts->flow, block), ran * sampled / counted, CLASS_NEAR);
    }
}
