#include "analysis/whatif/course.h"

static void step_hear(struct replay_listener *listener, const struct replay_step *heard)
{
    struct whatif_course *course = (struct whatif_course *)listener;
    if (heard->aborted)
        return;
    *vec_push(course) =
        (struct course_step){.insn = (uint32_t)(heard->insn - course->code->insns.at),
                             .id = heard->insn->id,
                             .warming = heard->warming,
                             .fact = *heard->fact};
    course->ended = heard->times->retire;
    if (heard->warming)
        course->began = heard->times->retire;
}

void course_init(struct whatif_course *course, struct core_code *code)
{
    *course = (struct whatif_course){.listener = {.step = step_hear},
                                     .code = code,
                                     .before = core_make(code->model),
                                     .again = core_make(code->model)};
}

void course_release(struct whatif_course *course)
{
    core_free(course->before);
    core_free(course->again);
    vec_release(&course->acts);
    vec_release(course);
}

void course_begin(struct whatif_course *course, const struct core *core)
{
    core_copy(course->before, core);
    course->n = 0;
    course->began = course->ended = 0;
}

uint64_t course_cycles(const struct whatif_course *course)
{
    return course->ended - course->began;
}

void course_acts_clear(struct whatif_course *course)
{
    vec_reserve(&course->acts, course->n);
    course->acts.n = course->n;
    memset(course->acts.at, 0, course->n);
}

const struct code_insn *course_insn(const struct whatif_course *course, size_t step)
{
    return &course->code->insns.at[course->at[step].insn];
}

static void insn_widen(struct core_insn *insn, const struct model *model)
{
    enum { WIDEST = 64 };
    uint32_t bytes = insn->memory_bytes * 2u;
    insn->memory_bytes = (uint8_t)(bytes > WIDEST ? WIDEST : bytes);
    if (model->vector_bits && bytes * 8 > model->vector_bits && insn->passes == 1) {
        insn->passes = 2;
        insn->every = (uint8_t)(insn->every * 2);
    }
}

uint64_t course_again(struct whatif_course *course, const struct core_insn *other)
{
    uint64_t began = course->began && course->n ? 0 : course->began, ended = 0;
    struct core_times times = {0};
    core_copy(course->again, course->before);
    for (size_t i = 0; i < course->n; i++) {
        const struct course_step *step = &course->at[i];
        uint8_t act = course->acts.at[i];
        if (!(act & ACT_SKIP)) {
            struct core_insn insn = act & ACT_OTHER ? *other : course_insn(course, i)->core;
            struct core_fact fact = step->fact;
            fact.changes = act & ACT_CHANGES;
            if (act & ACT_WIDER)
                insn_widen(&insn, course->code->model);
            core_step(course->again, &insn, &fact, &times);
            ended = times.retire;
        }
        if (step->warming)
            began = ended;
    }
    course->gone++;
    return ended - began;
}
