#!/usr/bin/env python3
"""The files that findings are written to, read as other programs read them: SARIF by a schema, JUnit by a parser of XML, Perfetto's traces by
the rules of Chrome's JSON, GraphViz's language by dot (or by a parser of its own), compilers' lines by the expression that editors use. And
what bad paths get.

usage: reports_test.py [NAME...]     only what has one of these in its name
"""

import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree

import expect
from expect import Problem

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.dirname(expect.TESTS)
GOLDEN = os.path.join(ROOT, "host", "report", "testing", "golden")
ACCOUNT = os.path.join(expect.BUILD, "examples", "account")
FIXED = os.path.join(expect.BUILD, "examples", "account_fixed")
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
FORMATS = ("sarif", "junit", "markdown", "gcc", "perfetto", "dot")


def need(condition, what):
    if not condition:
        raise Problem(what)


class Schema:
    """A JSON schema as far as ours uses it: for where python3-jsonschema is not installed."""

    def __init__(self, schema):
        self.schema = schema

    def check(self, value, rule=None, path="$"):
        rule = self.schema if rule is None else rule
        if "$ref" in rule:
            rule = self.schema["definitions"][rule["$ref"].rsplit("/", 1)[1]]
        kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
        if "type" in rule:
            need(isinstance(value, kinds[rule["type"]]), f"{path} is no {rule['type']}: {value!r}")
        if "enum" in rule:
            need(value in rule["enum"], f"{path} is {value!r}, not one of {rule['enum']}")
        if isinstance(value, str):
            need(len(value) >= rule.get("minLength", 0), f"{path} is empty")
            need(re.search(rule.get("pattern", ""), value), f"{path} is {value!r}, not {rule.get('pattern')}")
        elif isinstance(value, int):
            need(value >= rule.get("minimum", value), f"{path} is {value}")
        elif isinstance(value, list):
            need(rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)), f"{path} has {len(value)} items")
            for i, item in enumerate(value):
                need(not rule.get("uniqueItems") or item not in value[:i], f"{path}[{i}] is there twice")
                self.check(item, rule.get("items", {}), f"{path}[{i}]")
        elif isinstance(value, dict):
            for name in rule.get("required", []):
                need(name in value, f"{path} has no {name}")
            need(len(value) >= rule.get("minProperties", 0), f"{path} has too few members")
            others = rule.get("additionalProperties", True)
            for name, member in value.items():
                known = rule.get("properties", {}).get(name)
                need(known is not None or others is not False, f"{path} has {name}")
                self.check(member, known if known is not None else others if isinstance(others, dict) else {}, f"{path}.{name}")


