/* Whether the program is a Python interpreter, or is linked with one. */
#pragma once

void python_find(void);
