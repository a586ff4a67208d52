/* Ways from history against exact courses of made-up programs, and against all ways that there are.
 */
#include "paths/trail.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { FUNCTIONS = 4, EACH = 9, PIECES = FUNCTIONS * EACH, COURSE = 6000 };
enum ending { ENDS_COND, ENDS_JUMP, ENDS_CALL, ENDS_RETURN };

struct code {
    enum ending ending;
    uint32_t to, next; /* of a call, to is the function */
};
static struct code code[PIECES];

/* A run: pieces in order, how deep in calls each was, and where runs of the whole program begin. */
static uint32_t course[COURSE], depth[COURSE];
static bool began[COURSE];

static uint64_t some_state;

static uint32_t some_below(uint32_t n)
{
    some_state = some_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((some_state >> 33) % n);
}

/* Functions call only those with greater numbers, so that every call ends; jumps back make loops
 * that branches leave. */
static void code_make(uint64_t seed, bool calls)
{
    some_state = seed;
    for (uint32_t i = 0; i < PIECES; i++) {
        uint32_t function = i / EACH, base = function * EACH, place = i % EACH;
        struct code *c = &code[i];
        *c = (struct code){ENDS_COND, base + some_below(EACH), base + place + 1};
        uint32_t kind = some_below(10);
        if (place == EACH - 1)
            *c = (struct code){ENDS_RETURN, 0, 0};
        else if (calls && kind < 3 && function + 1 < FUNCTIONS)
            *c = (struct code){ENDS_CALL, function + 1 + some_below(FUNCTIONS - 1 - function),
                               base + place + 1};
        else if (kind < 4)
            *c = (struct code){ENDS_JUMP, base + place + 1 + some_below(EACH - 1 - place), 0};
    }
}

static void arc_add(struct trail_graph *graph, struct trail_arc arc)
{
    *vec_push(&graph->arcs) = arc;
}

static void arcs_to(struct trail_graph *graph, uint32_t piece)
{
    for (uint32_t i = 0; i < PIECES; i++) {
        const struct code *c = &code[i];
        if (c->ending == ENDS_COND && c->to == piece)
            arc_add(graph, (struct trail_arc){.from = i, .how = TRAIL_TAKEN});
        if (c->ending == ENDS_COND && c->next == piece)
            arc_add(graph, (struct trail_arc){.from = i, .how = TRAIL_PASSED});
        if (c->ending == ENDS_JUMP && c->to == piece)
            arc_add(graph, (struct trail_arc){.from = i, .how = TRAIL_ALONG});
        if (c->ending == ENDS_CALL && c->next == piece)
            arc_add(graph, (struct trail_arc){
                               .from = c->to * EACH + EACH - 1, .site = i, .how = TRAIL_RETURNED});
        if (c->ending == ENDS_CALL && c->to * EACH == piece)
            arc_add(graph, (struct trail_arc){.from = i, .how = TRAIL_CALLED});
    }
}

/* A piece is ten instructions of one byte. */
static void graph_make(struct trail_graph *graph)
{
    *graph = (struct trail_graph){0};
    for (uint32_t i = 0; i <= PIECES; i++) {
        *vec_push(&graph->pieces) = (struct trail_piece){.start = {1000 + 10 * (uint64_t)i},
                                                         .last = {1009 + 10 * (uint64_t)i},
                                                         .instructions = 10,
                                                         .first_arc = (uint32_t)graph->arcs.n,
                                                         .entry = i % EACH == 0 && i < PIECES,
                                                         .cut = i == 0};
        if (i == PIECES)
            break;
        arcs_to(graph, i);
    }
}

static void graph_release(struct trail_graph *graph)
{
    vec_release(&graph->pieces);
    vec_release(&graph->arcs);
}

static void course_make(void)
{
    uint32_t stack[FUNCTIONS], n = 0, at = 0;
    memset(began, 0, sizeof began);
    began[0] = true;
    for (uint32_t t = 0; t < COURSE; t++) {
        const struct code *c = &code[at];
        course[t] = at;
        depth[t] = n;
        if (c->ending == ENDS_COND) {
            at = some_below(3) ? c->next : c->to;
        } else if (c->ending == ENDS_JUMP) {
            at = c->to;
        } else if (c->ending == ENDS_CALL) {
            stack[n++] = c->next;
            at = c->to * EACH;
        } else if (n) {
            at = stack[--n];
        } else {
            at = 0;
            if (t + 1 < COURSE)
                began[t + 1] = true;
        }
    }
}

/* The way that was gone, as far as it is asked for; its directions. */
static void truth_of(uint32_t t, uint32_t bits, bool across, struct trail_way *way,
                     uint64_t *ret_history)
{
    uint32_t seen = 0, from = depth[t];
    *way = (struct trail_way){0};
    *ret_history = 0;
    for (;; t--) {
        *vec_push(way) = course[t];
        bool entered = t == 0 || began[t] || code[course[t - 1]].ending == ENDS_CALL;
        if (seen == bits || t == 0 || began[t] || (entered && !across && depth[t] == from))
            return;
        const struct code *before = &code[course[t - 1]];
        if (before->ending == ENDS_COND) {
            /* Both ways to one place: the search must take either. */
            bool taken = before->to == course[t] && before->next != course[t];
            *ret_history |= (uint64_t)taken << seen++;
        }
    }
}

