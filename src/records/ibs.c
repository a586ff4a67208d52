#include "records/ibs.h"

#include "base/err.h"

#include <string.h>

/* What the processor can do; the rest of the bits is of no concern. */
enum {
    CAPS_BRANCH_TARGET = 1 << 5,
    CAPS_FETCH_EXTENDED = 1 << 9,
    CAPS_DATA4 = 1 << 10,
    CAPS_ZEN4 = 1 << 11,
};

enum { OP_CTL, OP_RIP, OP_DATA, OP_DATA2, OP_DATA3, OP_LINEAR, OP_PHYSICAL, OP_WORDS };
enum { OP_TARGET = OP_WORDS, OP_DATA4, OP_WORDS_MAX };
enum { FETCH_CTL, FETCH_LINEAR, FETCH_PHYSICAL, FETCH_WORDS };
enum { FETCH_EXTENDED = FETCH_WORDS, FETCH_WORDS_MAX };

/* MaxCnt is in two parts, the low one without its last four bits; see op_tell. */
#define OP_BITS(X)                                                                                 \
    X(MaxCntLow, OP_CTL, 0, 16)                                                                    \
    X(L3MissOnly, OP_CTL, 16, 1)                                                                   \
    X(En, OP_CTL, 17, 1)                                                                           \
    X(Val, OP_CTL, 18, 1)                                                                          \
    X(CntCtl, OP_CTL, 19, 1)                                                                       \
    X(MaxCntHigh, OP_CTL, 20, 7)                                                                   \
    X(CurCnt, OP_CTL, 32, 27)                                                                      \
    X(IbsOpRip, OP_RIP, 0, 64)                                                                     \
    X(CompToRetCtr, OP_DATA, 0, 16)                                                                \
    X(TagToRetCtr, OP_DATA, 16, 16)                                                                \
    X(OpReturn, OP_DATA, 34, 1)                                                                    \
    X(OpBrnTaken, OP_DATA, 35, 1)                                                                  \
    X(OpBrnMisp, OP_DATA, 36, 1)                                                                   \
    X(BrnRet, OP_DATA, 37, 1)                                                                      \
    X(RipInvalid, OP_DATA, 38, 1)                                                                  \
    X(BrnFuse, OP_DATA, 39, 1)                                                                     \
    X(Microcode, OP_DATA, 40, 1)                                                                   \
    X(DataSrcLow, OP_DATA2, 0, 3)                                                                  \
    X(RmtNode, OP_DATA2, 4, 1)                                                                     \
    X(CacheHitSt, OP_DATA2, 5, 1)                                                                  \
    X(DataSrcHigh, OP_DATA2, 6, 2)                                                                 \
    X(LdOp, OP_DATA3, 0, 1)                                                                        \
    X(StOp, OP_DATA3, 1, 1)                                                                        \
    X(DcL1TlbMiss, OP_DATA3, 2, 1)                                                                 \
    X(DcL2TlbMiss, OP_DATA3, 3, 1)                                                                 \
    X(DcL1TlbHit2M, OP_DATA3, 4, 1)                                                                \
    X(DcL1TlbHit1G, OP_DATA3, 5, 1)                                                                \
    X(DcL2TlbHit2M, OP_DATA3, 6, 1)                                                                \
    X(DcMiss, OP_DATA3, 7, 1)                                                                      \
    X(DcMisAcc, OP_DATA3, 8, 1)                                                                    \
    X(DcWcMemAcc, OP_DATA3, 13, 1)                                                                 \
    X(DcUcMemAcc, OP_DATA3, 14, 1)                                                                 \
    X(DcLockedOp, OP_DATA3, 15, 1)                                                                 \
    X(DcMissNoMabAlloc, OP_DATA3, 16, 1)                                                           \
    X(DcLinAddrValid, OP_DATA3, 17, 1)                                                             \
    X(DcPhyAddrValid, OP_DATA3, 18, 1)                                                             \
    X(DcL2TlbHit1G, OP_DATA3, 19, 1)                                                               \
    X(L2Miss, OP_DATA3, 20, 1)                                                                     \
    X(SwPf, OP_DATA3, 21, 1)                                                                       \
    X(OpMemWidthLog2, OP_DATA3, 22, 4)                                                             \
    X(OpDcMissOpenMemReqs, OP_DATA3, 26, 6)                                                        \
    X(DcMissLat, OP_DATA3, 32, 16)                                                                 \
    X(TlbRefillLat, OP_DATA3, 48, 16)                                                              \
    X(IbsDCLinAd, OP_LINEAR, 0, 64)                                                                \
    X(IbsDCPhysAd, OP_PHYSICAL, 0, 64)                                                             \
    X(IbsBrTarget, OP_TARGET, 0, 64)                                                               \
    X(OpLdResync, OP_DATA4, 0, 1)

