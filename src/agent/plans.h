/* Plans of the tool (wire/plan.h), for exact runs. */
#pragma once

/* Takes the plans of all mappings that the tool has been told of; waits for them, but not for long. Under the
 * cache's lock, or before anything is translated. */
void plans_await(void);
