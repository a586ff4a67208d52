#include "agent/sampling/trail.h"

#include "agent/base/clock.h"
#include "agent/base/faults.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/pace.h"
#include "agent/sampling/tally.h"
#include "walk/base/budgets.h"
#include "walk/base/sys.h"
#include "wire/plain.h"

enum {
    FIRST = 4000, /* instructions of the first piece */
    LEAST = 256,
    PIECE_MOST = 4 * BUDGET_MOST,
    PIECES_MAX = 64,
    END_PART = 16, /* a trail may end so early */
    PARTS = 8,     /* of a trail: no piece is longer */
    COLD = 30000,  /* instructions */
    SLOW = 2,      /* times the pace of all trails: a piece that may have had faults */
    RATE_MIN = 1000,
    PREEMPTED_NS = 20000,
    LONG_NS = 2000000,
    COPIED_PART = 4,               /* a long trail does not copy for more of its time than that */
    LONG_LEAST = 200000,           /* instructions of its later half */
    LONG_SHARE = 8,                /* one part of so many of the budget */
    LONG_SHARE_PAYLOAD = 32,       /* the same where windows need it more */
    LONG_LEAST_NS = 100 * 1000000, /* of CPU time between them */
};

/* Plain code for about n instructions. The first budget used up ends it: after n / 4 in a loop of
 * one superblock, after a few times n at most in code that charges all of them alike. */
static uint32_t piece_run(struct thread *thread, uint64_t n, struct plain_piece *ret,
                          uint64_t charged[CONTEXT_BUDGETS])
{
    struct context *context = thread->context;
    int64_t each = (int64_t)n / 4 + 1;
    budgets_begin(context, each);
    uint64_t apart = walk_ticks_apart(&thread->walk), between = thread->walk.between_ticks;
    uint64_t tsc = sys_tsc();
    uint32_t stop = walk_run(&thread->walk, FLAVOUR_PLAIN);
    uint64_t all = sys_tsc() - tsc, ticks = all - (walk_ticks_apart(&thread->walk) - apart);
    struct spent spent = budgets_spent(context, each);
    budgets_add(context, each, charged);
    *ret = (struct plain_piece){.instructions = spent.instructions,
                                .direct = spent.direct,
                                .indirect = spent.indirect,
                                .ticks = ticks,
                                .copies = all - (thread->walk.between_ticks - between)};
    return stop;
}

uint32_t trail_skip(struct thread *thread, uint32_t n, uint32_t *ret_instructions)
{
    struct plain_piece piece;
    uint64_t charged[CONTEXT_BUDGETS] = {0};
    uint32_t stop = piece_run(thread, n, &piece, charged);
    *ret_instructions = (uint32_t)piece.instructions;
    return stop;
}

/* The part of these ticks that the piece would have taken natively. */
static uint64_t native_of(const struct plain_piece *piece, uint64_t ticks)
{
    uint64_t tallied = agent.options.tally ? piece->instructions : 0;
    uint32_t scale = agent.options.copies_q8;
    return plain_native_ticks(ticks,
                              plain_copies_ticks(scale, piece->direct, piece->indirect, tallied));
}

static uint64_t native_ticks(const struct plain_piece *piece)
{
    return native_of(piece, piece->ticks);
}

static void piece_add(struct plain_piece *sum, const struct plain_piece *more)
{
    sum->instructions += more->instructions;
    sum->direct += more->direct;
    sum->indirect += more->indirect;
    sum->ticks += more->ticks;
    sum->copies += more->copies;
}

/* ---- how far it has come */

static void course_add(struct course *course, const struct plain_piece *piece)
{
    piece_add(&course->all, piece);
    if (course->all.instructions > 4 * course->late_from) {
        course->late = (struct plain_piece){0};
        course->late_from = course->all.instructions - piece->instructions;
    }
    piece_add(&course->late, piece);
}

/* Ticks that the trail's instructions take natively. */
static uint64_t course_ticks(const struct course *course)
{
    uint64_t own = pace_of(native_ticks(&course->late), course->late.instructions);
    return course->all.instructions * pace_expect(course, own) >> PACE_BITS;
}

/* The first pieces are so cold that their pace says nothing. */
static bool course_over(const struct course *course)
{
    bool cold = course->all.instructions < COLD && course->all.ticks < 2 * course->wanted;
    return !cold && course->native + course->wanted / END_PART >= course->wanted;
}

