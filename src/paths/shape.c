#include "paths/shape.h"

void shape_release(struct shape *shape)
{
    vec_release(&shape->nodes);
    vec_release(&shape->edges);
    vec_release(&shape->ends);
}
