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
import subprocess
import sys

import expect
from expect import Problem
from reports import browser

ROOT = os.path.dirname(expect.TESTS)
PROGRAMS = os.path.join(expect.BUILD, "tests", "programs")
EXAMPLES = os.path.join(expect.BUILD, "examples")


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
    "use after free": lambda folder: (["fuzz"], instrumented("programs/causes/use_after_free.cpp", folder), 1),
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
    line = view.evaluate("document.querySelector('.source .row.now span:nth-child(2)')?.textContent ?? ''")
    if step["where"]["file"] and line:
        need(line == str(step["where"]["line"]), f"line {line} is highlighted, not {step['where']['line']}")
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
    return lines


def check_page(view, name):
    with expect.scratch() as folder:
        command, program, status = FINDINGS[name](folder)
        page = write_page(folder, command, program, status)
        view.open(page)
        data = data_of(view)
        need(view.evaluate("document.querySelectorAll('main tbody tr').length") == len(data["findings"]), "findings in the overview")
        words = view.evaluate("document.querySelector('.verdict').textContent")
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
        need(min(seconds) < 3, f"opened after {seconds} s")
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
        need(frames < 100, f"a frame takes {frames} ms")
        for _ in range(60):
            view.evaluate("document.querySelector('.bar button[title^=smaller]').click()")
        view.settle()
        need(not view.errors, view.errors)
        if PICTURES:
            view.picture(os.path.join(PICTURES, "million.png"))
        return f"{min(seconds):.2f} s, {os.path.getsize(page) / 1e6:.1f} MB, {frames:.0f} ms a frame"


SCENARIOS = {"hostile": hostile, "million": million}
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