uint64_t trail_piece_next(const struct course *course, uint64_t ran)
{
    uint64_t ticks = course->native, asked = course->asked, part = course->wanted / PARTS;
    uint64_t left = course->wanted > ticks ? course->wanted - ticks : 0, ahead = left - left / 4;
    if (!course->is_long && ahead > part)
        ahead = part;
    uint64_t wanted = course->all.instructions * ahead / (ticks ? ticks : 1);
    uint64_t n = wanted * asked / (ran ? ran : 1);
    uint64_t most = asked < PIECE_MOST / 8 ? 8 * asked : PIECE_MOST;
    return n < LEAST ? LEAST : n > most ? most : n;
}

static uint32_t limited(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* All of it counts; the last part, when caches are warm, gives the rate. */
static void trail_tell(struct event_walk *event, const struct course *course)
{
    const struct plain_piece *all = &course->all, *rate = &course->late;
    event->counted = agent.options.tally ? limited(all->instructions) : 0;
    event->lead += limited(all->instructions - rate->instructions);
    event->trail = limited(rate->instructions);
    event->trail_ticks = limited(rate->ticks);
    event->trail_direct = limited(rate->direct);
    event->trail_indirect = limited(rate->indirect);
}

/* Takes off what faults took in a piece. To ask for them takes as long as a thousand instructions,
 * so it is done where a piece was slow. */
static void faults_deduct(struct thread *thread, struct course *course, struct plain_piece *piece)
{
    uint64_t mean = pace_mean();
    if (mean && pace_of(piece->ticks, piece->instructions) < SLOW * mean)
        return;
    uint64_t faults = agent_faults(), n = faults - course->faults;
    uint64_t own = agent_faults_deduct(piece->ticks, n, agent.fault_ticks);
    course->faults = faults;
    thread->walk.program_ticks += piece->ticks - own; /* as in its system calls */
    piece->copies = agent_faults_deduct(piece->copies, n, agent.fault_ticks);
    piece->ticks = own;
}

void trail_begin(struct thread *thread, uint64_t ticks)
{
    /* The more different code there is, the colder the copies by whose pace it is timed. */
    uint64_t wanted = agent.options.tally ? plain_cold_ticks(ticks, agent_variety()) : ticks;
    thread->progress.course = (struct course){.wanted = wanted, .asked = FIRST};
    thread->progress.in_trail = thread->progress.timing = true;
    thread->resume.times = 0; /* a window before it may have waited as often as it may */
}

/* Pieces, until it has come far enough. */
static uint32_t pieces_run(struct thread *thread, struct course *course)
{
    uint32_t stop = LOSS_N;
    uint64_t copied = thread->walk.translate_ticks, most = course->wanted / COPIED_PART;
    for (uint32_t i = 0; i < PIECES_MAX && stop == LOSS_N; i++) {
        struct plain_piece piece;
        stop = piece_run(thread, course->asked, &piece, course->charged);
        faults_deduct(thread, course, &piece);
        course_add(course, &piece);
        course->native = course_ticks(course);
        if (course_over(course))
            break;
        course->new_code |= thread->walk.translate_ticks - copied > most;
        if (course->new_code && course->is_long)
            break;
        course->asked = trail_piece_next(course, piece.instructions);
    }
    return stop;
}

/* Returns why it ended, and its ticks, system calls of the program left out. */
static uint32_t course_run(struct thread *thread, struct course *course, uint64_t *ret_ticks)
{
    uint64_t cpu = agent_cpu_ns(), tsc = sys_tsc(), called = thread->walk.program_ticks;
    course->faults = agent_faults();
    uint32_t stop = pieces_run(thread, course);
    uint64_t wall = sys_tsc() - tsc, wall_ns = wall * 1000000 / agent.ticks_per_ms;
    course->lost |= wall_ns >= agent_cpu_ns() - cpu + PREEMPTED_NS;
    agent_add(&agent.channel->trail_ticks, wall);
    uint64_t own = thread->walk.program_ticks - called;
    *ret_ticks = wall > own ? wall - own : 0;
    return stop;
}

/* ---- long trails */

/* True for one thread. A fault may end its trail: then the next is due before its cost is known. */
static bool long_due(void)
{
    uint64_t due = __atomic_load_n(&agent.long_at_ns, __ATOMIC_RELAXED);
    uint64_t ran = __atomic_load_n(&agent.ran_ns, __ATOMIC_RELAXED);
    return agent.options.tally && ran >= due &&
           __atomic_compare_exchange_n(&agent.long_at_ns, &due, ran + LONG_LEAST_NS, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* They are as many as a part of the budget pays for. */
static void long_plan(uint64_t cost_ticks)
{
    uint64_t cost_ns = cost_ticks * 1000000 / agent.ticks_per_ms;
    uint64_t ppm = agent.options.overhead_ppm ? agent.options.overhead_ppm : 10000;
    uint64_t share = agent.options.events & EVENTS_PAYLOAD ? LONG_SHARE_PAYLOAD : LONG_SHARE;
    uint64_t every = cost_ns * (share * 1000000 / ppm);
    every = every > LONG_LEAST_NS ? every : LONG_LEAST_NS;
    uint64_t ran = __atomic_load_n(&agent.ran_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&agent.long_at_ns, ran + every, __ATOMIC_RELAXED);
}

/* New code that it copied is booked as copies are, and makes the next one come later. */
static void long_book(struct thread *thread, uint64_t ticks, uint64_t native, uint64_t copying)
{
    struct sample_cost *cost = &thread->progress.cost;
    cost->copy_ticks += copying; /* so far what had been copied before the sample */
    cost->longer_ticks = ticks;
    cost->longer_native = native + copying;
    agent_add(&agent.copied_ns, copying * 1000000 / agent.ticks_per_ms);
    long_plan(ticks > native ? ticks - native : 0);
}

/* Trails are short, and copies of much code do not get warm in them. So a few go on, without
 * counting, until they are: these know the program's rate, and how much slower all trails were. */
static uint32_t lengthen(struct thread *thread)
{
    const struct course *usual = &thread->progress.course;
    struct course course = {
        .wanted = LONG_NS * agent.ticks_per_ms / 1000000, .asked = usual->asked, .is_long = true};
    uint64_t ticks, copied = thread->walk.translate_ticks;
    if (!tally_discard(thread))
        return LOSS_N;
    uint32_t stop = course_run(thread, &course, &ticks);
    uint64_t late = course.late.instructions, pace = pace_of(native_ticks(&course.late), late);
    thread->progress.walked += course.all.instructions;
    long_book(thread, ticks, course.all.instructions * pace >> PACE_BITS,
              thread->walk.translate_ticks - copied);
    if (!course.lost && !course.new_code && late >= LONG_LEAST)
        thread->progress.event.warm_ticks = limited(usual->all.instructions * pace >> PACE_BITS);
    return stop;
}

/* Ticks of a trail during which the thread lost its CPU say nothing: its instructions took as long
 * as those of all trails do. */
static uint64_t course_told(const struct course *course)
{
    uint64_t mean = pace_mean();
    return course->lost && mean ? course->all.instructions * mean >> PACE_BITS : course->native;
}

uint32_t trail_run(struct thread *thread)
{
    struct course *course = &thread->progress.course;
    struct part_cost *cost = &thread->progress.cost.trail;
    uint64_t before = course->all.instructions, ticks;
    uint32_t stop = course_run(thread, course, &ticks);
    cost->ticks += ticks;
    cost->instructions += course->all.instructions - before;
    cost->native = course_told(course);
    return stop == LOSS_N && !course->lost && long_due() ? lengthen(thread) : stop;
}

void trail_end(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    const struct course *course = &thread->progress.course;
    thread->progress.in_trail = false;
    event->counted_ticks = limited(course_told(course));
    uint64_t in_copies = native_of(&course->late, course->late.copies);
    event->copies_ticks =
        course->lost
            ? 0
            : limited(course->all.instructions * pace_of(in_copies, course->late.instructions) >>
                      PACE_BITS);
    trail_tell(event, course);
    if (course->lost || event->trail < RATE_MIN)
        return;
    event->flags |= WALK_TIMED;
    pace_learn(course, pace_of(native_ticks(&course->late), course->late.instructions));
    budget_timed(thread, (native_ticks(&course->late) << 16) / event->trail);
}
