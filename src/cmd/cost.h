/* What recording cost by gait's own measure, the same wherever it is told. */
#pragma once

struct totals;

struct cost {
    double alone;       /* seconds of CPU time that the program would have needed by itself */
    double agent, tool; /* percent of that; the tool's without what it does once */
    double tool_ms, once_ms;
};

struct cost cost_of(const struct totals *totals);
