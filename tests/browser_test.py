#!/usr/bin/env python3
"""The page of --html in a real browser, headless: findings of ten kinds are opened and stepped through by keyboard; what the page shows at each
step is compared with its data; no script complains; names that are markup in other languages stay text. Skipped, with a message,
where there is no Chromium.

usage: browser_test.py [--pictures DIR] [NAME...]
  --pictures DIR   also take pictures of each view there, light and dark
  NAME             only what has one of these in its name
"""

import json
import os
import re
import shutil
import subprocess
import sys

import expect
from expect import Problem
from reports import browser

ROOT = os.path.dirname(expect.TESTS)
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
EXAMPLES = os.path.join(expect.BUILD, "examples")


HEAD, ROW = 26, 22  # pixels of the timeline's first line, and of a row


def need(condition, what):
    if not condition:
        raise Problem(what)


def instrumented(name, folder):
    source = os.path.join(expect.TESTS, name)
    program = os.path.join(folder, os.path.basename(name)[:-len(".cpp")])
    expect.build(source, program)
    return program


# What is opened: the command, and whether it finds something.
FINDINGS = {
    "assertion": lambda folder: (["hunt", "--budget", "2s"], os.path.join(EXAMPLES, "account"), 1),
    "deadlock": lambda folder: (["fuzz"], os.path.join(PROGRAMS, "two_locks"), 1),
    "race": lambda folder: (["hunt", "--budget", "1s"], instrumented("unlocked/lost_update.cpp", folder), 1),
    "atomicity": lambda folder: (["check", "--atomic", "functions"], instrumented("subjects/string_buffer.cpp", folder), None),
    "atomic set": lambda folder: (["hunt", "--budget", "1s"], instrumented("subjects/vector.cpp", folder), 1),
    "use after free": lambda folder: (["fuzz"], instrumented("programs/causes/lifetime/use_after_free.cpp", folder), 1),
    "livelock": lambda folder: (["fuzz", "-n", "1"], os.path.join(PROGRAMS, "spin_for_ever"), 1),
    "lost wake-up": lambda folder: (["fuzz"], os.path.join(PROGRAMS, "lost_wakeup"), 1),
    "exception": lambda folder: (["fuzz"], os.path.join(PROGRAMS, "exception_sometimes"), 1),
    "nothing found": lambda folder: (["fuzz", "-n", "50"], os.path.join(EXAMPLES, "account_fixed"), 0),
}


