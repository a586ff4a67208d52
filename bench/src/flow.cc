/* Minimum-cost flow by src/flow and by LEMON's network simplex, in turn, on instances like those that inference makes.
 *
 *     flow [--blocks N] [--functions N] [--seed N] [--rounds N] [--dimacs FILE] [--plain]
 *
 * Instances are control flow graphs, each block split in two: a chain of blocks with branches ahead and loops back, walked at random,
 * seen through few samples, to be made consistent with costs by confidence. --plain makes random graphs instead, some of them infeasible.
 * One line: nodes, arcs, outcome and cost of each, milliseconds of each (the least of all rounds), ratio. Exit 1 if costs differ. */
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

extern "C" {
#include "flow/flow.h"
}

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace {

struct Options {
    unsigned blocks = 5000, functions = 1, seed = 1, rounds = 5;
    const char *dimacs = nullptr;
    bool plain = false;
};

double now_ms()
{
    timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return 1e3 * at.tv_sec + at.tv_nsec / 1e6;
}

/* ---- instances */

struct Function {
    std::vector<std::vector<unsigned>> ways; /* successors of each block */
    std::vector<double> blocks;
    std::vector<std::vector<double>> edges;
};

unsigned below(std::mt19937 &chance, unsigned n)
{
    return std::uniform_int_distribution<unsigned>(0, n - 1)(chance);
}

Function function_make(unsigned n, std::mt19937 &chance)
{
    Function function;
    function.ways.resize(n);
    for (unsigned block = 0; block + 1 < n; block++) {
        auto &ways = function.ways[block];
        ways.push_back(block + 1);
        unsigned sort = below(chance, 20);
        if (sort < 8)
            ways.push_back(std::min(n - 1, block + 2 + below(chance, 12)));
        else if (sort < 11)
            ways.push_back(block - std::min(block, below(chance, 15)));
        else if (sort == 11)
            for (int i = 0; i < 4; i++)
                ways.push_back(std::min(n - 1, block + 2 + below(chance, 30)));
    }
    return function;
}

/* How often each block and edge is passed on walks from the entry to the exit. */
void function_walk(Function &function, std::mt19937 &chance)
{
    std::vector<std::vector<double>> odds;
    function.blocks.assign(function.ways.size(), 0);
    for (auto &ways : function.ways) {
        odds.emplace_back();
        function.edges.emplace_back(ways.size(), 0.0);
        double left = 1;
        for (size_t i = 0; i < ways.size(); i++) {
            double share = i + 1 == ways.size() ? left : left * (0.15 + 0.7 * below(chance, 1000) / 1000);
            odds.back().push_back(share);
            left -= share;
        }
    }
    unsigned at = 0;
    for (size_t step = 0; step < 300 * function.ways.size(); step++) {
        function.blocks[at]++;
        if (function.ways[at].empty()) {
            at = 0;
            continue;
        }
        double throw_ = below(chance, 1 << 20) / double(1 << 20);
        size_t way = 0;
        while (way + 1 < odds[at].size() && throw_ >= odds[at][way])
            throw_ -= odds[at][way++];
        function.edges[at][way]++;
        at = function.ways[at][way];
    }
}

/* Blocks as few samples show them; edges likewise, one in five not at all. */
void function_give(flow_graph *graph, const Function &function, std::mt19937 &chance)
{
    size_t n = function.ways.size();
    auto seen = [&chance](double count) -> int64_t {
        return count > 0 ? 10 * std::poisson_distribution<int64_t>(count / 10)(chance) : 0;
    };
    auto arc = [graph](flow_node from, flow_node to, int64_t count, bool trusted) {
        double scale = 1000 / std::log(double(count) + 2);
        flow_arc_add(graph, from, to, FLOW_INFINITE, int64_t(trusted ? 5 * scale : scale));
        if (count > 0)
            flow_arc_add(graph, to, from, count, int64_t(trusted ? 8 * scale : 50 * scale));
        graph->nodes.at[from].supply -= count;
        graph->nodes.at[to].supply += count;
    };
    flow_node first = flow_node(graph->nodes.n);
    for (size_t i = 0; i < 2 * n; i++)
        flow_node_add(graph, 0);
    for (size_t block = 0; block < n; block++) {
        flow_node in = first + 2 * block, out = in + 1;
        arc(in, out, seen(function.blocks[block]), true);
        for (size_t way = 0; way < function.ways[block].size(); way++)
            arc(out, first + 2 * function.ways[block][way],
                below(chance, 5) ? seen(function.edges[block][way]) : 0, false);
        if (function.ways[block].empty())
            arc(out, first, 0, false);
    }
}

void random_give(flow_graph *graph, unsigned n, std::mt19937 &chance)
{
    int64_t balance = 0;
    for (unsigned i = 0; i < n; i++)
        flow_node_add(graph, 0);
    for (unsigned i = 0; i + 1 < n; i++)
        balance += graph->nodes.at[i].supply = int64_t(below(chance, 21)) - 10;
    graph->nodes.at[n - 1].supply = -balance;
    unsigned each = 2 + below(chance, 4);
    for (unsigned i = 0; i < each * n; i++) {
        unsigned from = below(chance, n), to = below(chance, n);
        int64_t capacity = below(chance, 3) ? int64_t(below(chance, 60)) : FLOW_INFINITE;
        int64_t cost = int64_t(below(chance, 1000)) - (capacity == FLOW_INFINITE ? 0 : 100);
        flow_arc_add(graph, from, to, capacity, cost);
    }
}

void dimacs_write(const flow_graph *graph, const char *path)
{
    FILE *to = std::fopen(path, "w");
    if (!to)
        std::exit(2);
    std::fprintf(to, "p min %zu %zu\n", graph->nodes.n, graph->arcs.n);
    for (size_t i = 0; i < graph->nodes.n; i++)
        if (graph->nodes.at[i].supply)
            std::fprintf(to, "n %zu %lld\n", i + 1, (long long)graph->nodes.at[i].supply);
    for (size_t i = 0; i < graph->arcs.n; i++) {
        const flow_arc_data *arc = &graph->arcs.at[i];
        long long capacity = arc->capacity == FLOW_INFINITE ? 1000000000 : arc->capacity;
        std::fprintf(to, "a %u %u 0 %lld %lld\n", arc->from + 1, arc->to + 1, capacity,
                     (long long)arc->cost);
    }
    std::fclose(to);
}

/* ---- solvers */

struct Verdict {
    std::string outcome;
    int64_t cost = 0;
    double ms = INFINITY;
};

void ours(flow_graph *graph, Verdict &verdict)
{
    static const char *const names[] = {"optimal", "infeasible", "unbounded", "overflow"};
    flow_forget(graph);
    double start = now_ms();
    flow_outcome outcome = flow_solve(graph);
    verdict.ms = std::min(verdict.ms, now_ms() - start);
    verdict.outcome = names[outcome];
    verdict.cost = outcome == FLOW_OPTIMAL ? graph->cost : 0;
}

class Lemon {
public:
    explicit Lemon(const flow_graph *from) : supply(graph), capacity(graph), cost(graph)
    {
        for (size_t i = 0; i < from->nodes.n; i++)
            supply[graph.addNode()] = from->nodes.at[i].supply;
        for (size_t i = 0; i < from->arcs.n; i++) {
            const flow_arc_data *arc = &from->arcs.at[i];
            auto added = graph.addArc(graph.nodeFromId(int(arc->from)), graph.nodeFromId(int(arc->to)));
            capacity[added] = arc->capacity;
            cost[added] = arc->cost;
        }
    }
    void solve(Verdict &verdict)
    {
        Simplex simplex(graph);
        simplex.supplyMap(supply).upperMap(capacity).costMap(cost);
        double start = now_ms();
        auto outcome = simplex.run();
        verdict.ms = std::min(verdict.ms, now_ms() - start);
        verdict.outcome = outcome == Simplex::OPTIMAL ? "optimal" : outcome == Simplex::INFEASIBLE ? "infeasible" : "unbounded";
        verdict.cost = outcome == Simplex::OPTIMAL ? simplex.totalCost() : 0;
    }

private:
    using Simplex = lemon::NetworkSimplex<lemon::SmartDigraph, int64_t, int64_t>;
    lemon::SmartDigraph graph;
    lemon::SmartDigraph::NodeMap<int64_t> supply;
    lemon::SmartDigraph::ArcMap<int64_t> capacity, cost;
};

Options options_read(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i];
        if (name == "--plain") {
            options.plain = true;
            continue;
        }
        const char *value = i + 1 < argc ? argv[++i] : "";
        unsigned number = unsigned(std::strtoul(value, nullptr, 10));
        if (name == "--blocks")
            options.blocks = number;
        else if (name == "--functions")
            options.functions = number;
        else if (name == "--seed")
            options.seed = number;
        else if (name == "--rounds")
            options.rounds = number;
        else if (name == "--dimacs")
            options.dimacs = value;
        else {
            std::fprintf(stderr, "flow: %s?\n", name.c_str());
            std::exit(2);
        }
    }
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    Options options = options_read(argc, argv);
    std::mt19937 chance(options.seed);
    flow_graph graph = {};
    for (unsigned i = 0; i < options.functions && !options.plain; i++) {
        Function function = function_make(options.blocks / options.functions, chance);
        function_walk(function, chance);
        function_give(&graph, function, chance);
    }
    if (options.plain)
        random_give(&graph, options.blocks, chance);
    if (options.dimacs)
        dimacs_write(&graph, options.dimacs);
    Verdict own, lemons;
    Lemon lemon(&graph);
    for (unsigned i = 0; i < options.rounds; i++) {
        ours(&graph, own);
        lemon.solve(lemons);
    }
    std::printf("nodes %zu arcs %zu: %s %lld, LEMON %s %lld; %.2f ms, LEMON %.2f ms, ratio %.2f; %llu pivots\n", graph.nodes.n,
                graph.arcs.n, own.outcome.c_str(), (long long)own.cost, lemons.outcome.c_str(), (long long)lemons.cost, own.ms,
                lemons.ms, own.ms / lemons.ms, (unsigned long long)graph.pivots);
    bool same = own.outcome == lemons.outcome && own.cost == lemons.cost;
    flow_graph_release(&graph);
    return same ? 0 : 1;
}
