#include "paths/path_graph.h"

void path_graph_release(struct path_graph *graph)
{
    vec_release(&graph->nodes);
    vec_release(&graph->edges);
    vec_release(&graph->ends);
}