def write_page(folder, command, program, status):
    page = os.path.join(folder, "report.html")
    words = [expect.RADDLE, *command, "--html", page]
    if command[0] != "check":
        words += ["--out", os.path.join(folder, "out")]
    done = subprocess.run([*words, "--", program], cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    need(done.returncode in ((0, 1, 3) if status is None else (status,)), f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return page


def data_of(view):
    return json.loads(view.evaluate("document.getElementById('data').textContent"))


def check_step(view, execution, row):
    """What the page says at a step is what its data says."""
    step = execution["steps"][row]
    words = view.evaluate("document.getElementById('step').textContent")
    title = next(t["title"] for t in execution["threads"] if t["id"] == step["thread"])
    need(words.startswith(f"{row + 1}. {title}: {step['what']}"), f"step {row + 1}: {words}")
    for order in execution["orders"]:
        if order["to"] == row:
            need(f"after {order['from'] + 1} ({order['why']})" in words, f"no arrow from {order['from'] + 1}: {words}")
        if order["from"] == row:
            need(f"before {order['to'] + 1} ({order['why']})" in words, f"no arrow to {order['to'] + 1}: {words}")
    check_arrows(view, execution, row)
    return check_source(view, execution, row)


def check_arrows(view, execution, row):
    """What orders this step is drawn thick, the rest thin: as many curves as the data has orders, each from its step to its step."""
    curves = view.curves()[0]
    near = [o for o in execution["orders"] if row in (o["from"], o["to"])]
    thick = [c for c in curves if c[4] == 2]
    need(len(thick) == len(near), f"step {row + 1}: {len(thick)} arrows, not {len(near)}")
    if len(execution["steps"]) <= 20:  # all of it is in the window
        need(len(curves) == len(execution["orders"]), f"step {row + 1}: {len(curves)} arrows, not {len(execution['orders'])}")
    heights = sorted(round((c[3] - c[1]) / ROW) for c in thick)
    need(heights == sorted(o["to"] - o["from"] for o in near), f"step {row + 1}: arrows over {heights} rows, not {near}")
    for curve in thick:
        begins = (curve[1] - HEAD) / ROW - 0.5
        need(abs(begins - round(begins)) < 0.02 or len(execution["steps"]) > 20, f"an arrow begins between two rows: {curve}")


def check_source(view, execution, row):
    """The line of the step is highlighted, and each thread's name stands at the line that it is at."""
    step = execution["steps"][row]
    shown = view.evaluate("[...document.querySelectorAll('.source .row.at')].map((r) => [...r.children].slice(0, 2).map((c) => c.textContent))")
    line = view.evaluate("document.querySelector('.source .row.now span:nth-child(2)')?.textContent ?? ''")
    if step["where"]["file"] and shown:
        need(line == str(step["where"]["line"]), f"line {line} is highlighted, not {step['where']['line']}")
    at = {}
    for one in execution["steps"][:row + 1]:
        if one["where"]["file"]:
            at[one["thread"]] = one["where"]
    here = at.get(step["thread"])
    if here and shown:
        wanted = sorted((where["line"], f"T{thread}") for thread, where in at.items() if where["file"] == here["file"])
        got = sorted((int(number), name) for names, number in shown for name in names.split())
        need(got == wanted, f"step {row + 1}: threads at {got}, not {wanted}")
    return line != ""


def step_through(view, page, number, finding):
    view.open(page, f"#{number}")
    execution = finding["execution"]
    steps = len(execution["steps"])
    if steps == 0:
        return 0
    view.press("Home")
    lines = 0
    for row in range(min(steps, 25)):
        lines += check_step(view, execution, row)
        need(view.evaluate("location.hash") == f"#{number}/step={row + 1}", view.evaluate("location.hash"))
        view.press("ArrowDown")
    # What is no place is the nearest one.
    for wrong, row in (("0", 0), ("-3", 0), ("none", 0), ("999999", steps - 1), ("%", 0), (str(steps), steps - 1)):
        view.open(page, f"#{number}/step={wrong}")
        check_step(view, execution, row)
        need(not view.errors, view.errors)
    view.press("End")
    check_step(view, execution, steps - 1)
    view.press("ArrowUp")
    need(view.evaluate("location.hash") == f"#{number}/step={max(steps - 1, 1)}", "arrow up")
    view.press("Home")
    switches = [i for i in range(1, steps) if execution["steps"][i]["thread"] != execution["steps"][i - 1]["thread"]]
    if switches:
        view.press("n")
        check_step(view, execution, switches[0])
    # The address alone leads there.
    view.open(page, f"#{number}/step={steps}")
    check_step(view, execution, steps - 1)
    # The same content as a table.
    view.evaluate("document.querySelector('main details').open = true")
    view.until("document.querySelectorAll('table.steps tbody tr').length > 0")
    need(view.evaluate("document.querySelectorAll('table.steps tbody tr').length") == min(steps, 500), "rows of the table")
    spoken = [name for role, name in view.spoken() if role in ("cell", "gridcell")]
    for row in range(min(steps, 25)):
        need(execution["steps"][row]["what"] in spoken, f"nobody says {execution['steps'][row]['what']!r}: {spoken}")
    return lines


def check_page(view, name):
    with expect.scratch() as folder:
        command, program, status = FINDINGS[name](folder)
        page = write_page(folder, command, program, status)
        view.open(page)
        data = data_of(view)
        need(view.evaluate("document.querySelectorAll('main tbody tr').length") == len(data["findings"]), "findings in the overview")
        words = view.evaluate("document.querySelector('.verdict').textContent")
        counting = [finding for finding in data["findings"] if finding["counts"]]
        facts = dict(view.evaluate("[...document.querySelectorAll('dl.facts dt')].map((dt) => [dt.textContent, dt.nextSibling.textContent])"))
        for name_of_fact, number in (("by level", len(counting)), ("not counted", len(data["findings"]) - len(counting))):
            numbers = [int(part.split()[0]) for part in facts.get(name_of_fact, "").split(", ") if part]
            need(sum(numbers) == number, f"{name_of_fact}: {facts}")
        if status == 0:
            need(words == "Nothing found" and not data["findings"], words)
        if status == 1:
            need(data["findings"], "no findings")
        lines = 0
        for number, finding in list(enumerate(data["findings"], 1))[:2]:
            lines += step_through(view, page, number, finding)
        need(status != 1 or lines > 0, "no line of source was ever highlighted")
        need(not view.errors, view.errors)
        if PICTURES:
            take_pictures(view, page, name.replace(" ", "-"))
        return f"{len(data['findings'])} findings"


def take_pictures(view, page, name):
    for scheme in ("light", "dark"):
        view.scheme(scheme)
        for width, height in ((1280, 900), (3840, 2000)):
            view.size(width, height)
            for place in ("", "#1"):
                view.open(page, place)
                view.picture(os.path.join(PICTURES, f"{name}{'-finding' if place else ''}-{width}-{scheme}.png"))
    view.size(1280, 900)
    view.scheme("light")


def hostile(view, _):
    """Names, conditions and output made of markup, quotes, escapes and marks of direction stay text."""
    with expect.scratch() as folder:
        page = write_page(folder, ["fuzz"], os.path.join(PROGRAMS, "hostile_names"), 1)
        title = None
        for place in ("", "#1"):
            view.open(page, place)
            title = title or view.evaluate("document.title")
            need(view.evaluate("document.title") == title and "taken over" not in title, "the program's script ran")
            need(view.evaluate("document.querySelectorAll('script').length") == 2, "a script came in")
            need(view.evaluate("document.querySelectorAll('b').length") == 0, "markup came in")
            need(not view.errors, view.errors)
        words = view.evaluate("document.querySelector('main').textContent")
        need("</script><b>" in words, "the thread's name is not there")
        need("\u202e" not in words and "\\u202e" in words, "a mark of direction is at work")
        printed = view.evaluate("document.querySelector('pre.printed').textContent")
        need("\\u001b[31m" in printed and "<script>document.title" in printed, printed)


def bad_input(view, _):
    """A damaged replay file among good ones, one whose program is gone, a trace that is cut off, a folder without findings: the page
    says so, and shows the rest."""
    with expect.scratch() as folder:
        out, page = os.path.join(folder, "out"), os.path.join(folder, "page.html")

        def raddle(*words, status):
            done = subprocess.run([expect.RADDLE, *words], cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            need(done.returncode == status, f"{words}: {done.returncode} {done.stdout}{done.stderr}")

        gone = shutil.copy(os.path.join(EXAMPLES, "account"), os.path.join(folder, "gone"))
        raddle("fuzz", "--out", out, "--", os.path.join(EXAMPLES, "account"), status=1)
        raddle("fuzz", "--out", out, "--", gone, status=1)
        os.remove(gone)
        shutil.copy(os.path.join(out, "1.replay"), os.path.join(out, "3.replay"))
        os.truncate(os.path.join(out, "3.replay"), 100)
        trace = os.path.join(out, "cut.trace")
        raddle("record", "-o", trace, "--", instrumented("reports/million.cpp", folder), "20000", status=0)
        os.truncate(trace, os.path.getsize(trace) * 2 // 3)
        raddle("report", out, "-o", page, status=1)
        view.open(page)
        words = view.evaluate("document.querySelector('main').innerText")
        for part in ("2 findings", "3.replay is truncated", "gone does not exist", "cut.trace", "what came before it is shown",
                     f"raddle report {out} -o {page}"):
            need(part in words, f"no {part!r} in {words}")
        step_through(view, page, 1, data_of(view)["findings"][0])
        view.open(page, "#2")
        told = view.evaluate("document.querySelector('pre.told').textContent")
        need("balance_ >= 0" in told and "account.cpp:17" in told, told)
        view.open(page, "#trace1")
        need("what came before it is shown" in view.evaluate("document.querySelector('main').textContent"), "not said of the trace")
        need(not view.errors, view.errors)
        os.mkdir(os.path.join(folder, "empty"))
        raddle("report", os.path.join(folder, "empty"), "-o", page, status=0)
        view.open(page)
        words = view.evaluate("document.querySelector('main').innerText")
        need("Nothing found" in words and "empty" in words, words)
        for place in ("#1", "#%", "#trace1", "#constructor", "#1/step=2"):
            view.open(page, place)
            need("Nothing found" in view.evaluate("document.querySelector('main').innerText") and not view.errors, f"{place}: {view.errors}")


def overview(view, _):
    """The program, its build and the command; filters; the keys of a finding's view; paper."""
    with expect.scratch() as folder:
        program = instrumented("subjects/vector.cpp", folder)
        page = write_page(folder, ["hunt", "--budget", "2s"], program, 1)
        view.open(page)
        data = data_of(view)
        words = view.evaluate("document.querySelector('main').innerText")
        for part in (program, "build id ", "with debug information", "raddle hunt --budget 2s", data["covered"]):
            need(part in words, f"no {part!r} in {words}")
        need(view.evaluate("getComputedStyle(document.querySelector('.verdict')).fontSize") > "20", "the verdict is small")
        for name in ("level", "kind"):
            for value in {finding[name] for finding in data["findings"]}:
                view.open(page)
                if not view.evaluate(f"document.querySelector('[aria-label=\"Filter by {name}\"]') !== null"):
                    continue
                view.evaluate(f"""{{const s = document.querySelector('[aria-label="Filter by {name}"]');
                  s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change'));}}""")
                rows = view.evaluate("document.querySelectorAll('main tbody tr').length")
                need(rows == sum(f[name] == value for f in data["findings"]), f"{name} {value}: {rows}")
        number, finding = next((i, f) for i, f in enumerate(data["findings"], 1) if f["passing"])
        steps = finding["execution"]["steps"]
        view.size(2000, 900)
        view.open(page, f"#{number}")
        # Where the schedules part; not where one shows an access to what, in the other, only one thread used.
        threads = [{s["step"]: s["thread"] for s in execution["steps"]} for execution in (finding["execution"], finding["passing"])]
        parting = min(step for step, thread in threads[0].items() if threads[1].get(step, thread) != thread)
        first = next(i for i, s in enumerate(steps) if s["step"] >= parting)
        there = next(s for s in finding["passing"]["steps"] if s["step"] >= parting)
        said = view.evaluate("document.getElementById('difference').textContent")
        need(f"First difference, row {first + 1}: here T{steps[first]['thread']} " in said, said)
        need(f"in the one that passes T{there['thread']} " in said and said.endswith(f"{there['what']}."), said)
        need(len(view.curves()) == 2, "the passing execution is not beside it")
        # Follow a thread: the arrow keys go along it alone, and the address says so.
        thread = steps[-1]["thread"]
        view.evaluate(f"""{{const s = document.querySelector('[aria-label="Follow a thread"]');
          s.value = "{thread}"; s.dispatchEvent(new Event('change')); document.querySelector('.scroller').focus();}}""")
        view.press("Home")
        own = [i for i, step in enumerate(steps) if step["thread"] == thread]
        if own[0] == 0:
            own = own[1:]
        for row in own[:10]:
            view.press("ArrowDown")
            need(view.evaluate("location.hash") == f"#{number}/step={row + 1}&thread={thread}", view.evaluate("location.hash"))
        # Search, and go from hit to hit.
        view.open(page, f"#{number}/step=1")
        view.press("/")
        word = steps[-1]["what"].split()[0]
        view.evaluate(f"""{{const s = document.querySelector('input[type=search]');
          s.value = {json.dumps(word)}; s.dispatchEvent(new Event('input'));}}""")
        view.press("Enter")
        hits = [i for i, step in enumerate(steps) if word in step["what"] and i > 0]
        need(view.evaluate("location.hash") == f"#{number}/step={hits[0] + 1}", f"{view.evaluate('location.hash')}, not {hits[0] + 1}")
        # On paper: the table, with all steps.
        paper = view.print()
        need(paper.startswith(b"%PDF") and len(paper) > 10000, "nothing is printed")
        if shutil.which("pdftotext"):
            text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=paper, capture_output=True, check=True).stdout.decode()
            for row, step in enumerate(steps):
                need(re.search(rf"(?m)^\s*{row + 1}\s+T{step['thread']}\b", text), f"step {row + 1} is not printed:\n{text}")
        view.size(1280, 900)
        need(not view.errors, view.errors)


def million(view, _):
    """A trace of a million events opens in less than three seconds, in a page of at most 20 MB, and moves without a pause."""
    with expect.scratch() as folder:
        program = instrumented("reports/million.cpp", folder)
        trace, page = os.path.join(folder, "million.trace"), os.path.join(folder, "page.html")
        for words in (["record", "-o", trace, "--", program], ["report", trace, "-o", page]):
            done = subprocess.run([expect.RADDLE, *words], cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            need(done.returncode == 0, done.stderr)
        need(os.path.getsize(page) <= 20e6, f"{os.path.getsize(page)} bytes")
        # The best of three: the machine may have other work.
        seconds = []
        for _ in range(3):
            view.open(page, "#trace1")
            seconds.append(view.evaluate("performance.now()") / 1000)
        need(view.evaluate("document.getElementById('where').textContent") == "1000000 of 1000000", "not all of it is there")
        need(min(seconds) < expect.allowed(3), f"opened after {seconds} s")
        view.press("Home")
        need("1. T0" in view.evaluate("document.getElementById('step').textContent"), "Home")
        frames = view.evaluate("""new Promise((done) => {
          const box = document.querySelector('.scroller'), times = [];
          let last = performance.now();
          const step = (now) => {
            times.push(now - last); last = now; box.scrollTop += 20000;
            if (times.length < 40) requestAnimationFrame(step); else done(times.sort((a, b) => a - b)[20]);
          };
          requestAnimationFrame(step);
        })""")
        need(frames < expect.allowed(100), f"a frame takes {frames} ms")
        for _ in range(60):
            view.evaluate("document.querySelector('.bar button[title^=smaller]').click()")
        view.settle()
        need(not view.errors, view.errors)
        if PICTURES:
            view.picture(os.path.join(PICTURES, "million.png"))
        return f"{min(seconds):.2f} s, {os.path.getsize(page) / 1e6:.1f} MB, {frames:.0f} ms a frame"


SCENARIOS = {"hostile": hostile, "bad input": bad_input, "overview": overview, "million": million}
# Left out of a plain run: what they show about the page the others show, too.
LONG = ("atomicity", "atomic set", "use after free", "lost wake-up", "exception")


def main():
    items = [*SCENARIOS, *FINDINGS]
    names = [word for word in WORDS if word]
    items = [item for item in items if not names or any(name in item for name in names)]
    view = browser.Browser()
    view.size(1280, 900)
    os.environ["RADDLE_TEST_JOBS"] = "1"  # there is one page
    try:
        expect.run_all(lambda item: SCENARIOS.get(item, check_page)(view, item), items, str, long=LONG)
    finally:
        view.close()


PICTURES = ""
WORDS = sys.argv[1:]
if WORDS[:1] == ["--pictures"]:
    PICTURES, WORDS = os.path.abspath(WORDS[1]), WORDS[2:]
    os.makedirs(PICTURES, exist_ok=True)
if browser.find() is None:
    print("skipped: there is no Chromium here; scripts/setup browser installs it")
    sys.exit(0)
main()
