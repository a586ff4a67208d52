/* Makes the plan (wire/plan.h) of a function when a process asks for it. What processes need to
 * know of all functions of a module is made at once. */
#pragma once

struct planned_module;

void plan_maker_release(struct planned_module *planned);
