#!/bin/bash
# record --events value and gait values: shares of values that a program is known to have, each in its interval.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/habits" tests/programs/processes/habits.c || { bad 'the test program could not be built'; exit 1; }
"$gait" record -q --overhead 20% --seed 1 --events edge,call,address,value -o "$work/data" -- "$work/habits" 80000000 >/dev/null || bad "record: status $?"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" values --json --module habits "$work/data" >"$work/json" || bad "values: status $?"
# With addresses a walk has one window, else several; all of them stand for the time once.
"$gait" record -q --overhead 20% --seed 1 --events edge,call,value -o "$work/several" -- "$work/habits" 30000000 >/dev/null || bad "record: status $?"
for data in data several; do "$gait" info --json "$work/$data"; done >"$work/infos"
/usr/bin/python3 -B - "$work/infos" <<'EOF' || bad 'windows of a walk'
import json, sys
text, read = open(sys.argv[1]).read(), json.JSONDecoder().raw_decode
first, end = read(text)
second = read(text[end:].lstrip())[0]
one, several = first['rows'][0], second['rows'][0]
print([(row['recorded_windows'], row['interrupts'], row['walked_share']) for row in (one, several)])
assert one['recorded_windows'] <= one['interrupts'] and several['recorded_windows'] > several['interrupts']
# Where the tool gets no CPU time the ring is full, and walks are dropped.
dropped = second['losses'].get('dropped', 0)
assert several['recorded_windows'] + 2 * dropped > 1.5 * several['interrupts']
assert (0.5 if dropped else 0.9) < several['walked_share'] + dropped / several['interrupts'] <= 1.2
EOF
/usr/bin/python3 -B - "$work/json" <<'EOF' || bad 'figures'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
truth = {('divided', 'divisor'): {7: 0.95, 9: 0.05}, ('loaded', 'load'): {42: 1}, ('copied', 'size'): {24: 0.75, 200: 0.25}}
for (function, kind), shares in truth.items():
    row = next(r for r in rows if r['function'] == function and r['kind'] == kind)
    # What is rarer is the rest of copies that an interrupt came into.
    seen = {int(v['value'], 16): v for v in row['values'] if v['share'] > 0.01}
    print(function, row['total'], [(n, v['share'], v['share_lo'], v['share_hi']) for n, v in seen.items()])
    assert set(seen) == set(shares), seen
    assert row['total'] * 0.99 < sum(v['count'] for v in seen.values()) <= row['total'] * 1.0001, row
    for n, share in shares.items():
        v = seen[n]
        # Two intervals to either side: one that is missed by chance is not what is looked for.
        wide = max(v['share_hi'] - v['share_lo'], 0.002)
        assert v['share_lo'] - wide <= share <= v['share_hi'] + wide, (function, n, v)
        assert v['share_hi'] - v['share_lo'] < 0.5, v
for row in rows:
    if row['function'] == 'drawn' and row['kind'] == 'result':
        assert all(v['share'] < 0.01 for v in row['values']), row
EOF
# A saving is of what the program executes, not of the part of it whose values were recorded.
for rounds in 10000 20000; do "$gait" record -q --exact=counts -o "$work/counts" -- "$work/habits" "$rounds" >/dev/null && "$gait" info --json "$work/counts"; done >"$work/infos"
/usr/bin/python3 -B - "$work/json" "$work/infos" <<'EOF' || bad 'savings'
import json, sys
rows, text, read = json.load(open(sys.argv[1]))['rows'], open(sys.argv[2]).read(), json.JSONDecoder().raw_decode
less, end = read(text)
more = read(text[end:].lstrip())[0]
round = (more['rows'][0]['instructions'] - less['rows'][0]['instructions']) / 10000
for (function, kind), each in {('divided', 'divisor'): 12 * 0.95, ('loaded', 'load'): 4}.items():
    row = next(r for r in rows if r['function'] == function and r['kind'] == kind)
    print(function, row['saves'], 'of', 1000 * each / round, 'cycles of 1000 instructions')
    assert 0.5 < row['saves'] / (1000 * each / round) < 2, row
