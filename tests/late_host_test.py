#!/usr/bin/env python3
"""A host that the machine keeps waiting still says how an execution ended: the program waits for its report to be read, and
when it has waited long enough it ends, with a status that means nothing. The report counts, not that status.
"""

import json
import os
import signal
import subprocess
import sys
import time

import expect
from expect import Problem

# Makes a file, computes for a while, and deadlocks.
PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char** argv) {
  fclose(fopen(argv[argc - 1], "w"));
  for (volatile unsigned long i = 0; i < 300000000UL; ++i) {}
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  return 0;
}
"""
WAITS = 2  # seconds that the program waits for its report to be read (target/outcome/outcome.cpp)


def check(carrier):
    with expect.scratch() as folder:
        program, mark = os.path.join(folder, "program"), os.path.join(folder, "mark")
        source = os.path.join(folder, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-pthread", source, "-o", program], check=True)
        host = subprocess.Popen([expect.RADDLE, "run", "--json", "--carrier", carrier, "--", program, mark],
                                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        while not os.path.exists(mark):
            time.sleep(0.001)
        host.send_signal(signal.SIGSTOP)
        # Until nothing of it runs any more: the program has given up waiting, and ended.
        stopped = time.monotonic()
        while alive(program) and time.monotonic() < stopped + 60:
            time.sleep(0.1)
        host.send_signal(signal.SIGCONT)
        out, _ = host.communicate(timeout=expect.PATIENCE)
        if time.monotonic() - stopped < WAITS:
            raise Problem("the host was not late: the program should compute for longer")
        result = json.loads(out)
        if result["outcome"] != "deadlock":
            raise Problem(f"expected a deadlock, got {result['outcome']}: {result.get('message')}")


def alive(program):
    """Whether an execution of the program still runs: the fork server does in any case, as the first of two processes."""
    found = subprocess.run(["pgrep", "-c", "-f", f"^{program} "], capture_output=True, text=True)
    return int(found.stdout or 0) > 1


if __name__ == "__main__":
    sys.exit(expect.run_all(check, list(expect.CARRIERS), str))