#define FETCH_BITS(X)                                                                              \
    X(MaxCntLow, FETCH_CTL, 0, 16)                                                                 \
    X(CntLow, FETCH_CTL, 16, 16)                                                                   \
    X(Lat, FETCH_CTL, 32, 16)                                                                      \
    X(En, FETCH_CTL, 48, 1)                                                                        \
    X(Val, FETCH_CTL, 49, 1)                                                                       \
    X(Comp, FETCH_CTL, 50, 1)                                                                      \
    X(IcMiss, FETCH_CTL, 51, 1)                                                                    \
    X(PhyAddrValid, FETCH_CTL, 52, 1)                                                              \
    X(L1TlbPgSz, FETCH_CTL, 53, 2)                                                                 \
    X(L1TlbMiss, FETCH_CTL, 55, 1)                                                                 \
    X(L2TlbMiss, FETCH_CTL, 56, 1)                                                                 \
    X(RandEn, FETCH_CTL, 57, 1)                                                                    \
    X(L2Miss, FETCH_CTL, 58, 1)                                                                    \
    X(L3MissOnly, FETCH_CTL, 59, 1)                                                                \
    X(FetchOcMiss, FETCH_CTL, 60, 1)                                                               \
    X(FetchL3Miss, FETCH_CTL, 61, 1)                                                               \
    X(IbsFetchLinAd, FETCH_LINEAR, 0, 64)                                                          \
    X(IbsFetchPhysAd, FETCH_PHYSICAL, 0, 64)                                                       \
    X(IbsItlbRefillLat, FETCH_EXTENDED, 0, 16)

#define BITS_OF(name, word, low, n) {#name, word, low, n},
static const struct bits op_bits[] = {OP_BITS(BITS_OF)};
static const struct bits fetch_bits[] = {FETCH_BITS(BITS_OF)};
#define OP_ENUM(name, word, low, n) OP_##name,
enum op_part { OP_BITS(OP_ENUM) OP_PARTS };
#define FETCH_ENUM(name, word, low, n) FETCH_##name,
enum fetch_part { FETCH_BITS(FETCH_ENUM) FETCH_PARTS };

struct ibs_words {
    uint32_t caps;
    uint64_t at[OP_WORDS_MAX]; /* each where its name says, whatever the capabilities */
    uint64_t there;            /* 1 << word */
};

static uint64_t op_of(const struct ibs_words *words, enum op_part part)
{
    return bits_of(&op_bits[part], words->at);
}

static uint64_t fetch_of(const struct ibs_words *words, enum fetch_part part)
{
    return bits_of(&fetch_bits[part], words->at);
}

/* ---- registers */

static bool word_take(const uint8_t **at, size_t *n, struct ibs_words *words, int word)
{
    if (*n < sizeof words->at[word])
        return false;
    memcpy(&words->at[word], *at, sizeof words->at[word]);
    *at += sizeof words->at[word];
    *n -= sizeof words->at[word];
    words->there |= (uint64_t)1 << word;
    return true;
}

static bool words_take(const void *raw, size_t n, bool op, struct ibs_words *ret_words,
                       struct err *err)
{
    struct ibs_words words = {0};
    const uint8_t *at = raw;
    size_t all = n;
    if (n < sizeof words.caps)
        return err_set(err, ERR_FORMAT, "%zu bytes of IBS registers: not even their capabilities",
                       n);
    memcpy(&words.caps, at, sizeof words.caps);
    at += sizeof words.caps;
    n -= sizeof words.caps;
    bool ok = true;
    for (int i = 0; i < (op ? OP_WORDS : FETCH_WORDS) && ok; i++)
        ok = word_take(&at, &n, &words, i);
    if (ok && op && words.caps & CAPS_BRANCH_TARGET)
        ok = word_take(&at, &n, &words, OP_TARGET);
    if (ok && op && words.caps & CAPS_DATA4)
        ok = word_take(&at, &n, &words, OP_DATA4);
    if (ok && !op && words.caps & CAPS_FETCH_EXTENDED)
        ok = word_take(&at, &n, &words, FETCH_EXTENDED);
    if (!ok)
        return err_set(err, ERR_FORMAT,
                       "%zu bytes of IBS registers are too few for capabilities %#x", all,
                       words.caps);
    *ret_words = words;
    return true;
}

/* ---- what they say */

static bool is_early_zen3(const struct ibs_machine *machine)
{
    return machine->family == 0x19 && machine->model < 0x10;
}

/* Erratum 1293: of software prefetches and of misses that nothing was allocated for. */
static bool op_doubtful(const struct ibs_words *words, const struct ibs_machine *machine)
{
    return is_early_zen3(machine) && (op_of(words, OP_SwPf) || op_of(words, OP_DcMissNoMabAlloc));
}

