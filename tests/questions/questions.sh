#!/bin/bash
# Twenty questions of somebody who has just installed gait, on six programs. Each is answered by a command that the README, a
# --help, or an output before it names; an answer is a line that the pattern finds. Tried by hand, not by make check:
#   GAIT_OUT=o/rel tests/questions/questions.sh
cd "$(dirname "$0")/../.." || exit 1
here=$PWD/tests/questions
gait=$(cd "${GAIT_OUT:-o/rel}" && pwd)/gait
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PATH=$PATH:$HOME/.cargo/bin
asked=0 answered=0 absent=0

# ask QUESTION PATTERN COMMAND...
ask() {
    local question=$1 pattern=$2 start=$SECONDS
    shift 2
    asked=$((asked + 1))
    if eval "$*" >out 2>&1; grep -qE -- "$pattern" out; then
        answered=$((answered + 1))
        printf '%2d yes %3d s  %s\n              %s\n              %s\n' $asked $((SECONDS - start)) "$question" "$*" "$(grep -E -m 1 -- "$pattern" out | cut -c 1-110)"
    else
        printf '%2d NO  %3d s  %s\n              %s\n' $asked $((SECONDS - start)) "$question" "$*"
        head -5 out | cut -c 1-140 | sed 's/^/              | /'
    fi
}
need() { command -v "$1" >/dev/null || { echo "no $1: its questions are not asked"; absent=$((absent + 1)); return 1; }; }
gait() { "$gait" "$@"; }

if need cppcheck; then
    mkdir c && cp "$here"/../../src/walk/*/*.c "$here"/../../src/program/cfg/*.c c # a second or two, also on a fast machine
    gait record -q -o cpp.data cppcheck -q c
    ask 'C++ (cppcheck): where does the time go?' 'hottest function' gait report cpp.data
    hot=$(gait report --json --limit 1 cpp.data | grep -o '"linkage": "[^"]*"' | head -1 | cut -d '"' -f 4)
    ask 'C++: who calls that function?' '[0-9]%.* (caller|[A-Za-z_])' gait report --callers-of "'$hot'" cpp.data
    ask 'C++: how much of it is in libraries?' 'libc' gait report --by module cpp.data
fi
if need jq; then
    python3 -c 'import json, random; json.dump([{"id": i, "tags": [random.choice("abcdef") for _ in range(5)], "v": random.random()} for i in range(30000)], open("big.json", "w"))'
    printf 'group_by(.tags[0]) | map({k: .[0].tags[0], n: length, s: (map(.v) | add)})' >filter
    ask 'C (jq): what does a run take: time, instructions, cache misses?' 'instructions' gait stat jq -f filter big.json
    gait record -q --exact=counts -o exact.data jq -f filter big.json >/dev/null
    ask 'C: how often is jv_copy called, exactly?' '^ *[0-9.]+% +[0-9.]+[kMG]? +[0-9].* jv_copy' gait report --function jv_copy exact.data
    ask 'C: which branch is taken most?' ' (jump|taken) ' gait report --by edge --limit 20 exact.data
    ask 'C: how long are its loops?' 'iterations|mean' gait report --by loop exact.data
fi
if need rustc && rustc -O -g -o shapes "$here/shapes.rs" 2>/dev/null; then
    gait record -q -o rust.data ./shapes 8000 >/dev/null
    ask 'Rust: which function is hot, under a name that can be read?' 'shapes::Disc.*area' gait report rust.data
    ask 'Rust: which line of it?' '[0-9]%.*(fold|sqrt|area)' gait annotate shapes::Disc::area rust.data
    ask 'Rust: what does main cost with all that it calls?' 'shapes::main' gait report --function shapes::main rust.data
    gait record -q -o rust2.data ./shapes 8000 >/dev/null
    ask 'Rust: did a second run differ?' 'Nothing changed beyond noise|change' gait diff rust.data rust2.data
fi
if need go && GOCACHE=$work/cache go build -o words "$here/words.go" 2>/dev/null; then
    gait record -q -o go.data ./words
    ask 'Go: which function is hot?' 'main\.fib' gait report go.data
    ask 'Go: what does each thread do?' 'words [0-9]+' gait report --by thread go.data
fi
if need python3; then
    gait record -q -o py.data python3 "$here/work.py" 60
    ask 'Python: which function takes the time?' 'fib \(' gait report --by python py.data
    ask 'Python: which lines?' 'work.py:[5-7]' gait report --by python,line py.data
    ask 'Python: a flame graph of it' '<module>;main;fib' gait export collapsed py.data
    ask 'Python: where does it wait, and for what?' 'sleep|futex|lock' gait waits py.data
    python3 "$here/work.py" 100000 & pid=$!
    sleep 1 # a launcher of a version manager becomes Python only then
    ask 'Python: where does a running process spend its time?' 'fib \(' "gait record -q -p $pid --duration 2 -o run.data && gait report --by python run.data"
    kill $pid
fi
if need node; then
    gait record -q -o js.data node --perf-basic-prof --interpreted-frames-native-stack "$here/words.js" 40 >/dev/null
    ask 'JavaScript (node): which function is hot?' 'JS:.*(fib|words)' gait report js.data
    ask 'JavaScript: how much is in the kernel, and who asks for it?' 'kernel' gait contexts --kernel js.data
fi
if need java && need javac; then
    cat >T.java <<'J'
public class T { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] a) { long s = 0; for (int i = 0; i < 30; i++) s += fib(32); System.out.println(s); } }
J
    javac T.java && gait record -q -o bare.data java -cp . T >/dev/null
    ask 'Java: what does it take to see names of its methods?' 'java -XX:.UnlockDiagnosticVMOptions|PreserveFramePointer' gait report bare.data
    gait record -q -o java.data java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer -cp . T >/dev/null
    ask 'Java: which method is hot?' 'T\.fib' gait report java.data
fi
if need sqlite3; then
    printf 'create table t(a, b); with recursive r(i) as (select 1 union all select i+1 from r where i<900000) insert into t select i, i*7919%%50000 from r;\nselect count(*), sum(n) from (select b, count(*) n from t group by b);\n' >s.sql
    gait record -q -o sql.data sqlite3 :memory: <s.sql >/dev/null
    ask 'SQL: who calls the hot function, from main on?' '(> |%.*)sqlite3VdbeExec' gait contexts sql.data
    ask 'SQL: why are functions without names?' 'install libsqlite3' gait report sql.data
fi
echo "$answered of $asked questions answered$([ $absent = 0 ] || echo "; $absent programs are not there")"
[ "$answered" -ge $((asked * 9 / 10)) ]
