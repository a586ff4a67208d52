/* Kernel code by name: what profiles of several boots or machines can add up.
 *
 * A kernel lies elsewhere each time it starts, and its functions differ from version to version. In
 * one sum an address would be one function's on one machine and another's on the next. So named
 * functions get a place made of their name, with room for PLACE_BYTES of code; code without a name
 * stays where it is. */
#pragma once

struct profile;

/* Call it when names are known (kernel_names_complete), and before profile_merge. What has its
 * place keeps it. */
void kernel_place(struct profile *profile);
