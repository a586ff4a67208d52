# Programs of tests/programs that are known to differ when recorded, with what differs and why.
# The list must become empty.
#   PROGRAM MODE PART REASON
# MODE: perf, cputime, exact or any.
# PART: `output` if the program is disturbed, `profile` if only the recording does not verify.
known_list() {
    cat <<'LIST'
code_written any output text changed through /proc/self/mem, raw mprotect or a process that borrows memory keeps its copies
memory_locked perf output the agent's sparse mappings are paged in by mlockall
memory_locked cputime output the agent's sparse mappings are paged in by mlockall
LIST
}

# known_as MODE: the word that the list has for a mode of tests/truth/lib/modes.sh.
known_as() { case $1 in perf | cputime) echo "$1" ;; fast) echo perf ;; *) echo exact ;; esac; }

# known PROGRAM MODE PART...: one of these parts is known to differ.
known() {
    local name=$1 mode
    mode=$(known_as "$2")
    shift 2
    known_list | grep -Eq "^$name (any|$mode) ($(IFS='|'; echo "$*")) "
}
