#include "records/spe.h"

#include <string.h>

enum { INDEX_PC, INDEX_TARGET, INDEX_DATA, INDEX_PHYSICAL };
enum { INDEX_TOTAL, INDEX_ISSUE, INDEX_TRANSLATE };
enum { CLASS_OTHER, CLASS_MEMORY, CLASS_BRANCH };

#define ADDRESS_BITS UINT64_C(0x00ffffffffffffff)

/* ---- packets */

static struct spe_packet bad_packet(size_t n)
{
    return (struct spe_packet){.kind = SPE_BAD, .bytes = (uint32_t)(n < 255 ? n : 255)};
}

/* Headers of one byte, but for the first two: what kind, and which of that kind. */
static struct spe_packet short_header(uint8_t header)
{
    struct spe_packet packet = {.kind = SPE_BAD, .bytes = 1};
    if (header == 0x71)
        packet.kind = SPE_TIME;
    else if ((header & 0xCF) == 0x42)
        packet.kind = SPE_EVENTS;
    else if ((header & 0xCF) == 0x43)
        packet.kind = SPE_SOURCE;
    else if ((header & 0xFC) == 0x64)
        packet = (struct spe_packet){.kind = SPE_CONTEXT, .index = header & 3};
    else if ((header & 0xFC) == 0x48)
        packet = (struct spe_packet){.kind = SPE_OPERATION, .index = header & 3};
    else if ((header & 0xF8) == 0xB0)
        packet = (struct spe_packet){.kind = SPE_ADDRESS, .index = header & 7};
    else if ((header & 0xF8) == 0x98)
        packet = (struct spe_packet){.kind = SPE_COUNTER, .index = header & 7};
    return packet;
}

struct spe_packet spe_packet_at(const uint8_t *bytes, size_t n, uint64_t place)
{
    uint32_t header_bytes = 1, high = 0;
    if (bytes[0] <= 1)
        return (struct spe_packet){.kind = bytes[0] ? SPE_END : SPE_PAD, .bytes = 1};
    if ((bytes[0] & 0xFC) == 0x20) {
        if (n < 2)
            return bad_packet(n);
        if (!bytes[1]) { /* padding up to a multiple */
            uint64_t multiple = (uint64_t)1 << ((bytes[0] & 0xF) + 1);
            uint64_t pad = multiple - (place & (multiple - 1));
            return (struct spe_packet){.kind = SPE_PAD, .bytes = (uint32_t)(pad < n ? pad : n)};
        }
        high = (bytes[0] & 3u) << 3;
        header_bytes = 2;
    }
    uint8_t header = bytes[header_bytes - 1];
    struct spe_packet packet = short_header(header);
    if (packet.kind == SPE_BAD ||
        (header_bytes == 2 && packet.kind != SPE_ADDRESS && packet.kind != SPE_COUNTER))
        return bad_packet(1);
    uint32_t payload_bytes = 1u << (header >> 4 & 3);
    if (n < header_bytes + payload_bytes)
        return bad_packet(n);
    packet.index |= high;
    packet.bytes = header_bytes + payload_bytes;
    memcpy(&packet.payload, bytes + header_bytes, payload_bytes);
    return packet;
}

/* ---- what they say */

/* Addresses have 56 bits; the top byte of those of the kernel is all ones. */
static uint64_t code_address(uint64_t payload)
{
    uint64_t level = payload >> 61 & 3;
    bool kernel = payload >> 63 && (level == 1 || level == 2);
    return (payload & ADDRESS_BITS) | (kernel ? ~ADDRESS_BITS : 0);
}

static uint64_t data_address(uint64_t payload)
{
    bool kernel = (payload >> 52 & 0xF) == 0xF;
    return (payload & ADDRESS_BITS) | (kernel ? ~ADDRESS_BITS : 0);
}

static void address_add(struct sample *sample, const struct spe_packet *packet)
{
    switch (packet->index) {
    case INDEX_PC: sample_set(sample, SAMPLE_PC, code_address(packet->payload)); break;
    case INDEX_TARGET: sample_set(sample, SAMPLE_TARGET, code_address(packet->payload)); break;
    case INDEX_DATA: sample_set(sample, SAMPLE_DATA, data_address(packet->payload)); break;
    case INDEX_PHYSICAL: sample_set(sample, SAMPLE_PHYSICAL, packet->payload & ADDRESS_BITS); break;
    default: break;
    }
}

static void counter_add(struct sample *sample, const struct spe_packet *packet)
{
    static const enum sample_field fields[] = {[INDEX_TOTAL] = SAMPLE_DONE,
                                               [INDEX_ISSUE] = SAMPLE_ISSUE,
                                               [INDEX_TRANSLATE] = SAMPLE_TRANSLATE};
    if (packet->index > INDEX_TRANSLATE)
        return;
    sample_set(sample, fields[packet->index], packet->payload);
    if (packet->index != INDEX_TRANSLATE)
        sample_set(sample, SAMPLE_MAP, 0);
}