/* DataSrc of before Zen 4 has three bits, and tells nothing of hits in the first caches. SOURCES:
 * says nothing. */
static enum sample_source source_of(const struct ibs_words *words)
{
    static const uint8_t old[8] = {SOURCES,          SOURCES, SOURCE_L3, SOURCE_MEMORY,
                                   SOURCE_FAR_CACHE, SOURCES, SOURCES,   SOURCE_DEVICE};
    static const uint8_t zen4[] = {SOURCES,
                                   SOURCE_L3,
                                   SOURCE_PEER,
                                   SOURCE_MEMORY,
                                   SOURCES,
                                   SOURCE_FAR_CACHE,
                                   SOURCE_SLOW_MEMORY,
                                   SOURCE_DEVICE,
                                   SOURCE_SLOW_MEMORY,
                                   SOURCES,
                                   SOURCES,
                                   SOURCES,
                                   SOURCE_SLOW_MEMORY};
    uint64_t low = op_of(words, OP_DataSrcLow);
    uint64_t wide = op_of(words, OP_DataSrcHigh) << 3 | low;
    enum sample_source source = (enum sample_source)old[low];
    if (words->caps & CAPS_ZEN4)
        source = wide < sizeof zen4 ? (enum sample_source)zen4[wide] : SOURCES;
    return source == SOURCE_MEMORY && op_of(words, OP_RmtNode) ? SOURCE_FAR_MEMORY : source;
}

static void op_branch(const struct ibs_words *words, struct sample *sample)
{
    bool branch = op_of(words, OP_BrnRet);
    sample_event(sample, EVENT_BRANCH, branch);
    if (!branch)
        return;
    sample_event(sample, EVENT_RETURN, op_of(words, OP_OpReturn));
    sample_event(sample, EVENT_TAKEN, op_of(words, OP_OpBrnTaken));
    sample_event(sample, EVENT_MISPREDICTED, op_of(words, OP_OpBrnMisp));
    if (words->there >> OP_TARGET & 1)
        sample_set(sample, SAMPLE_TARGET, words->at[OP_TARGET]);
}

/* Of operations that load or store; the rest of DATA3 has no meaning for others. */
static void op_memory(const struct ibs_words *words, bool doubtful, struct sample *sample)
{
    bool miss = op_of(words, OP_DcMiss), load = op_of(words, OP_LdOp);
    sample_event(sample, EVENT_L1_MISS, miss);
    sample_event(sample, EVENT_TLB_MISS, op_of(words, OP_DcL1TlbMiss));
    sample_event(sample, EVENT_TLB_WALK, op_of(words, OP_DcL2TlbMiss));
    sample_event(sample, EVENT_LOCKED, op_of(words, OP_DcLockedOp));
    sample_event(sample, EVENT_MISALIGNED, op_of(words, OP_DcMisAcc));
    sample_event(sample, EVENT_UNCACHED,
                 op_of(words, OP_DcUcMemAcc) || op_of(words, OP_DcWcMemAcc));
    sample_event(sample, EVENT_PREFETCH, op_of(words, OP_SwPf));
    if (op_of(words, OP_DcLinAddrValid))
        sample_set(sample, SAMPLE_DATA, words->at[OP_LINEAR]);
    if (op_of(words, OP_DcPhyAddrValid))
        sample_set(sample, SAMPLE_PHYSICAL, words->at[OP_PHYSICAL]);
    if (op_of(words, OP_OpMemWidthLog2))
        sample_set(sample, SAMPLE_BYTES, (uint64_t)1 << (op_of(words, OP_OpMemWidthLog2) - 1));
    if (op_of(words, OP_DcL1TlbMiss))
        sample_set(sample, SAMPLE_TRANSLATE, op_of(words, OP_TlbRefillLat));
    if (miss && load)
        sample_set(sample, SAMPLE_MISS, op_of(words, OP_DcMissLat));
    if (doubtful)
        return;
    enum sample_source source = source_of(words);
    sample_event(sample, EVENT_L2_MISS, op_of(words, OP_L2Miss));
    if (miss)
        sample_set(sample, SAMPLE_OPEN_MISSES, op_of(words, OP_OpDcMissOpenMemReqs));
    if (load && source != SOURCES) {
        sample_set(sample, SAMPLE_SOURCE, source);
        sample_event(sample, EVENT_REMOTE, op_of(words, OP_RmtNode));
    } else if (load && !op_of(words, OP_L2Miss)) {
        sample_set(sample, SAMPLE_SOURCE, miss ? SOURCE_L2 : SOURCE_L1);
    }
}

