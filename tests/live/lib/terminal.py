"""terminal.py COMMAND...: runs a command on a terminal of 24 rows and 100 columns, and types at it what stdin says,
one line each:

    wait TEXT     until the screen shows the text; fails after 20 s
    forget        what was shown so far
    keys TEXT     types it; \\e is escape, \\r enter
    size R C      another size

At the end of stdin the command must end by itself. A screen is what the command drew since it last went to its first row."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


class Terminal:
    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execvp(command[0], command)
        self.shown = ""
        self.size(24, 100)

    def size(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return
        self.shown += more.decode("utf-8", "replace")
        self.shown = self.shown[-200000:]

    def screens(self):
        """The last one that is whole, and what was drawn of the next."""
        return self.shown.split("\033[H")[-2:]

    def wait(self, text):
        until = time.monotonic() + 20
        while not any(text in screen for screen in self.screens()):
            if time.monotonic() > until:
                sys.exit(f"no '{text}' on the screen:\n{self.screens()[-1]}")
            self.read(0.1)

    def end(self):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.read(0)
                print(f"ended {os.waitstatus_to_exitcode(status)}")
                print("restored" if "\033[?1049l" in self.shown else "left as it was")
                return
            self.read(0.1)
        os.kill(self.pid, signal.SIGKILL)
        sys.exit("it does not end")


terminal = Terminal(sys.argv[1:])
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "wait":
        terminal.wait(rest)
    elif word == "forget":
        terminal.shown = ""
    elif word == "keys":
        os.write(terminal.fd, rest.replace("\\e", "\033").replace("\\r", "\r").encode())
    elif word == "size":
        terminal.size(*map(int, rest.split()))
    else:
        sys.exit(f"what is {line}")
terminal.end()
