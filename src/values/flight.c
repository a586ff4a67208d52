#include "values/flight.h"

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    CYCLE = 4, /* of four instructions each */
    LOAD_CYCLES = 5,
    ORDER_CYCLES = 2, /* that a load must be ahead of its store's address to be told */
    FORWARD_CYCLES = 12,
};

void flight_begin(struct flight *flight, flight_found *found, void *context)
{
    *flight = (struct flight){.found = found, .context = context};
}

static void set_join(struct flight_set *set, const struct flight_set *more)
{
    for (int i = 0; i < FLIGHT_STORES / 64; i++)
        set->bits[i] |= more->bits[i];
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* When all registers of the set are known. */
static uint32_t ready_at(const struct flight *flight, uint64_t registers)
{
    uint32_t at = 0;
    for (; registers; registers &= registers - 1)
        at = later(at, flight->ready[__builtin_ctzll(registers)]);
    return at;
}

static struct flight_set follows_of(const struct flight *flight, uint64_t registers)
{
    struct flight_set set = {0};
    for (; registers; registers &= registers - 1)
        set_join(&set, &flight->follows[__builtin_ctzll(registers)]);
    return set;
}

static void tell(struct flight *flight, enum conflict_type type, uint32_t from)
{
    struct flight_conflict conflict = {type, from, flight->n_steps};
    flight->found(flight->context, &conflict);
}

/* ---- one access alone */

static void splits_find(struct flight *flight, uint64_t address, uint64_t bytes)
{
    if (address % PAGE_BYTES + bytes > PAGE_BYTES)
        tell(flight, CONFLICT_PAGE, flight->n_steps);
    else if (address % LINE_BYTES + bytes > LINE_BYTES)
        tell(flight, CONFLICT_LINE, flight->n_steps);
}

/* ---- a load and the stores before it */

struct load {
    uint64_t address, end;
    uint32_t at; /* when it can go */
    struct flight_set address_follows;
};

static bool overlaps(const struct flight_store *store, const struct load *load)
{
    return store->address < load->end && load->address < store->end;
}

/* In their low bits, and not in truth. */
static bool aliases(const struct flight_store *store, const struct load *load)
{
    uint64_t shift = (load->address - store->address) % PAGE_BYTES;
    uint64_t bytes = store->end - store->address;
    return shift < bytes || PAGE_BYTES - shift < load->end - load->address;
}

static bool follows(const struct load *load, uint32_t store)
{
    return load->address_follows.bits[store / 64] >> store % 64 & 1;
}

/* The store that it gets its bytes from, and what goes wrong between the two; when the load has
 * them. */
static uint32_t load_from(struct flight *flight, const struct load *load, uint32_t store,
                          struct flight_set *data)
{
    const struct flight_store *from = &flight->stores[store];
    uint32_t at = later(load->at, later(from->address_at, from->data_at)) + LOAD_CYCLES * CYCLE;
    bool whole = from->address <= load->address && load->end <= from->end;
    set_join(data, &from->follows);
    data->bits[store / 64] |= UINT64_C(1) << store % 64;
    if (from->quiet || follows(load, store))
        return at;
    if (!whole)
        tell(flight, CONFLICT_FORWARD, from->step);
    else if (from->address_at > load->at + ORDER_CYCLES * CYCLE)
        tell(flight, CONFLICT_ORDER, from->step);
    return whole ? at : at + FORWARD_CYCLES * CYCLE;
}

/* From the youngest store back. Returns when the load has what it loads. */
static uint32_t load_find(struct flight *flight, const struct load *load, struct flight_set *data)
{
    bool aliased = false;
    for (uint32_t i = flight->n_stores; i > flight->first_store; i--) {
        const struct flight_store *store = &flight->stores[i - 1];
        if (overlaps(store, load))
            return load_from(flight, load, i - 1, data);
        if (!aliased && !store->quiet && aliases(store, load) && !follows(load, i - 1)) {
            tell(flight, CONFLICT_ALIAS, store->step);
            aliased = true; /* by the youngest: one is enough to make it wait */
        }
    }
    return load->at + LOAD_CYCLES * CYCLE;
}

/* ---- steps */

static void stores_expire(struct flight *flight, bool drains)
{
    while (flight->first_store < flight->n_stores &&
           (drains || flight->n_steps - flight->stores[flight->first_store].step > FLIGHT_FAR))
        flight->first_store++;
}

static void store_add(struct flight *flight, const struct flight_at *at, bool quiet,
                      uint32_t address_at, uint32_t data_at, const struct flight_set *data)
{
    flight->stores[flight->n_stores++] = (struct flight_store){.address = at->address,
                                                               .end = at->address + at->bytes,
                                                               .step = flight->n_steps,
                                                               .address_at = address_at,
                                                               .data_at = data_at,
                                                               .quiet = quiet,
                                                               .follows = *data};
}

bool flight_step(struct flight *flight, const struct flight_step *step, const struct flight_at *at)
{
    if (flight->n_steps >= FLIGHT_STEPS || flight->n_stores + FLIGHT_ACCESSES > FLIGHT_STORES)
        return false;
    uint32_t address_at = later(ready_at(flight, step->addresses), flight->n_steps);
    uint32_t done_at = later(ready_at(flight, step->reads), flight->n_steps);
    /* A call through memory stores on the stack: where, does not wait for where it goes. */
    uint32_t store_at =
        step->moves ? later(ready_at(flight, step->moves), flight->n_steps) : address_at;
    struct flight_set data = follows_of(flight, step->reads);
    stores_expire(flight, step->drains);
    for (uint32_t i = 0; i < step->n; i++) {
        const struct flight_access *access = &step->accesses[i];
        if (access->bytes)
            splits_find(flight, at[i].address, access->bytes);
        if ((access->access & FLIGHT_READ) && access->bytes) {
            struct load load = {.address = at[i].address,
                                .end = at[i].address + access->bytes,
                                .at = address_at,
                                .address_follows = follows_of(flight, step->addresses)};
            done_at = later(done_at, load_find(flight, &load, &data));
        }
    }
    done_at += (uint32_t)step->cycles * CYCLE;
    for (uint32_t i = 0; i < step->n; i++)
        if (step->accesses[i].access & FLIGHT_WRITE)
            store_add(flight, &at[i], !step->accesses[i].bytes, store_at, done_at, &data);
    stores_expire(flight, step->drains);
    for (uint64_t set = step->writes; set; set &= set - 1) {
        int reg = __builtin_ctzll(set);
        bool moves = step->moves >> reg & 1;
        flight->ready[reg] = moves ? later(flight->ready[reg], flight->n_steps) : done_at;
        if (!moves)
            flight->follows[reg] = data;
    }
    flight->n_steps++;
    return true;
}