/* Bits beyond the payload's own are not told. */
static void events_add(struct sample *sample, const struct spe_packet *packet)
{
    static const struct {
        uint8_t bit, event;
    } list[] = {{0, EVENT_EXCEPTION}, {1, EVENT_RETIRED},      {3, EVENT_L1_MISS},
                {5, EVENT_TLB_WALK},  {7, EVENT_MISPREDICTED}, {9, EVENT_L3_MISS},
                {10, EVENT_REMOTE},   {11, EVENT_MISALIGNED}};
    unsigned bits = 8 * (packet->bytes - 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].bit < bits)
            sample_event(sample, (enum sample_event)list[i].event,
                         packet->payload >> list[i].bit & 1);
}

static void operation_add(struct sample *sample, const struct spe_packet *packet)
{
    bool memory = packet->index == CLASS_MEMORY, branch = packet->index == CLASS_BRANCH;
    sample_event(sample, EVENT_LOAD, memory && !(packet->payload & 1));
    sample_event(sample, EVENT_STORE, memory && packet->payload & 1);
    sample_event(sample, EVENT_BRANCH, branch);
    if (branch) {
        sample_event(sample, EVENT_CONDITIONAL, packet->payload & 1);
        sample_event(sample, EVENT_INDIRECT, packet->payload & 2);
    }
}

static void packet_add(struct sample *sample, const struct spe_packet *packet)
{
    switch (packet->kind) {
    case SPE_ADDRESS: address_add(sample, packet); break;
    case SPE_COUNTER: counter_add(sample, packet); break;
    case SPE_EVENTS: events_add(sample, packet); break;
    case SPE_OPERATION: operation_add(sample, packet); break;
    case SPE_TIME: sample_set(sample, SAMPLE_TICKS, packet->payload); break;
    case SPE_CONTEXT: sample_set(sample, SAMPLE_TID, packet->payload & UINT32_MAX); break;
    default: break; /* what a data source means differs from core to core */
    }
}

/* Of an event packet: not taken. It says something of conditional branches only. */
static void branch_finish(struct sample *sample, uint64_t events, bool has_events)
{
    if (has_events && sample_happened(sample, EVENT_BRANCH))
        sample_event(sample, EVENT_TAKEN, !(events >> 6 & 1));
}

/* ---- records */

static struct spe_packet packet_take(struct spe_reader *reader)
{
    struct spe_packet packet =
        spe_packet_at(reader->at, (size_t)(reader->end - reader->at), reader->place);
    reader->at += packet.bytes;
    reader->place += packet.bytes;
    if (packet.kind == SPE_BAD)
        reader->bad_bytes += packet.bytes;
    return packet;
}

bool spe_read(struct spe_reader *reader, struct sample *ret_sample)
{
    struct sample sample = {0};
    uint64_t events = 0;
    bool has_events = false;
    while (reader->at < reader->end) {
        struct spe_packet packet = packet_take(reader);
        if (packet.kind == SPE_EVENTS) {
            events = packet.payload;
            has_events = true;
        }
        packet_add(&sample, &packet);
        if (packet.kind != SPE_END && packet.kind != SPE_TIME)
            continue;
        branch_finish(&sample, events, has_events);
        sample_set(&sample, SAMPLE_ORIGIN, ORIGIN_SPE);
        *ret_sample = sample;
        return true;
    }
    return false; /* what was begun was cut off */
}

static const char *packet_name(const struct spe_packet *packet)
{
    static const char *const names[SPE_KINDS] = {
        [SPE_END] = "END",         [SPE_TIME] = "TS",
        [SPE_EVENTS] = "EV",       [SPE_SOURCE] = "DATA-SOURCE",
        [SPE_CONTEXT] = "CONTEXT", [SPE_BAD] = "BAD"};
    static const char *const addresses[] = {"PC", "TGT", "VA", "PA", "PBT"};
    static const char *const counters[] = {"TOT", "ISSUE", "XLAT"};
    static const char *const operations[] = {"OTHER", "LD-ST", "B", "OP-3"};
    switch (packet->kind) {
    case SPE_ADDRESS:
        return packet->index < sizeof addresses / sizeof *addresses ? addresses[packet->index]
                                                                    : "ADDRESS";
    case SPE_COUNTER:
        return packet->index < sizeof counters / sizeof *counters ? counters[packet->index] : "LAT";
    case SPE_OPERATION: return operations[packet->index];
    default: return names[packet->kind];
    }
}

bool spe_seek(struct spe_reader *reader)
{
    while (reader->at < reader->end) {
        struct spe_packet packet =
            spe_packet_at(reader->at, (size_t)(reader->end - reader->at), reader->place);
        if (packet.kind != SPE_PAD)
            return true;
        packet_take(reader);
    }
    return false;
}

bool spe_tell(struct spe_reader *reader, const struct bits_listener *listener)
{
    if (reader->at == reader->end)
        return false;
    while (reader->at < reader->end) {
        struct spe_packet packet = packet_take(reader);
        if (packet.kind == SPE_PAD)
            continue;
        listener->hear(listener->closure, packet_name(&packet), packet.payload);
        if (packet.kind == SPE_END || packet.kind == SPE_TIME)
            break;
    }
    return true;
}
