/* What a view or an export does, if it takes long and somebody watches: one line on the terminal,
 * rewritten twice a second, and gone when the result comes. Ctrl-C stops the command as ever. */
#pragma once

/* Begins to watch, if standard error is a terminal. */
void progress_begin(void);
/* Takes the line away, and says how long it took if that was long. */
void progress_end(void);