def read_sarif(path):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    with open(os.path.join(expect.TESTS, "reports", "sarif_schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Schema(schema).check(log)
    if jsonschema is not None:
        jsonschema.validate(log, schema)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    prints = []
    for result in run["results"]:
        need(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex and ruleId differ")
        prints += result["partialFingerprints"].values()
        # Code scanning refuses a file in which one of them is missing.
        steps = [l["location"] for f in result.get("codeFlows", []) for t in f["threadFlows"] for l in t["locations"]]
        for place in [*result["locations"], *steps]:
            need(place["physicalLocation"]["artifactLocation"]["uri"] and place["physicalLocation"]["region"]["startLine"] >= 1, place)
        need(len(result["locations"]) == 1, "a result without a place")
        for flow in result.get("codeFlows", []):
            orders = [l["executionOrder"] for t in flow["threadFlows"] for l in t["locations"]]
            need(len(set(orders)) == len(orders), "two steps at the same moment")
            for thread in flow["threadFlows"]:
                own = [l["executionOrder"] for l in thread["locations"]]
                need(own == sorted(own), "a thread's steps are out of order")
    need(len(set(prints)) == len(prints), f"fingerprints are not unique: {prints}")
    return run


def read_junit(path):
    suites = xml.etree.ElementTree.parse(path).getroot()
    need(suites.tag == "testsuites", suites.tag)
    for suite in suites:
        cases = suite.findall("testcase")
        need(int(suite.get("tests")) == len(cases), "tests")
        need(int(suite.get("failures")) == len(suite.findall("testcase/failure")), "failures")
        need(int(suite.get("errors")) == len(suite.findall("testcase/error")), "errors")
        float(suite.get("time"))
    return suites


def read_perfetto(path):
    """The rules of the trace event format: what each phase must have, slices of a track nest, flows bind to slices."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    need(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
    events = trace["traceEvents"]
    slices, flows, spans = {}, {}, {}
    for event in events:
        need(isinstance(event["name"], str) and isinstance(event["pid"], int) and isinstance(event["tid"], int), event)
        need(event["ph"] in ("M", "X", "s", "f", "b", "e"), event)
        if event["ph"] == "M":
            need(event["name"] in ("process_name", "thread_name", "thread_sort_index"), event)
            continue
        need(event["ts"] >= 0 and event["cat"], event)
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            slices.setdefault(track, []).append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            flows.setdefault((event["cat"], event["id"]), []).append(event)
        else:
            spans.setdefault((event["cat"], event["pid"], event["id"]), []).append(event)
    for track in slices.values():
        track.sort()
        need(all(a[1] <= b[0] for a, b in zip(track, track[1:])), "slices overlap")
    for flow in flows.values():
        need([e["ph"] for e in flow] == ["s", "f"] and flow[0]["ts"] < flow[1]["ts"] and flow[1]["bp"] == "e", flow)
        for event in flow:
            need(any(a <= event["ts"] < b for a, b in slices[event["pid"], event["tid"]]), f"no slice for {event}")
    for span in spans.values():
        need([e["ph"] for e in span] == ["b", "e"] and span[0]["ts"] <= span[1]["ts"], span)
    return events


def read_dot(path):
    """Statements of the language: nodes with attributes, and edges between nodes that are there."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    string = r'"(?:[^"\\]|\\.)*"'
    attributes = rf'\[(?:\w+=(?:{string}|\w+)(?:, )?)+\]'
    nodes, edges = set(), []
    for line in text.splitlines():
        line = line.strip()
        if edge := re.fullmatch(rf"(\w+) -> (\w+) {attributes};", line):
            edges.append(edge.groups())
        elif node := re.fullmatch(rf"(\w+) {attributes};", line):
            nodes.add(node[1])
        else:
            need(re.fullmatch(rf"digraph raddle {{|subgraph cluster_\d+ {{|\w+=(?:{string}|\w+);|}}", line), f"not a statement: {line}")
    need(all(a in nodes and b in nodes for a, b in edges), "an edge to nowhere")
    if shutil.which("dot"):
        drawn = subprocess.run(["dot", "-Tsvg", path], capture_output=True, text=True, check=False)
        need(drawn.returncode == 0 and not drawn.stderr, f"dot: {drawn.stderr}")
        xml.etree.ElementTree.fromstring(drawn.stdout)
    return nodes, edges


GCC = re.compile(r"^(.*):(\d+):(\d+): (error|warning|note): (.*)$")


def read_gcc(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    matches = [GCC.match(line) for line in lines]
    need(all(matches), f"not a line of a compiler: {lines}")
    return [m.groups() for m in matches]


def read_markdown(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    need(text.startswith("### Raddle: "), text[:80])
    need(len(text) < 60000, "too long for a comment")
    # Tables: every row has as many cells as the one before it.
    rows = [(i, len(re.findall(r"(?<!\\)\|", line))) for i, line in enumerate(text.splitlines()) if line.startswith("|")]
    for (i, a), (j, b) in zip(rows, rows[1:]):
        need(j != i + 1 or a == b, f"line {j + 1} of the table has {b} bars")
    need(text.count("<details") == text.count("</details>"), "details")
    return text


READERS = {"sarif": read_sarif, "junit": read_junit, "markdown": read_markdown, "gcc": read_gcc, "perfetto": read_perfetto,
           "dot": read_dot}


def run(*arguments, cwd=None, status=1):
    done = subprocess.run([expect.RADDLE, *arguments], cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    need(done.returncode == status, f"{arguments}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def all_reports(folder, *command, status=1):
    """Runs a command with every report; reads them all."""
    words = []
    for name in FORMATS:
        words += ["--" + name, os.path.join(folder, "report." + name)]
    at = command.index("--") if "--" in command else len(command)
    run(*command[:at], *words, "--source-root", ROOT, *command[at:], status=status)
    return {name: READERS[name](os.path.join(folder, "report." + name)) for name in FORMATS}


def golden_files():
    """What the unit test compares with is what other programs can read."""
    files = sorted(glob.glob(os.path.join(GOLDEN, "sample.*")))
    need({os.path.basename(f).split(".")[1] for f in files} >= set(FORMATS), files)
    for file in files:
        name = os.path.basename(file).split(".")[1]
        if name in READERS:
            READERS[name](file)
    junit = read_junit(os.path.join(GOLDEN, "sample.junit"))
    need(junit.find("testsuite/testcase").get("name") == './bank --name a|b <&> `c` "d"', "the program's name")


def hunt():
    with expect.scratch() as folder:
        reports = all_reports(folder, "hunt", "--budget", "5s", "--out", os.path.join(folder, "out"), "--", ACCOUNT)
    result = reports["sarif"]["results"][0]
    need(result["level"] == "error" and result["ruleId"] == "raddle/assertion", result)
    place = result["locations"][0]["physicalLocation"]
    need(place["artifactLocation"] == {"uri": "examples/account/account.cpp", "uriBaseId": "SRCROOT"}, place)
    with open(os.path.join(ROOT, "examples/account/account.cpp"), encoding="utf-8") as file:
        line = file.read().splitlines()[place["region"]["startLine"] - 1]
    need("assert(balance_ >= 0)" in line, f"not the assertion: {line}")
    base = reports["sarif"]["originalUriBaseIds"]["SRCROOT"]["uri"]
    need(urllib.parse.unquote(base) == "file://" + ROOT + "/", base)
    threads = {t["message"]["text"] for t in result["codeFlows"][0]["threadFlows"]}
    need({'T1 "spend"', 'T2 "spend"'} <= threads, threads)
    failure = reports["junit"].find("testsuite/testcase/failure")
    need("balance_ >= 0" in failure.get("message") and "function that locks account.mutex_ once" in failure.text, failure.text)
    need(reports["gcc"][0][0] == "examples/account/account.cpp" and reports["gcc"][0][3] == "error", reports["gcc"])
    need("FAILING" in reports["markdown"] and "← here" in reports["markdown"], reports["markdown"])
    phases = [e["ph"] for e in reports["perfetto"]]
    need(phases.count("s") > 2 and phases.count("b") > 2, phases)
    need(any(e.get("name") == "has account.mutex_ in main" for e in reports["perfetto"]), "no slice for the lock")
    nodes, edges = reports["dot"]
    need(len(nodes) > 10 and len(edges) > 10, reports["dot"])
    return f"{len(reports['perfetto'])} trace events"


def one_cause():
    """A lost update fails, races, and breaks units of work in either thread: one finding in every format, and in the JSON object what it is made of."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "account")
        expect.build(os.path.join(expect.TESTS, "subjects", "account.cpp"), program, "-std=c++20")
        out = os.path.join(folder, "out")
        reports = all_reports(folder, "hunt", "--budget", "5s", "--out", out, "--", program)
        _, result = expect.raddle(["hunt", "--budget", "5s", "--out", out, "--", program], statuses=(1,))
    need(len(reports["sarif"]["results"]) == 1, [r["message"] for r in reports["sarif"]["results"]])
    need("1 finding" in reports["markdown"], reports["markdown"])
    parts = [finding.get("part_of") for finding in result["findings"]]
    need(len(parts) > 1 and parts[0] is None and set(parts[1:]) == {1}, parts)
    return f"{len(parts)} entries"


def stable():
    """The same build, hunted twice: the same fingerprints."""
    prints = []
    with expect.scratch() as folder:
        for seed in ("1", "77"):
            path = os.path.join(folder, seed + ".sarif")
            run("fuzz", "-n", "300", "--seed", seed, "--out", os.path.join(folder, seed), "--sarif", path, "--", ACCOUNT)
            prints.append([r["partialFingerprints"] for r in read_sarif(path)["results"]])
    need(prints[0] == prints[1] and prints[0], prints)


def other_commands():
    """fuzz, explore, check and analyze have them, too; a deadlock's threads wait to the end."""
    locks = os.path.join(PROGRAMS, "two_locks")
    with expect.scratch() as folder:
        out = ["--out", os.path.join(folder, "out")]
        fuzz = all_reports(folder, "fuzz", *out, "--", locks)
        need(fuzz["sarif"]["results"][0]["ruleId"] == "raddle/deadlock", fuzz["sarif"]["results"])
        waits = [e for e in fuzz["perfetto"] if e["ph"] == "b" and e["cat"] == "wait"]
        need(len({e["tid"] for e in waits}) >= 2, waits)
        explore = all_reports(folder, "explore", *out, "--", ACCOUNT)
        need(explore["sarif"]["results"][0]["ruleId"] == "raddle/assertion", explore["sarif"]["results"])
        check = all_reports(folder, "check", "--seed", "2", "--", os.path.join(PROGRAMS, "two_locks"))
        kinds = {r["ruleId"]: r["level"] for r in check["sarif"]["results"]}
        need(kinds.get("raddle/lock-order") == "warning", kinds)
        trace = os.path.join(folder, "locks.trace")
        run("record", "--seed", "2", "-o", trace, "--", locks, status=0)
        analyze = all_reports(folder, "analyze", trace)
        need({r["ruleId"] for r in analyze["sarif"]["results"]} == {"raddle/lock-order"}, analyze["sarif"]["results"])


def nothing_found():
    with expect.scratch() as folder:
        out = os.path.join(folder, "out")
        reports = all_reports(folder, "fuzz", "-n", "50", "--out", out, "--", FIXED, status=0)
    need(reports["sarif"]["results"] == [] and reports["gcc"] == [], reports)
    need(reports["junit"].find("testsuite").get("failures") == "0", "a failure")
    need("nothing found" in reports["markdown"], reports["markdown"])
    need("Note: This program shows its synchronisation only; built with raddle-c++" in reports["markdown"], reports["markdown"])
    need("hardly a search" not in reports["markdown"], reports["markdown"])


def hardly_a_search():
    """A hunt that ran out of time after a few executions says that they prove little."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "slow")
        expect.build(os.path.join(expect.TESTS, "reports", "slow.cpp"), program, compiler="g++")
        # A second of this machine's CPU for each execution: at most 8 in the budget, of the 20 that would be enough; and one, unless
        # others take seven eighths of the CPU.
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, "100000000"], check=True)
        second = str(int(1e8 / (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)))
        for command in ("hunt", "fuzz"):
            path = os.path.join(folder, command + ".md")
            words = ["--budget", "8s", "--jobs", "1", "--out", os.path.join(folder, "out"), "--markdown", path, "--", program, second]
            done = run(command, *(["-n", "1000"] if command == "fuzz" else []), *words, status=0)
            for text in (" ".join(done.stdout.split()), read_markdown(path)):
                need("that is hardly a search. Give it a longer" in text, text)
            need("synchronisation only; built with raddle-c++" in read_markdown(path), command)


def no_lines():
    """Without debug information every place is still in a file: the program's."""
    with expect.scratch() as folder:
        program = os.path.join(folder, "locks")
        expect.build(os.path.join(expect.TESTS, "programs", "two_locks.cpp"), program, "-g0", compiler="g++")
        path = os.path.join(folder, "report.sarif")
        run("hunt", "--budget", "3s", "--out", os.path.join(folder, "out"), "--sarif", path, "--source-root", folder, "--", program)
        [result] = read_sarif(path)["results"]
        place = result["locations"][0]["physicalLocation"]
        need(place == {"artifactLocation": {"uri": "locks", "uriBaseId": "SRCROOT"}, "region": {"startLine": 1}}, place)


def bad_paths():
    """Said before the program runs: it would leave a file behind."""
    with expect.scratch() as folder:
        left = os.path.join(folder, "left")
        os.mkdir(os.path.join(folder, "taken"))
        for command in (["hunt"], ["fuzz"], ["explore"], ["check"]):
            for path, why in ((os.path.join(folder, "no", "where.sarif"), "No such file"), (os.path.join(folder, "taken"), "a folder")):
                done = run(*command, "--sarif", path, "--", "/usr/bin/touch", left, status=2, cwd=folder)
                need(path in done.stderr and why in done.stderr and "--sarif" in done.stderr, done.stderr)
                need(done.stderr.count("\n") == 1 and not done.stdout, done.stderr)
        need(not os.path.exists(left), "the program ran")
        need(sorted(os.listdir(folder)) == ["taken"], os.listdir(folder))
        shown = run("fuzz", "--gcc", "/dev/stdout", "--out", os.path.join(folder, "out"), "--", ACCOUNT)
        need("error: assertion" in shown.stdout, shown.stdout)


def every_format_on_stdout():
    """--format NAME prints what --NAME FILE writes."""
    with expect.scratch() as folder:
        path = os.path.join(folder, "report.gcc")
        words = ["--seed", "1", "--out", os.path.join(folder, "out"), "--", ACCOUNT]
        shown = run("fuzz", "--format", "gcc", "--gcc", path, *words, cwd=folder)
        with open(path, encoding="utf-8") as file:
            need(file.read() == shown.stdout, shown.stdout)


def read_page(path):
    """The data of a page; the page itself is tried by browser_test.py."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    need(page.count("</script>") == 2, "more than two scripts end")
    need(not re.search(r"""(src|href)=["']?(https?:)?//""", page), "the page fetches something")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def page():
    """hunt --html: the execution with its order, the source, and the nearest execution that passes."""
    with expect.scratch() as folder:
        path = os.path.join(folder, "report.html")
        words = ["hunt", "--budget", "5s", "--out", os.path.join(folder, "out"), "--html", path]
        run(*words, "--", ACCOUNT, cwd=ROOT)
        data = read_page(path)
        run(*words, "--no-source", "--", ACCOUNT, cwd=ROOT)
        need(read_page(path)["sources"] == [], "there is source")
    finding = data["findings"][0]
    execution = finding["execution"]
    need(data["verdict"] == "found" and finding["kind"] == "assertion" and finding["suggestion"], finding)
    whys = {order["why"] for order in execution["orders"]}
    need({"lock", "create"} <= whys, whys)
    for order in execution["orders"]:
        before, after = execution["steps"][order["from"]], execution["steps"][order["to"]]
        need(order["from"] < order["to"] and before["thread"] != after["thread"], order)
        if order["why"] == "lock":
            need(before["what"].startswith("unlocks") and after["what"].startswith("locks") and before["object"] == after["object"], order)
    need([s for s in execution["steps"] if s["violates"]] and [s for s in execution["steps"] if s["preempts"]], "nothing is marked")
    source = data["sources"][0]
    with open(os.path.join(ROOT, source["file"]), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for part in source["parts"]:
        need(lines[part["first"] - 1:part["first"] - 1 + len(part["lines"])] == part["lines"], "not the source")
    passing = [(s["thread"], s["what"]) for s in finding["passing"]["steps"]]
    failing = [(s["thread"], s["what"]) for s in execution["steps"]]
    need(passing != failing and passing[:3] == failing[:3], "the one that passes is not near")
    return f"{len(failing)} steps, {len(passing)} in the one that passes"


def script():
    """The page's script, by node's parser and TypeScript's checker, where they are installed."""
    path = os.path.join(ROOT, "host", "report", "html", "page", "page.js")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        need(word not in text, f"{word} makes markup of data")
    notes = []
    if shutil.which("node"):
        with expect.scratch() as folder:
            module = shutil.copy(path, os.path.join(folder, "page.mjs"))
            done = subprocess.run(["node", "--check", module], capture_output=True, text=True, check=False)
            need(done.returncode == 0, done.stderr)
        notes.append("parsed by node")
    if shutil.which("tsc"):
        done = subprocess.run(["tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", "--typeRoots", "/nonexistent", "--target", "es2022",
                               "--lib", "es2022,dom,dom.iterable", path], capture_output=True, text=True, check=False)
        need(done.returncode == 0, done.stdout)
        notes.append("checked by tsc")
    return ", ".join(notes) or "neither node nor tsc is here"


def report_command():
    """Replay files and traces of a folder become one page; what is damaged is named, the rest is shown."""
    with expect.scratch() as folder:
        out = os.path.join(folder, "out")
        run("fuzz", "--out", out, "--", ACCOUNT)
        whole = os.path.join(out, "whole.trace")
        run("record", "-o", whole, "--", FIXED, status=0)
        with open(whole, "rb") as file:
            data = file.read()
        with open(os.path.join(out, "cut.trace"), "wb") as file:
            file.write(data[:len(data) * 2 // 3])
        with open(os.path.join(out, "1.replay"), "rb") as file:
            data = file.read()
        with open(os.path.join(out, "2.replay"), "wb") as file:
            file.write(data[:len(data) // 2])
        path = os.path.join(folder, "page.html")
        shown = run("report", out, "-o", path, cwd=folder)
        need("1 finding" in shown.stdout and "2.replay" in shown.stdout, shown.stdout)
        data = read_page(path)
        need([f["kind"] for f in data["findings"]] == ["assertion"] and data["findings"][0]["execution"]["orders"], data["findings"])
        need(any("2.replay" in p for p in data["problems"]), data["problems"])
        finding = data["findings"][0]
        passing, failing = ([(s["thread"], s["what"]) for s in finding[of]["steps"]] if finding[of] else []
                            for of in ("passing", "execution"))
        need(passing and passing != failing and passing[:3] == failing[:3], "the one that passes is not there, or not near")
        traces = {os.path.basename(t["file"]): t for t in data["traces"]}
        need(set(traces) == {"whole.trace", "cut.trace"} and traces["whole.trace"]["count"] > 10, data["traces"])
        need(not traces["whole.trace"]["problem"], traces["whole.trace"]["problem"])
        os.mkdir(os.path.join(folder, "empty"))
        run("report", os.path.join(folder, "empty"), "-o", path, status=0)
        need(read_page(path)["verdict"] == "nothing", "an empty folder")
        broken = run("report", os.path.join(out, "2.replay"), "-o", path, status=2)
        need(read_page(path)["problems"], broken.stdout)
        for words in (["no such folder"], [out, "-o", os.path.join(folder, "no", "page.html")]):
            need(run("report", *words, status=2, cwd=folder).stderr.count("\n") == 1, "one line")
        return f"{len(data['problems'])} problems"


SCENARIOS = {f.__name__: f for f in (golden_files, hunt, one_cause, stable, other_commands, nothing_found, hardly_a_search, no_lines, bad_paths,
                                   every_format_on_stdout, page, script, report_command)}


def main():
    chosen = [name for name in SCENARIOS if len(sys.argv) == 1 or any(word in name for word in sys.argv[1:])]
    expect.run_all(lambda name: SCENARIOS[name](), chosen, str)


main()