EOF
"$gait" values --limit 12 "$work/data" >"$work/text" || bad "values as text: status $?"
grep -q 'divides by nearly always the same' "$work/text" || bad 'no hint at the divisor'
"$gait" values --no-values "$work/data" >"$work/text" || bad "--no-values: status $?"
grep -q ' 42$' "$work/text" && bad 'a value is shown'
# Registers that are cleared or filled, however it is written, always hold the same: no news. What is computed of two of them is.
gcc -x c -O1 -o "$work/clears" - <<'C' || bad 'clears'
int main(void)
{
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("xor %%eax, %%eax\n pxor %%xmm1, %%xmm1\n xorps %%xmm2, %%xmm2\n pcmpeqd %%xmm3, %%xmm3\n pxor %%xmm2, %%xmm3" ::: "rax", "xmm1", "xmm2", "xmm3");
    return 0;
}
C
"$gait" record -q --exact=trace --events edge,call,value -o "$work/cleared" -- "$work/clears"
"$gait" values --limit 1000 --module clears "$work/cleared" >"$work/text"
grep -q 'pxor %xmm2, %xmm3' "$work/text" || bad 'the result of two registers'
grep -E 'xor %eax, %eax|pxor %xmm1|xorps|pcmpeqd' "$work/text" && bad 'what always clears or fills is told'
# A program that is linked to one place: numbers that point into it by accident are numbers, too; where a function starts is no accident.
gcc -x c -O1 -no-pie -o "$work/fixed" - <<'C' || bad 'fixed'
static int one(int x) { return x + 1; }
int (*volatile chosen)(int) = one;
volatile unsigned long number;
int main(void)
{
    number = (unsigned long)one + 2;
    for (int i = 0; i < 1000; i++)
        chosen(i), number;
    return 0;
}
C
"$gait" record -q --exact=trace --events edge,call,value,address -o "$work/at" -- "$work/fixed"
"$gait" values --limit 1000 --module fixed "$work/at" >"$work/text"
one=$(nm "$work/fixed" | awk '$3 == "one" { print $1 }')
grep -q "100.00%.* $((16#$one + 2)), or one (fixed+0x" "$work/text" || bad 'a number that points into code'
grep -qE '  one \(fixed\+0x' "$work/text" || bad 'a pointer to a function'
# Quotes and backslashes in strings are written as in C: where one ends can be seen. Long ones are cut by letters of theirs.
gcc -x c -O1 -no-pie -o "$work/quoted" - <<'C' || bad 'quoted'
const char *volatile said = "say \"no\\yes\"", *volatile long_one = "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"+";
int main(void)
{
    for (int i = 0; i < 1000; i++)
        said, long_one;
    return 0;
}
C
"$gait" record -q --exact=trace --events edge,call,value,address -o "$work/at" -- "$work/quoted"
"$gait" values --limit 1000 --module quoted "$work/at" >"$work/text"
grep -qF '  "say \"no\\yes\"" (quoted+0x' "$work/text" || { bad 'quotes in a string'; cat "$work/text"; }
grep -qE '  "(\\"){40}"\.\.\. \(quoted\+0x' "$work/text" || { bad 'a string of quotes'; cat "$work/text"; }
# A step of 0 is no step: nothing could be fetched before.
"$gait" values --json --kind stride --module quoted "$work/at" >"$work/json" || bad "strides: status $?"
/usr/bin/python3 -B - "$work/json" <<'EOF' || bad 'a step of 0'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))['rows'] if r['values'] and r['values'][0]['value'] == '0x0' and r['total'] > 900]
print([(r['address'], r['finding'], r['saves']) for r in rows])
assert rows and all(r['finding'] == 'none' and r['saves'] == 0 for r in rows)
EOF
# A literal of the program is always the same, and no finding; a variable is. Both have their line of source.
cat >"$work/literal.c" <<'EOF'
static volatile double sink = 1, factor = 3.25;
__attribute__((noinline)) void literal(void) { sink = 1.5; }
__attribute__((noinline)) void variable(void) { sink = factor * sink; }
int main(void)
{
    for (int i = 0; i < 40000000; i++)
        literal(), variable();
}
EOF
gcc -O1 -g -o "$work/literal" "$work/literal.c" && "$gait" record -q -F 2000 --seed 1 --events edge,call,value -o "$work/data" -- "$work/literal" || bad "record literal: status $?"
"$gait" values --json --module literal "$work/data" >"$work/json" || bad "values of literal: status $?"
/usr/bin/python3 -B - "$work/json" <<'EOF' || bad 'literals'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))['rows'] if r['kind'] == 'load' and r['values']]
print([(r['function'], r['assembly'], r['values'][0]['text'], r['finding'], r['saves']) for r in rows])
row = next(r for r in rows if r['values'][0]['text'] == '3.25')
assert row['finding'] == 'one-value' and row['invariance'] > 0.99 and row['saves_lo'] <= row['saves'] <= row['saves_hi'] and row['saves'] > 0, row
assert row['source'].startswith('__attribute__((noinline)) void variable') and row['assembly'].startswith('movsd'), row
row = next(r for r in rows if r['function'] == 'literal')
assert row['values'][0]['text'] == '1.5' and row['invariance'] > 0.99 and row['finding'] == 'none' and row['saves'] == 0, row
EOF
# Through a compressor: fewer messages than values, which say the same; how many is told.
"$gait" record -q --overhead 20% --seed 1 --events edge,call,value --compress 'H[P64]256,phase' -o "$work/data" -- "$work/habits" 20000000 >/dev/null || bad "record --compress: status $?"
"$gait" info --json "$work/data" >"$work/info" && "$gait" values --json --module habits "$work/data" >"$work/json" || bad 'views of what was compressed'
/usr/bin/python3 -B - "$work/json" "$work/info" <<'EOF' || bad 'what came of the compressor'
import json, re, sys
rows, facts = json.load(open(sys.argv[1]))['rows'], json.load(open(sys.argv[2]))['facts']
values, messages = map(int, re.match(r'(\d+) tuples became (\d+) messages', facts['compressed'][0]).groups())
row = next(r for r in rows if r['function'] == 'divided' and r['kind'] == 'divisor')
print(values, messages, row['values'][0]['share'])
assert facts['compress'] == ['H[P64]256,phase'] and 50 < values / messages < 80, facts
assert abs(row['values'][0]['share'] - 0.95) < 0.05 and row['values'][0]['value'] == '0x7', row
EOF
"$gait" record -q --events value --compress 'H[Q2]3' -o "$work/none" -- true 2>"$work/stderr"
[ $? = 125 ] && grep -q 'a sampler is' "$work/stderr" || bad 'a design that is none'
"$gait" record -q --exact=counts -o "$work/none" -- true || bad "record without values: status $?"
"$gait" values "$work/none" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] && grep -q 'events edge,call,value' "$work/stderr" || bad 'a profile without values'
# Who asked for it, and ran too short, is not told to ask for it.
"$gait" record -q --events edge,call,address,value,latency -F 1 -o "$work/short" -- true && "$gait" record -q -o "$work/usual" -- true && "$gait" merge -q -o "$work/both" "$work/usual" "$work/short" || bad "short: status $?"
for view in values latencies conflicts; do
    for file in short both usual; do
        "$gait" $view "$work/$file" >"$work/stdout" 2>"$work/stderr"
        same "$view of $file: status" 2 $?
        case $file in usual) said='gait record --events' ;; *) said='though .* asked for' ;; esac
        grep -q "$said" "$work/stderr" || bad "$view of $file: $(cat "$work/stderr")"
    done
done
finish
