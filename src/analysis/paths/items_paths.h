/* Paths of all sides as items: `at` is the entry of the function, `to` the number of the path,
 * body what ran along it. */
#pragma once

struct items;
struct scene;

void items_list_paths(struct items *items, struct scene *scene);
