#include "layout/graphviz.h"

#include "base/err.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <string.h>

/* Of the headers, which Debian ships together with a toolkit for windows, only this is needed. */
typedef struct GVC_s GVC_t;
typedef struct Agraph_s Agraph_t;

#define GVC_FUNCTIONS(X)                                                                           \
    X(GVC_t *, gvContext, (void))                                                                  \
    X(int, gvLayout, (GVC_t *, Agraph_t *, const char *))                                          \
    X(int, gvRenderData, (GVC_t *, Agraph_t *, const char *, char **, unsigned *))                 \
    X(void, gvFreeRenderData, (char *))                                                            \
    X(int, gvFreeLayout, (GVC_t *, Agraph_t *))                                                    \
    X(int, gvFreeContext, (GVC_t *))
#define CGRAPH_FUNCTIONS(X)                                                                        \
    X(Agraph_t *, agmemread, (const char *))                                                       \
    X(int, agclose, (Agraph_t *))

struct graphviz {
#define POINTER(result, name, parameters) result(*name) parameters;
    GVC_FUNCTIONS(POINTER)
    CGRAPH_FUNCTIONS(POINTER)
#undef POINTER
};

static bool find(void *library, const char *file, const char *name, void *to, struct err *err)
{
    void *at = dlsym(library, name);
    if (!at)
        return err_set(err, ERR_SYSTEM, "%s has no %s", file, name);
    memcpy(to, &at, sizeof at);
    return true;
}

/* The libraries stay: Graphviz's plugins cannot be unloaded and loaded again. */
static bool graphviz_open(struct graphviz *ret, struct err *err)
{
    static const char gvc_file[] = "libgvc.so.6", cgraph_file[] = "libcgraph.so.6";
    void *gvc = dlopen(gvc_file, RTLD_NOW | RTLD_GLOBAL);
    void *cgraph = gvc ? dlopen(cgraph_file, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!cgraph)
        return err_set(err, ERR_SYSTEM,
                       "Graphviz lays out graphs, and %s is not installed; type:  sudo apt-get "
                       "install libgvc6",
                       gvc ? cgraph_file : gvc_file);
#define FIND_GVC(result, name, parameters)                                                         \
    if (!find(gvc, gvc_file, #name, &ret->name, err))                                              \
        return false;
#define FIND_CGRAPH(result, name, parameters)                                                      \
    if (!find(cgraph, cgraph_file, #name, &ret->name, err))                                        \
        return false;
    GVC_FUNCTIONS(FIND_GVC)
    CGRAPH_FUNCTIONS(FIND_CGRAPH)
#undef FIND_GVC
#undef FIND_CGRAPH
    return true;
}

bool graphviz_render(const char *dot, const char *format, char **ret_text, struct err *err)
{
    struct graphviz graphviz = {0};
    if (!graphviz_open(&graphviz, err))
        return false;
    GVC_t *context = graphviz.gvContext();
    Agraph_t *graph = graphviz.agmemread(dot);
    char *text = NULL;
    unsigned bytes = 0;
    if (!graph) {
        graphviz.gvFreeContext(context);
        return err_set(err, ERR_SYSTEM, "Graphviz does not read the graph; this is a bug in gait");
    }
    bool laid_out = graphviz.gvLayout(context, graph, "dot") == 0;
    bool good =
        laid_out && graphviz.gvRenderData(context, graph, format, &text, &bytes) == 0 && text;
    if (good) {
        *ret_text = mem_alloc((size_t)bytes + 1);
        memcpy(*ret_text, text, bytes);
        graphviz.gvFreeRenderData(text);
    }
    if (laid_out)
        graphviz.gvFreeLayout(context, graph);
    graphviz.agclose(graph);
    graphviz.gvFreeContext(context);
    return good || err_set(err, ERR_SYSTEM,
                           "Graphviz cannot lay out the graph or write %s; its plugins may be "
                           "missing: type:  sudo apt-get install --reinstall libgvc6",
                           format);
}

void graphviz_free(char *text)
{
    mem_free(text);
}