struct wanted {
    const struct trail_way *way;
    uint32_t met;
};

static void way_compare(void *closure, const struct trail_way *way)
{
    struct wanted *wanted = closure;
    wanted->met +=
        way->n == wanted->way->n && memcmp(way->at, wanted->way->at, way->n * sizeof *way->at) == 0;
}

/* What was gone is always among what is found; where one is found, it is the one; with the other of
 * a pair never more are found, and it is still there. */
static void what_was_gone_is_found(void **state)
{
    (void)state;
    uint32_t alone[2] = {0}, paired[2] = {0}, asked_n = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct trail_graph graph;
        code_make(seed, true);
        graph_make(&graph);
        course_make();
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t t = COURSE / 2 + some_below(COURSE / 2), bits = 1 + some_below(10);
            uint32_t back = 1 + some_below(4);
            asked_n++;
            for (int across = 0; across < 2; across++) {
                struct trail_way truth;
                struct trail_answer answer, less;
                struct trail_asked asked = {.piece = course[t],
                                            .at = {1003 + 10 * (uint64_t)course[t]},
                                            .before = 3,
                                            .bits = bits,
                                            .across = across};
                truth_of(t, bits, across, &truth, &asked.history);
                struct wanted wanted = {.way = &truth};
                trail_find(&graph, &asked, way_compare, &wanted, &answer);
                assert_true(answer.gave_up || wanted.met == 1);
                alone[across] += answer.n == 1 && !answer.gave_up;
                asked.has_pair = true;
                asked.pair = (struct svma){1002 + 10 * (uint64_t)course[t - back]};
                asked.distance = 3 + 10 * back - 2;
                wanted.met = 0;
                trail_find(&graph, &asked, way_compare, &wanted, &less);
                assert_true(less.gave_up || wanted.met == 1);
                assert_true(answer.gave_up || less.n <= answer.n);
                paired[across] += less.n == 1 && !less.gave_up;
                trail_way_release(&truth);
                trail_way_release(&answer.first);
                trail_way_release(&less.first);
            }
        }
        graph_release(&graph);
    }
    /* Histories tell much, callers less, pairs more. */
    assert_true(alone[0] > asked_n / 3 && alone[1] <= alone[0]);
    assert_true(paired[0] > alone[0] && paired[1] > alone[1]);
}

/* Forwards there is one way from each start: directions are given. All starts are all ways. */
static uint32_t ways_forward(uint32_t start, uint32_t target, uint64_t history, uint32_t bits,
                             bool must_branch)
{
    uint32_t at = start, ways = 0, steps = 0;
    if (must_branch && code[start].ending != ENDS_COND)
        return 0;
    for (; steps < 200; steps++) {
        const struct code *c = &code[at];
        if (at == target && !bits)
            ways++;
        if (c->ending == ENDS_JUMP)
            at = c->to;
        else if (c->ending == ENDS_COND && bits)
            at = history >> --bits & 1 ? c->to : c->next;
        else
            break;
    }
    return ways;
}

static void all_ways_are_found(void **state)
{
    (void)state;
    uint32_t many = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct trail_graph graph;
        code_make(seed, false);
        for (uint32_t i = 0; i < PIECES; i++) /* two arcs to one place would be two ways forwards */
            if (code[i].ending == ENDS_COND && code[i].to == code[i].next)
                code[i].ending = ENDS_JUMP;
        graph_make(&graph);
        graph.pieces.at[0].cut = false;
        for (uint32_t i = 0; i < 100; i++) {
            uint32_t target = EACH + some_below(EACH), bits = 1 + some_below(7), ways = 0;
            uint64_t history = some_below(1u << bits);
            for (uint32_t start = EACH; start < 2 * EACH; start++)
                ways += ways_forward(start, target, history, bits, true);
            for (uint32_t fewer = 0; fewer < bits; fewer++)
                ways += ways_forward(EACH, target, history & ((1u << fewer) - 1), fewer, false);
            struct trail_asked asked = {.piece = target, .history = history, .bits = bits};
            struct trail_answer answer;
            trail_find(&graph, &asked, NULL, NULL, &answer);
            assert_true(!answer.gave_up && answer.n == ways);
            many += ways > 1;
            trail_way_release(&answer.first);
        }
        graph_release(&graph);
    }
    assert_true(many > 100);
}

