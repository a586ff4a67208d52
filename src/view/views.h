/* Each view as text and as JSON.
 *
 * `ink` may be NULL: no colours. `limit` is the number of rows at most; text says how many were
 * left out. JSON is described in docs/API.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct annotation;
struct call_lengths;
struct calling_contexts;
struct context_rows;
struct comparison;
struct conflict_view;
struct diff;
struct history_paths;
struct hot_paths;
struct ink;
struct json;
struct latency_view;
struct listing;
struct modelled;
struct pipeline;
struct places_values;
struct ranking;
struct relatives;
struct report;
struct scene;
struct verification;
struct wait_view;
struct waste_view;
struct whatif;
struct loop_view;
struct fixes;
struct window_detail;
struct window_list;

void report_text(FILE *to, const struct report *report, const struct ink *ink, size_t limit);
void report_json(FILE *to, const struct report *report, size_t limit);

struct timeline;
void timeline_text(FILE *to, const struct timeline *timeline, const struct ink *ink);
void timeline_json(FILE *to, const struct timeline *timeline, size_t limit);

struct diff_contexts;
/* The first keys of differences, whatever their rows are. */
void diff_head_json(struct json *json, const struct diff *diff);
void diff_contexts_text(FILE *to, const struct diff_contexts *contexts, const struct ink *ink,
                        size_t limit);
void diff_contexts_json(FILE *to, const struct diff_contexts *contexts, size_t limit);

void ranking_text(FILE *to, const struct ranking *ranking, const struct ink *ink, size_t limit);
void ranking_json(FILE *to, const struct ranking *ranking, size_t limit);

void relatives_text(FILE *to, const struct relatives *relatives, const struct ink *ink,
                    size_t limit);
void relatives_json(FILE *to, const struct relatives *relatives, size_t limit);

struct annotation_style {
    bool all;  /* else runs of instructions that were not seen are folded */
    bool side; /* source beside the code; else above it */
};
void annotation_text(FILE *to, const struct annotation *annotation, struct listing *listing,
                     const struct ink *ink, struct annotation_style style);
/* The rows of one function, in an array that is open. source: rows have `sites`. */
void annotation_json(struct json *json, const struct annotation *annotation, bool source);
/* One element of `functions`: what is known of the function as a whole. */
void annotation_function_json(struct json *json, const struct annotation *annotation);
/* Elements of `sources`, one for each file: text, and what lines cost. */
void annotation_source_json(struct json *json, const struct annotation *annotation,
                            struct listing *listing);

/* Of contexts that are weighed, all of them. */
struct contexts_text_options {
    double min_share; /* what weighs less is added up in one line */
    uint32_t depth;   /* levels shown */
    size_t limit;     /* rows of a flat list, roots of a bottom-up tree */
};
void contexts_text(FILE *to, const struct calling_contexts *contexts, const struct ink *ink,
                   struct contexts_text_options options);
/* The rows were made of the contexts. */
void contexts_json(FILE *to, const struct calling_contexts *contexts,
                   const struct context_rows *rows);

/* Rows with at least this share of all, and `limit` at most. */
struct hot_paths_cut {
    double share;
    size_t limit;
};
void hot_paths_text(FILE *to, const struct hot_paths *paths, const struct ink *ink,
                    struct hot_paths_cut cut);
void hot_paths_json(FILE *to, const struct hot_paths *paths, struct hot_paths_cut cut);
void history_paths_text(FILE *to, const struct history_paths *paths, const struct ink *ink,
                        struct hot_paths_cut cut);
void history_paths_json(FILE *to, const struct history_paths *paths, struct hot_paths_cut cut);

struct values_cut {
    size_t limit;
    bool no_values; /* shares alone: values can hold secrets */
};
void values_text(FILE *to, const struct places_values *places, const struct ink *ink,
                 struct values_cut cut);
void values_json(FILE *to, const struct places_values *places, struct values_cut cut);

void latency_view_text(FILE *to, const struct latency_view *view, const struct ink *ink,
                       size_t limit);
void latency_view_json(FILE *to, const struct latency_view *view, size_t limit);

void conflict_view_text(FILE *to, const struct conflict_view *view, const struct ink *ink,
                        size_t limit);
void conflict_view_json(FILE *to, const struct conflict_view *view, size_t limit);

void fixes_text(FILE *to, const struct fixes *fixes, const struct ink *ink, size_t limit);
void fixes_json(FILE *to, const struct fixes *fixes, size_t limit);

void loop_view_text(FILE *to, const struct loop_view *view, const struct ink *ink, size_t limit);
void loop_view_json(FILE *to, const struct loop_view *view, size_t limit);

void waste_view_text(FILE *to, const struct waste_view *view, const struct ink *ink, size_t limit);
void waste_view_json(FILE *to, const struct waste_view *view, size_t limit);
void whatif_text(FILE *to, const struct whatif *whatif, const struct ink *ink, size_t limit);
void whatif_json(FILE *to, const struct whatif *whatif, size_t limit);

/* Rows of each kind, or of one. */
struct wait_sections {
    bool reasons, threads, stacks;
    size_t limit;  /* of each */
    size_t frames; /* of a stack */
};
void wait_view_text(FILE *to, const struct wait_view *view, const struct ink *ink,
                    struct wait_sections sections);
/* Of all kinds. */
void wait_view_json(FILE *to, const struct wait_view *view, size_t limit);

void pipeline_text(FILE *to, struct pipeline *pipeline, const struct ink *ink, size_t limit);
void pipeline_json(FILE *to, struct pipeline *pipeline, size_t limit);
void modelled_text(FILE *to, struct modelled *modelled, const struct ink *ink, size_t limit);
void modelled_json(FILE *to, struct modelled *modelled, size_t limit);

/* Rows in the order of their numbers in `order`. */
struct window_choice {
    const uint32_t *order; /* of rows */
    size_t n;
};
void window_list_text(FILE *to, struct window_list *list, const struct ink *ink,
                      struct window_choice choice, size_t limit);
void window_list_json(FILE *to, struct window_list *list, struct window_choice choice,
                      size_t limit);
/* limit: lines of its outline. */
void window_text(FILE *to, struct window_detail *detail, const struct ink *ink, size_t limit);
void window_json(FILE *to, struct window_detail *detail);
void call_lengths_text(FILE *to, struct window_list *list, const struct call_lengths *lengths,
                       const struct ink *ink);
void call_lengths_json(FILE *to, struct window_list *list, const struct call_lengths *lengths);

void diff_text(FILE *to, const struct diff *diff, const struct ink *ink, size_t limit);
void diff_json(FILE *to, const struct diff *diff, size_t limit);

/* The scene is the one that was compared. */
void compare_text(FILE *to, struct scene *scene, const struct comparison *comparison, size_t limit);
void compare_json(FILE *to, const struct scene *scene, const struct comparison *comparison);

void verify_text(FILE *to, const struct scene *scene, const struct verification *verdict);
void verify_json(FILE *to, const struct scene *scene, const struct verification *verdict);
