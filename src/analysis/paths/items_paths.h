/* Paths of all sides as items: `at` is the entry of their function, `to` their number; body is what
 * ran along them. */
#pragma once

struct items;
struct scene;

void items_list_paths(struct items *items, struct scene *scene);
