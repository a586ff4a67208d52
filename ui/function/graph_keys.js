// The way through a control flow graph by arrow keys: down and up along the likeliest edge, left and
// right to the other ends of edges that begin or end where the last step began.

// The ends of edges out of a block (step 1) or into it (-1), the likeliest first.
function ends(graph, id, step) {
  const [here, there] = step > 0 ? ['from', 'to'] : ['to', 'from'];
  return graph.edges.filter((edge) => edge[here] === id && edge[there] !== id)
    .sort((a, b) => (b.count ?? 0) - (a.count ?? 0) || (b.probability ?? 0) - (a.probability ?? 0) || a[there] - b[there])
    .map((edge) => ({ edge, id: edge[there] }));
}

// The edge by which a block is known from its neighbour; of several, the likeliest.
const between = (ways, id) => ways.findIndex((way) => way.id === id);

export class Walk {
  constructor(graph) {
    this.graph = graph;
    this.last = null; // the last step: {from, step, to}
  }

  // Along an edge: {id, edge}; null: there is none.
  along(id, step) {
    const way = ends(this.graph, id, step)[0];
    if (!way) return null;
    this.last = { from: id, step, to: way.id };
    return way;
  }

  // To another end of edges of the block that the last step left. Where no step led here, of the likeliest that leads here.
  beside(id, by) {
    if (this.last?.to !== id) {
      const before = ends(this.graph, id, -1)[0];
      if (!before) return null;
      this.last = { from: before.id, step: 1, to: id };
    }
    const { from, step } = this.last, ways = ends(this.graph, from, step);
    const way = ways[between(ways, id) + by];
    if (!way) return null;
    this.last = { from, step, to: way.id };
    return way;
  }
}
