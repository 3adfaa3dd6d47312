#!/usr/bin/env python3
"""Debian's own programs, unmodified, with four threads, under control: pbzip2, pigz, xz and zstd compress correctly
with 50 seeds each, and the same seed gives the same choice log; memcached serves a real client.

usage: debian_programs_test.py [NAME...]   only those whose name contains one of these
"""

import hashlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import expect
from expect import Problem

SEEDS = 50
KERNEL = 5  # so many of the seeds run with kernel threads, too


def pseudo_text(size, seed):
    """Words, so that it compresses like text; drawn, so that no two blocks are alike."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("etaoinshrdlucmfw", k=rng.randint(2, 9))) for _ in range(2000)]
    text = []
    length = 0
    while length < size:
        word = rng.choice(words)
        text.append(word)
        length += len(word) + 1
    return " ".join(text)[:size].encode()


# Name, compression command (reads the file named INPUT, writes OUTPUT where the program can), decompression, and the
# input's size: several blocks for each of four threads.
COMPRESSORS = [
    ("pbzip2", ["pbzip2", "-p4", "-1", "-b1", "-k", "-f", "INPUT"], "INPUT.bz2", ["bzip2", "-dc"], 500_000),
    ("pigz", ["pigz", "-p4", "-1", "-b", "32", "-k", "-f", "INPUT"], "INPUT.gz", ["gzip", "-dc"], 500_000),
    ("xz", ["xz", "-T4", "-0", "--block-size=8192", "-k", "-f", "INPUT"], "INPUT.xz", ["xz", "-dc"], 200_000),
    ("zstd", ["zstd", "-T4", "-1", "-B524288", "-q", "-k", "-f", "INPUT"], "INPUT.zst", ["zstd", "-dcq"], 2_500_000),
]


def check_compressor(entry):
    name, command, output, decompress, size = entry
    if shutil.which(name) is None:
        raise Problem(f"{name} is not installed (scripts/setup tests)")
    data = pseudo_text(size, 1)
    with expect.scratch() as folder:
        source = os.path.join(folder, "input")
        with open(source, "wb") as file:
            file.write(data)
        command = [shutil.which(name)] + [part.replace("INPUT", source) for part in command[1:]]
        output = output.replace("INPUT", source)

        def run(seed, carrier):
            if os.path.exists(output):
                os.remove(output)
            # By turns: a worker that is fast in steps is all that xz asks for, unless a strategy is unfair to it.
            strategy = "random" if seed % 2 else "pct"
            status, result = expect.raddle(["run", "--strategy", strategy, "--seed", str(seed), "--carrier", carrier,
                                            "--", *command])
            if status != 0:
                raise Problem(f"seed {seed}, {carrier}: {result['outcome']}, "
                              f"{result['finding'] and result['finding']['message']} {result['stderr'][-500:]}")
            done = subprocess.run([*decompress, output], capture_output=True, check=False)
            if done.returncode != 0 or done.stdout != data:
                raise Problem(f"seed {seed}, {carrier}: the output does not decompress to the input; "
                              f"{done.stderr[-300:]!r}")
            return result

        logs = set()
        threads = 0
        for seed in range(1, SEEDS + 1):
            first = run(seed, "fiber")
            logs.add(first["choice_log"])
            threads = max(threads, first["threads"])
            again = ["fiber"] + ["kernel"] * (seed <= KERNEL)
            for carrier in again:
                repeated = run(seed, carrier)
                if repeated["choice_log"] != first["choice_log"]:
                    raise Problem(f"seed {seed}, again with {carrier}: {repeated['steps']} steps and another choice "
                                  f"log; the first had {first['steps']}")
    if threads < 5:
        raise Problem(f"only {threads} threads: the input is too small for four workers")
    return f"{threads} threads, {first['steps']} steps, {len(logs)} different executions of {SEEDS} seeds"


class Client:
    """Speaks memcached's text protocol, and knows what the answers must be."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, request, answer):
        self.socket.sendall(request)
        got = self.file.read(len(answer))
        if got != answer:
            raise Problem(f"memcached: {request[:60]!r} was answered {got[:200]!r}, not {answer[:200]!r}")

    def close(self):
        self.file.close()
        self.socket.close()


def converse(port, number, operations):
    client = Client(port)
    rng = random.Random(number)
    known = {}
    for turn in range(operations):
        key = f"key-{number}-{rng.randrange(200)}".encode()
        what = rng.random()
        if what < 0.4 or key not in known:
            digest = hashlib.sha256(f"{number} {turn}".encode()).hexdigest().encode()
            value = digest * rng.choice([1, 1, 1, 2, 50])
            client.ask(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), b"STORED\r\n")
            known[key] = value
        elif what < 0.9:
            value = known[key]
            client.ask(b"get %s\r\n" % key, b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (key, len(value), value))
        else:
            client.ask(b"delete %s\r\n" % key, b"DELETED\r\n")
            del known[key]
            client.ask(b"get %s\r\n" % key, b"END\r\n")
    client.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(300):
        if process.poll() is not None:
            raise Problem(f"memcached ended with {process.returncode} before it listened")
        try:
            Client(port).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Problem("memcached does not listen after 30 s")


def check_memcached(entry):
    _, carrier, end = entry
    if shutil.which("memcached") is None:
        raise Problem("memcached is not installed (scripts/setup tests)")
    port = free_port()
    options = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen([expect.RADDLE, "run", "--timeout", "5m", "--carrier", carrier, "--",
                                shutil.which("memcached"), "-t", "4", "-l", "127.0.0.1", "-p", str(port), "-U", "0",
                                *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for_port(port, process)
        problems = []

        def body(number):
            try:
                converse(port, number, 2000)
            except (Problem, OSError) as problem:
                problems.append(f"connection {number}: {problem}")

        began = time.monotonic()
        threads = [threading.Thread(target=body, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - began
        if problems:
            raise Problem("\n".join(problems))
        process.send_signal(end)
        try:
            output, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired as late:
            raise Problem(f"memcached did not end within 30 s of {end.name}") from late
        if process.returncode != 0:
            raise Problem(f"raddle ended with {process.returncode} after {end.name}: {output[-1000:]!r}")
        return f"10,000 operations in {seconds:.1f} s, ended by {end.name}"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def check(entry):
    return check_memcached(entry) if entry[0].startswith("memcached") else check_compressor(entry)


if __name__ == "__main__":
    entries = COMPRESSORS + [("memcached, fibers", "fiber", signal.SIGINT),
                             ("memcached, kernel threads", "kernel", signal.SIGTERM)]
    chosen = [e for e in entries if len(sys.argv) == 1 or any(name in e[0] for name in sys.argv[1:])]
    expect.run_all(check, chosen, lambda entry: entry[0])
