# What is typed is echoed whenever it comes: nobody types.
slow script-tty sh -c 'script -qec "tty >/dev/null && echo is a tty; stty size; echo done; exit 6" /dev/null </dev/null'
slow script-bash sh -c 'script -qec "bash --norc -c \"echo \\\$-; exit 3\"" /dev/null </dev/null'
slow script-python sh -c "script -qec \"$python -q -c 'import os; print(os.isatty(1))'\" /dev/null </dev/null"
slow less-pipe sh -c 'less text | head -n 3'
slow tput env TERM=xterm tput cols
