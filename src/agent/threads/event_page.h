/* The kernel's page of a counter of this thread (walk/count/event_clock.h), for the event of the
 * recording's options. It keeps the event open by itself: no descriptor stays in the program. */
#pragma once

/* NULL: the kernel refuses. */
const void *event_page_open(void);