bool ibs_op_decode(const void *raw, size_t n, const struct ibs_machine *machine,
                   struct sample *sample, struct err *err)
{
    struct ibs_words words;
    if (!words_take(raw, n, true, &words, err))
        return false;
    uint64_t complete = op_of(&words, OP_CompToRetCtr), retire = op_of(&words, OP_TagToRetCtr);
    sample_set(sample, SAMPLE_ORIGIN, ORIGIN_IBS_OP);
    if (!op_of(&words, OP_RipInvalid))
        sample_set(sample, SAMPLE_PC, words.at[OP_RIP]);
    sample_set(sample, SAMPLE_MAP, 0);
    sample_set(sample, SAMPLE_RETIRE, retire);
    if (complete <= retire)
        sample_set(sample, SAMPLE_DONE, retire - complete);
    sample_event(sample, EVENT_RETIRED, true);
    sample_event(sample, EVENT_LOAD, op_of(&words, OP_LdOp));
    sample_event(sample, EVENT_STORE, op_of(&words, OP_StOp));
    sample_event(sample, EVENT_FUSED, op_of(&words, OP_BrnFuse));
    sample_event(sample, EVENT_MICROCODE, op_of(&words, OP_Microcode));
    op_branch(&words, sample);
    if (op_of(&words, OP_LdOp) || op_of(&words, OP_StOp))
        op_memory(&words, op_doubtful(&words, machine), sample);
    return true;
}

bool ibs_fetch_decode(const void *raw, size_t n, const struct ibs_machine *machine,
                      struct sample *sample, struct err *err)
{
    struct ibs_words words;
    if (!words_take(raw, n, false, &words, err))
        return false;
    bool complete = fetch_of(&words, FETCH_Comp);
    sample_set(sample, SAMPLE_ORIGIN, ORIGIN_IBS_FETCH);
    sample_set(sample, SAMPLE_PC, words.at[FETCH_LINEAR]);
    sample_set(sample, SAMPLE_FETCHING, fetch_of(&words, FETCH_Lat));
    if (fetch_of(&words, FETCH_PhyAddrValid))
        sample_set(sample, SAMPLE_PHYSICAL, words.at[FETCH_PHYSICAL]);
    if (!complete)
        sample_event(sample, EVENT_RETIRED, false); /* if it was, nobody tells what became of it */
    if (!is_early_zen3(machine))                    /* erratum 1238 */
        sample_event(sample, EVENT_L1I_MISS, fetch_of(&words, FETCH_IcMiss));
    sample_event(sample, EVENT_ITLB_MISS, fetch_of(&words, FETCH_L1TlbMiss));
    sample_event(sample, EVENT_ITLB_WALK, fetch_of(&words, FETCH_L2TlbMiss));
    if (complete)
        sample_event(sample, EVENT_CODE_L2_MISS, fetch_of(&words, FETCH_L2Miss));
    if (words.there >> FETCH_EXTENDED & 1)
        sample_set(sample, SAMPLE_FETCH_TRANSLATE, fetch_of(&words, FETCH_IbsItlbRefillLat));
    return true;
}

/* ---- telling */

static void parts_tell(const struct ibs_words *words, const struct bits *parts, size_t n,
                       const struct bits_listener *listener)
{
    for (size_t i = 0; i < n; i++)
        if (words->there >> parts[i].word & 1)
            listener->hear(listener->closure, parts[i].name, bits_of(&parts[i], words->at));
}

bool ibs_op_tell(const void *raw, size_t n, const struct bits_listener *listener, struct err *err)
{
    struct ibs_words words;
    if (!words_take(raw, n, true, &words, err))
        return false;
    uint64_t width = op_of(&words, OP_OpMemWidthLog2);
    parts_tell(&words, op_bits, OP_PARTS, listener);
    listener->hear(listener->closure, "MaxCnt",
                   (op_of(&words, OP_MaxCntHigh) << 16 | op_of(&words, OP_MaxCntLow)) << 4);
    listener->hear(listener->closure, "OpMemWidth", width ? (uint64_t)1 << (width - 1) : 0);
    listener->hear(listener->closure, "DataSrc",
                   (words.caps & CAPS_ZEN4 ? op_of(&words, OP_DataSrcHigh) << 3 : 0) |
                       op_of(&words, OP_DataSrcLow));
    return true;
}

bool ibs_fetch_tell(const void *raw, size_t n, const struct bits_listener *listener,
                    struct err *err)
{
    struct ibs_words words;
    if (!words_take(raw, n, false, &words, err))
        return false;
    parts_tell(&words, fetch_bits, FETCH_PARTS, listener);
    listener->hear(listener->closure, "MaxCnt", fetch_of(&words, FETCH_MaxCntLow) << 4);
    listener->hear(listener->closure, "Cnt", fetch_of(&words, FETCH_CntLow) << 4);
    return true;
}