/* A loop that no branch leaves, and a function that calls itself: given up, not lost. */
static void endless_ways_are_given_up(void **state)
{
    (void)state;
    struct trail_graph graph = {0};
    *vec_push(&graph.pieces) = (struct trail_piece){.start = {10}, .last = {19}, .instructions = 9};
    *vec_push(&graph.pieces) = (struct trail_piece){.start = {20}, .last = {20}, .first_arc = 1};
    arc_add(&graph, (struct trail_arc){.from = 0, .how = TRAIL_ALONG});
    struct trail_asked asked = {.piece = 0, .bits = 3};
    struct trail_answer answer;
    struct trail_way way;
    trail_find(&graph, &asked, NULL, NULL, &answer);
    assert_true(answer.gave_up && !answer.n);
    trail_likely(&graph, &asked, TRAIL_BY_ARCS, &way);
    assert_int_equal(way.n, TRAIL_LENGTH_MAX);
    trail_way_release(&way);
    graph.arcs.at[0] = (struct trail_arc){.from = 0, .how = TRAIL_RETURNED};
    trail_find(&graph, &asked, NULL, NULL, &answer);
    assert_true(answer.gave_up);
    assert_int_equal(trail_piece_find(&graph, (struct svma){9}), UINT32_MAX);
    assert_int_equal(trail_piece_find(&graph, (struct svma){19}), 0);
    assert_int_equal(trail_piece_find(&graph, (struct svma){20}), UINT32_MAX);
    graph_release(&graph);
}

/* Counts alone: whence most came. */
static void counts_make_one_way_likely(void **state)
{
    (void)state;
    struct trail_graph graph;
    struct trail_way way;
    code_make(3, true);
    for (uint32_t i = 0; i < PIECES; i++)
        code[i] = (struct code){i % EACH == EACH - 1 ? ENDS_RETURN : ENDS_COND, i + 2, i + 1};
    code[EACH - 2].to = EACH - 1;
    graph_make(&graph);
    for (size_t i = 0; i < graph.arcs.n; i++)
        graph.arcs.at[i].count = graph.arcs.at[i].how == TRAIL_TAKEN ? 5 : 1;
    trail_likely(&graph, &(struct trail_asked){.piece = 6, .bits = 3}, TRAIL_BY_ARCS, &way);
    const uint32_t wanted[] = {6, 4, 2, 0};
    assert_int_equal(way.n, 4);
    assert_memory_equal(way.at, wanted, sizeof wanted);
    trail_way_release(&way);
    graph_release(&graph);
}

/* Arcs as often as the course took them; ends of conditional branches apart. */
static void counts_take(struct trail_graph *graph)
{
    for (uint32_t t = 1; t < COURSE; t++) {
        const struct code *from = &code[course[t - 1]];
        bool taken = from->to == course[t] && from->next != course[t];
        uint8_t how = from->ending == ENDS_COND     ? taken ? TRAIL_TAKEN : TRAIL_PASSED
                      : from->ending == ENDS_CALL   ? TRAIL_CALLED
                      : from->ending == ENDS_RETURN ? TRAIL_RETURNED
                                                    : TRAIL_ALONG;
        struct trail_piece *piece = &graph->pieces.at[course[t]];
        piece->count++;
        for (uint32_t i = piece->first_arc; i < piece[1].first_arc && !began[t]; i++)
            if (graph->arcs.at[i].from == course[t - 1] && graph->arcs.at[i].how == how)
                graph->arcs.at[i].count++;
    }
}

/* The likeliest of the ways that fit is one of them, the one if there is one; counts are right more
 * often if they choose among those that fit. */
static void the_likeliest_fits(void **state)
{
    (void)state;
    uint32_t guessed = 0, alone = 0, likely = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct trail_graph graph;
        code_make(seed, true);
        graph_make(&graph);
        course_make();
        counts_take(&graph);
        for (uint32_t i = 0; i < 600; i++) {
            uint32_t t = COURSE / 2 + some_below(COURSE / 2);
            struct trail_asked asked = {.piece = course[t],
                                        .at = {1003 + 10 * (uint64_t)course[t]},
                                        .before = 3,
                                        .bits = 1 + some_below(8),
                                        .across = i % 2};
            struct trail_way truth, best, guess;
            struct trail_answer answer;
            truth_of(t, asked.bits, asked.across, &truth, &asked.history);
            struct wanted wanted = {.way = &truth}, among = {.way = &best};
            assert_true(trail_best(&graph, &asked, TRAIL_BY_ARCS, &best));
            trail_find(&graph, &asked, way_compare, &among, &answer);
            assert_true(answer.gave_up || among.met == 1);
            way_compare(&wanted, &best);
            likely += wanted.met;
            alone += answer.n == 1 && !answer.gave_up;
            assert_true(answer.n > 1 || answer.gave_up || wanted.met);
            trail_likely(&graph, &asked, TRAIL_BY_ARCS, &guess);
            wanted.met = 0;
            way_compare(&wanted, &guess);
            guessed += wanted.met;
            trail_way_release(&truth);
            trail_way_release(&best);
            trail_way_release(&guess);
            trail_way_release(&answer.first);
        }
        graph_release(&graph);
    }
    printf("of 3600: counts %u, one way alone %u, likeliest %u\n", guessed, alone, likely);
    assert_true(likely > alone && likely > 3 * guessed / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_gone_is_found),    cmocka_unit_test(all_ways_are_found),
        cmocka_unit_test(endless_ways_are_given_up), cmocka_unit_test(counts_make_one_way_likely),
        cmocka_unit_test(the_likeliest_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
