#include "lab/lab.h"

#include "lab/events/events.h"
#include "lab/paths/apportion.h"
#include "lab/paths/costs.h"
#include "lab/paths/hot.h"
#include "lab/paths/load_listing.h"
#include "lab/paths/metrics.h"
#include "lab/paths/misses.h"
#include "lab/paths/slowdown.h"
#include "lab/paths/tree.h"
#include "lab/paths/ways.h"
#include "lab/pipeline/bottlenecks.h"
#include "lab/pipeline/bursts.h"
#include "lab/pipeline/convergence.h"
#include "lab/pipeline/counters.h"
#include "lab/pipeline/opportunities.h"
#include "lab/pipeline/skid.h"
#include "lab/pipeline/slots.h"
#include "lab/pipeline/time_shares.h"
#include "lab/pipeline/units.h"
#include "lab/streams/streams.h"

#include <string.h>

const struct lab_table *const lab_tables[] = {&lab_overhead,
                                              &lab_perturbation,
                                              &lab_metrics,
                                              &lab_tree,
                                              &lab_hot_paths,
                                              &lab_hot_functions,
                                              &lab_streams_programs,
                                              &lab_streams_chance,
                                              &lab_streams_errors,
                                              &lab_streams_convergence,
                                              &lab_streams_parts,
                                              &lab_streams_counters,
                                              &lab_streams_branches,
                                              &lab_streams_designs,
                                              &lab_streams_hash,
                                              &lab_streams_tags,
                                              &lab_streams_settle,
                                              &lab_streams_kinds,
                                              &lab_streams_hotlists,
                                              &lab_misses,
                                              &lab_slowdown,
                                              &lab_load_listing,
                                              &lab_skid,
                                              &lab_convergence,
                                              &lab_bottlenecks,
                                              &lab_ways,
                                              &lab_ways_pairs,
                                              &lab_apportion,
                                              &lab_slots,
                                              &lab_opportunities,
                                              &lab_units,
                                              &lab_bursts,
                                              &lab_time_shares,
                                              &lab_counters_block,
                                              &lab_counters_stall,
                                              &lab_events_weights,
                                              &lab_events_bars,
                                              &lab_events_primary,
                                              NULL};

const struct lab_table *lab_table_find(const char *name)
{
    for (size_t i = 0; lab_tables[i]; i++)
        if (strcmp(lab_tables[i]->name, name) == 0)
            return lab_tables[i];
    return NULL;
}
