#!/usr/bin/env python3
"""raddle suite --queue and raddle worker, end to end, on loopback and in network namespaces of their own: the same outcomes as without a
queue, one line and exit status 2 for what cannot work, and a suite during which workers, coordinator and broker are killed with -9 and links are
cut, again and again: nothing is lost, nothing counts twice, every finding replays.

usage: queue_test.py [NAME...]     only what has one of these in its name
"""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect  # noqa: E402
import nats_credentials  # noqa: E402
from expect import Problem  # noqa: E402

ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")
TESTS = ["--test", f"bank = {ACCOUNT}", "--test", f"fixed = {FIXED}"]


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def within(space, command):
    return ["ip", "netns", "exec", space, *command] if space else command


class Part:
    """A process that can be killed and started again."""

    def __init__(self, name, command, folder, space=None, again=None):
        self.name, self.command, self.folder, self.space, self.again = name, command, folder, space, again or command
        self.process, self.starts = None, 0

    def start(self):
        command = within(self.space, self.command if self.starts == 0 else self.again)
        out = open(os.path.join(self.folder, f"{self.name}.{self.starts}.out"), "wb")
        self.starts += 1
        self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=open(os.path.join(self.folder, f"{self.name}.err"), "ab"),
                                        env={**os.environ, "HOME": self.folder})
        out.close()
        return self

    def output(self):
        with open(os.path.join(self.folder, f"{self.name}.{self.starts - 1}.out"), encoding="utf-8") as file:
            return file.read()

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


@contextlib.contextmanager
def parts():
    started = []
    try:
        yield started
    finally:
        for part in started:
            part.kill()


