/* Makes plans (wire/plan.h) of functions, when processes ask for them: of a module only what
 * processes need to know of all its functions is made at once. */
#pragma once

struct planned_module;

void plan_maker_release(struct planned_module *planned);