def broker(folder, port, *options, space=None, address="127.0.0.1", configuration=""):
    path = os.path.join(folder, "broker.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(configuration)
    return Part("broker", ["nats-server", "-c", path, "-a", address, "-p", str(port), *options], folder, space).start()


def wait_for(address, port, space=None):
    script = f"import socket,sys,time\nfor _ in range(200):\n try: socket.create_connection(('{address}',{port}),1).close(); sys.exit(0)\n" \
             " except OSError: time.sleep(0.05)\nsys.exit(1)"
    if subprocess.run(within(space, [sys.executable, "-c", script]), check=False).returncode != 0:
        raise Problem("the broker does not listen")


def raddle(*arguments, statuses, cwd, timeout=None):
    done = subprocess.run([expect.RADDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=cwd,
                          timeout=timeout or expect.PATIENCE, env={**os.environ, "HOME": cwd})
    if done.returncode not in statuses:
        raise Problem(f"exit status {done.returncode}: raddle {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done


def outcomes(result):
    """What must not depend on the workers."""
    return {test["name"]: (test["outcomes"], test["executions"], test["failing"],
                           sorted((f["key"], f["level"], f["first_plan"], f["times"]) for f in test["findings"])) for test in result["tests"]}


def check_replays(folder, result):
    for test in result["tests"]:
        for finding in test["findings"]:
            raddle("replay", finding["replay"], statuses=(1,), cwd=folder)


def same(_):
    with expect.scratch() as folder, parts() as started:
        given = ["suite", "--json", *TESTS, "--executions", "1500", "--item", "200ms"]
        local = outcomes(json.loads(raddle(*given, "--out", "local", statuses=(1,), cwd=folder).stdout))
        port = free_port()
        started.append(broker(folder, port, "-js", "-sd", os.path.join(folder, "jet")))
        wait_for("127.0.0.1", port)
        url = f"nats://127.0.0.1:{port}"
        for workers in (1, 2, 8):
            worker = Part(f"worker{workers}", [expect.RADDLE, "worker", url, "-j", str(workers)], folder).start()
            started.append(worker)
            done = json.loads(raddle(*given, "--queue", url, "--out", f"out{workers}", statuses=(1,), cwd=folder).stdout)
            worker.kill()
            if outcomes(done) != local:
                raise Problem(f"{workers} workers:\n{json.dumps(outcomes(done), indent=1)}\nlocally:\n{json.dumps(local, indent=1)}")
            check_replays(folder, done)
        return f"{sum(one[1] for one in local.values())} plans, locally and with 1, 2 and 8 workers"


def put_raw(port, subject, payload):
    """What a NATS client does, as bytes."""
    with contextlib.closing(socket.create_connection(("127.0.0.1", port))) as line:
        line.recv(4096)
        line.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nPUB %s %d\r\n%s\r\nPING\r\n' % (subject.encode(), len(payload), payload))
        line.recv(4096)


def says_one_line(folder, words, *arguments):
    """Refused, with one line that has these words."""
    said = expect.own_words(raddle(*arguments, statuses=(2,), cwd=folder, timeout=60).stderr).splitlines()
    said = [line for line in said if "is ready" not in line]
    if len(said) != 1 or words not in said[0]:
        raise Problem(f"{arguments}: no line with `{words}' alone:\n" + "\n".join(said))


def works(folder, started, url, *options):
    """A suite and a worker, which say with `options' who they are."""
    worker = Part("worker", [expect.RADDLE, "worker", url, *options], folder).start()
    started.append(worker)
    done = raddle("suite", "--json", *TESTS, "--executions", "60", "--queue", url, *options, "--out", f"out{len(started)}", statuses=(0, 1), cwd=folder)
    worker.kill()
    if json.loads(done.stdout)["items"] < 4:
        raise Problem(done.stdout)


def secured(_):
    """TLS with a password, with certificates on both sides, and credentials that an operator signed."""
    with expect.scratch() as folder, parts() as started:
        for authority in ("ours", "other"):
            nats_credentials.certificate_authority(folder, authority)
        nats_credentials.certificate(folder, "ours", "here", "IP:127.0.0.1,DNS:localhost")
        nats_credentials.certificate(folder, "ours", "elsewhere", "DNS:elsewhere.example")
        nats_credentials.certificate(folder, "ours", "client", "DNS:client.example")
        nats_credentials.certificate(folder, "other", "stranger", "DNS:client.example")

        def serve(configuration, *, server="here", more=""):
            port = free_port()
            tls = f'tls {{ cert_file: "{folder}/{server}.crt", key_file: "{folder}/{server}.key" {more} }}\n' if server else ""
            one = broker(folder, port, "-js", "-sd", os.path.join(folder, f"jet{port}"), configuration=configuration + tls)
            started.append(one)
            wait_for("127.0.0.1", port)
            return one, port
        password = 'authorization { user: "raddle", password: "secret" }\n'
        one, port = serve(password)
        works(folder, started, f"tls://raddle:secret@127.0.0.1:{port}", "--ca", "ours.crt")
        works(folder, started, f"tls://raddle:secret@localhost:{port}", "--ca", "ours.crt")
        says_one_line(folder, "certificate", "worker", f"tls://raddle:secret@127.0.0.1:{port}", "--ca", "other.crt")
        says_one_line(folder, "certificate", "worker", f"tls://raddle:secret@127.0.0.1:{port}")
        says_one_line(folder, "does not accept these credentials", "worker", f"tls://raddle:wrong@127.0.0.1:{port}", "--ca", "ours.crt")
        one.kill()
        # Somebody else's certificate, though signed by the same CA.
        one, port = serve(password, server="elsewhere")
        says_one_line(folder, "certificate", "worker", f"tls://raddle:secret@127.0.0.1:{port}", "--ca", "ours.crt")
        one.kill()
        one, port = serve("", more=f', ca_file: "{folder}/ours.crt", verify: true')
        works(folder, started, f"tls://127.0.0.1:{port}", "--ca", "ours.crt", "--certificate", "client.crt", "--key", "client.key")
        says_one_line(folder, "certificate", "worker", f"tls://127.0.0.1:{port}", "--ca", "ours.crt", "--certificate", "stranger.crt", "--key", "stranger.key")
        one.kill()
        configuration, creds = nats_credentials.operator(folder)
        os.mkdir(os.path.join(folder, "other"))
        _, strange = nats_credentials.operator(os.path.join(folder, "other"))
        one, port = serve(configuration)
        works(folder, started, f"tls://127.0.0.1:{port}", "--ca", "ours.crt", "--credentials", creds)
        says_one_line(folder, "does not accept these credentials", "worker", f"tls://127.0.0.1:{port}", "--ca", "ours.crt", "--credentials", strange)
        says_one_line(folder, "not-there", "worker", f"tls://127.0.0.1:{port}", "--ca", "ours.crt", "--credentials", "not-there.creds")


def refused(_):
    with expect.scratch() as folder, parts() as started:
        def one_line(words, *arguments):
            says_one_line(folder, words, *arguments)
        port = free_port()
        url = f"nats://127.0.0.1:{port}"
        one_line("no broker at", "worker", url)
        one_line("no broker at", "suite", "--queue", url, *TESTS)
        one_line("needs credentials", "worker", "nats://192.0.2.1:4222")
        one_line("needs credentials", "suite", "--queue", "nats://192.0.2.1:4222", *TESTS)
        plain = broker(folder, port)
        started.append(plain)
        wait_for("127.0.0.1", port)
        one_line("has no JetStream", "worker", url)
        plain.kill()
        guarded = broker(folder, port, "-js", "-sd", os.path.join(folder, "jet"),
                         configuration='authorization { user: "a", password: "b" }\n')
        started.append(guarded)
        wait_for("127.0.0.1", port)
        one_line("does not accept these credentials", "worker", url)
        one_line("does not accept these credentials", "worker", f"nats://a:c@127.0.0.1:{port}")
        guarded.kill()
        started.append(broker(folder, port, "-js", "-sd", os.path.join(folder, "jet2")))
        wait_for("127.0.0.1", port)
        worker = Part("worker", [expect.RADDLE, "worker", url], folder).start()
        started.append(worker)
        raddle("suite", *TESTS, "--executions", "20", "--queue", url, statuses=(0, 1), cwd=folder)
        worker.kill()
        notice = {"version": "0.0.0-other", "token": "x", "glibc": "2.0", "cpu": [], "ended": False}
        put_raw(port, "$KV.RADDLE.campaign", json.dumps(notice).encode())
        one_line("the suite is of raddle 0.0.0-other", "worker", url)
        own = subprocess.run([expect.RADDLE, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        put_raw(port, "$KV.RADDLE.campaign", json.dumps({**notice, "version": own, "glibc": "9.99"}).encode())
        one_line("glibc", "worker", url)
        put_raw(port, "$KV.RADDLE.campaign", json.dumps({**notice, "version": own, "cpu": ["avx999"]}).encode())
        one_line("lacks avx999", "worker", url)


SPACES = ("broker", "suite", "worker1", "worker2", "worker3")


def address_of(name):
    return f"10.77.{SPACES.index(name) + 1}.1"


@contextlib.contextmanager
def network():
    """A namespace for each part, and one that routes between them; nothing of it touches the machine's own network."""
    tag = f"rd{os.getpid()}"
    hub = f"{tag}-hub"
    spaces = {name: f"{tag}-{name}" for name in SPACES}

    def ip(*words, check=True):
        done = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise Problem(f"ip {' '.join(words)}: {done.stderr}")

    def link(name, state):
        ip("-n", hub, "link", "set", f"h{SPACES.index(name) + 1}", state)
    try:
        ip("netns", "add", hub)
        subprocess.run(["ip", "netns", "exec", hub, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"], check=True)
        for number, (name, space) in enumerate(spaces.items(), 1):
            ip("netns", "add", space)
            ip("-n", hub, "link", "add", f"h{number}", "type", "veth", "peer", "name", "eth", "netns", space)
            ip("-n", hub, "addr", "add", f"10.77.{number}.254/24", "dev", f"h{number}")
            ip("-n", hub, "link", "set", f"h{number}", "up")
            ip("-n", space, "addr", "add", f"{address_of(name)}/24", "dev", "eth")
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "link", "set", "eth", "up")
            ip("-n", space, "route", "add", "default", "via", f"10.77.{number}.254")
        yield spaces, link
    finally:
        for space in (*spaces.values(), hub):
            ip("netns", "del", space, check=False)


def can_make_networks():
    name = f"rd{os.getpid()}-try"
    if shutil.which("ip") is None or subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode != 0:
        return False
    tries = (["ip", "-n", name, "link", "add", "v0", "type", "veth", "peer", "name", "v1"],
             ["ip", "netns", "exec", name, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"])
    able = all(subprocess.run(words, check=False, capture_output=True).returncode == 0 for words in tries)
    subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    return able


def faults(_):
    if not can_make_networks():
        return "network namespaces are not allowed here"
    draw = random.Random(3)
    wanted, most = (50, 3600) if expect.FULL else (5, 240)
    with expect.scratch() as folder, network() as (spaces, link), parts() as started:
        executions = 12000
        if expect.FULL:
            # So many that items of 20 ms are 20,000, and some more, on this machine as it is.
            done = json.loads(raddle("suite", "--json", *TESTS, "--executions", "8000", "--item", "20ms", "--out", "each", statuses=(1,),
                                     cwd=folder).stdout)
            executions = int(1.3 * 20000 * sum(test["executions"] for test in done["tests"]) / done["items"])
        given = ["suite", "--json", *TESTS, "--executions", str(executions), "--budget", "3h", "--item", "20ms"]
        address, port = address_of("broker"), 4222
        url = f"nats://raddle:secret@{address}:{port}"
        configuration = 'authorization { user: "raddle", password: "secret" }\n'
        server = broker(folder, port, "-js", "-sd", os.path.join(folder, "jet"), space=spaces["broker"], address=address,
                        configuration=configuration)
        started.append(server)
        wait_for(address, port, spaces["suite"])
        workers = [Part(f"worker{n}", [expect.RADDLE, "worker", url, "--cache", os.path.join(folder, f"cache{n}")], folder,
                        spaces[f"worker{n}"]).start() for n in (1, 2, 3)]
        started.extend(workers)
        queued = ["--queue", url, "--redelivery", "4s", "--out", "faulty"]
        suite = Part("suite", [expect.RADDLE, *given, *queued], folder, spaces["suite"],
                     again=[expect.RADDLE, "suite", "--json", "--resume", "--budget", "3h", *queued]).start()
        started.append(suite)
        began, done, kinds = time.monotonic(), 0, {}
        pause = 3.0 if expect.FULL else 1.5
        while suite.process.poll() is None and time.monotonic() - began < most:
            time.sleep(draw.uniform(0.5, 1.5) * pause)
            if done >= wanted or suite.process.poll() is not None:
                continue
            victim = draw.choice([*workers, *workers, suite, server])
            if draw.random() < 0.5:
                kinds["killed"] = kinds.get("killed", 0) + 1
                victim.kill()
                time.sleep(draw.uniform(0, 1))
                victim.start()
            else:
                kinds["cut"] = kinds.get("cut", 0) + 1
                link(victim.name, "down")
                time.sleep(draw.uniform(0.2, 4))
                link(victim.name, "up")
            done += 1
        if suite.process.poll() is None:
            raise Problem(f"the suite has not ended after {most} s and {done} faults")
        if suite.process.returncode != 1:
            with open(os.path.join(folder, "suite.err"), encoding="utf-8") as file:
                raise Problem(f"exit status {suite.process.returncode} after {done} faults: {file.read()[-2000:]}")
        result = json.loads(suite.output())
        if done < wanted:
            raise Problem(f"only {done} faults in {time.monotonic() - began:.0f} s: the suite is too short")
        whole = json.loads(raddle(*given, "--out", "whole", "-j", "2", statuses=(1,), cwd=folder, timeout=3600).stdout)
        if outcomes(result) != outcomes(whole):
            raise Problem(f"with faults:\n{json.dumps(outcomes(result), indent=1)}\nwithout:\n{json.dumps(outcomes(whole), indent=1)}")
        check_replays(folder, result)
        plans = sum(test["executions"] for test in result["tests"])
        if expect.FULL and result["items"] < 20000:
            raise Problem(f"only {result['items']} items")
        return f"{result['items']} items, {plans} plans, {done} faults {kinds}, {time.monotonic() - began:.0f} s"


def main():
    if shutil.which("nats-server") is None:
        print("nats-server is not installed: nothing was tested")
        return
    names = sys.argv[1:]
    checks = {"same": same, "refused": refused, "secured": secured, "faults": faults}
    chosen = [name for name in checks if not names or any(part in name for part in names)]
    expect.run_all(lambda name: checks[name](name), chosen, str)


main()
