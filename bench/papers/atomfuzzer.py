"""Table 1 of Park and Sen (2008): warnings, errors, bugs, the probability of an error, and the slowdown, for each program.

  warnings      static places at which a block takes a lock again
  errors        of these, places at which another thread really took the lock in between
  bugs          of these, places whose violation came with a failing execution
  probability   share of the executions in which any violation came about; `random` for comparison
  slowdown      CPU time of an execution under `atom` against the program alone

Blocks are regions of locks, as in the paper. The program alone is a new process each time; an execution of Raddle is a fork of a
process that has started already, so the slowdown may be below 1.
"""

import os

import common

SUBJECTS = [
    common.subject("string_buffer", "StringBuffer"),
    common.own("vector_1_1", "vector_1_1", paper="Vector"),
    *(common.own(c, "collections", "COLLECTION=" + c, paper=c)
      for c in ("ArrayList", "LinkedList", "HashSet", "TreeSet", "LinkedHashSet")),
    *(common.own(b, "buffers", "BUFFER=" + b, paper=b) for b in ("BlockingBuffer", "BoundedFifoBuffer", "CircularFifoBuffer")),
    common.own("multiset", "multiset", paper="ConcurrentMultiset"),
    common.own("cache", "cache", paper="cache4j"),
    common.own("relaxation", "relaxation", paper="sor"),
    common.own("crawler 1", "crawler", "CRAWLER=1", paper="hedc"),
    common.own("crawler 2", "crawler", "CRAWLER=2", paper="weblech"),
    common.own("crawler 3", "crawler", "CRAWLER=3", paper="jspider"),
]
# Warnings, errors, bugs, probability, slowdown.
TABLE_1 = {
    "StringBuffer": (1, 1, 1, "0.78", 1.23),
    "Vector": (0, 0, 0, "-", 1.00),
    "ArrayList": (2, 2, 2, "0.97", 1.71),
    "LinkedList": (2, 2, 2, "0.99", 1.50),
    "HashSet": (2, 2, 2, "0.98", 1.71),
    "TreeSet": (2, 2, 2, "0.99", 1.60),
    "LinkedHashSet": (2, 2, 2, "0.77", 1.50),
    "BlockingBuffer": (1, 1, 1, "0.64", 2.36),
    "BoundedFifoBuffer": (1, 1, 1, "0.73", 2.11),
    "CircularFifoBuffer": (1, 1, 1, "0.70", 2.22),
    "ConcurrentMultiset": (0, 0, 0, "-", 6.31),
    "cache4j": (1, 1, 0, "1.00", 10.60),
    "sor": (0, 0, 0, "-", 7.69),
    "hedc": (3, 0, 0, "-", 1.82),
    "weblech": (25, 0, 0, "-", 17.01),
    "jspider": (28, 4, 0, "1.00", 10.6),
}
COUNTS = ("warnings", "errors", "bugs")
BLOCKS = ("--atomic", "locks", "--observe", "atom")


def probability(result):
    return f"{result['observed'] / result['executions']:.2f}" if result["observed"] else "-"


def slowdown(subject, executions, rounds):
    """CPU time of an execution against the program alone. Executions are many together, without what it takes to start; the program
    alone is a process, from start to end."""
    with common.scratch() as folder:
        program = subject.build(folder)
        fuzz = [common.RADDLE, "fuzz", "--json", "--keep-going", "--decide", "sync", "--strategy", "atom", "--atomic", "locks", "--out",
                os.path.join(folder, "out")]
        use = common.median_use({"native": [subject.build(folder, native=True)], "few": [*fuzz, "-n", "1", "--", program],
                                 "many": [*fuzz, "-n", str(executions + 1), "--", program]}, rounds)
    return max(0.0, use["many"][0] - use["few"][0]) / executions / use["native"][0]


def table(arguments):
    executions = arguments.n or 100
    common.head("program", "paper's", "warnings", "paper", "errors", "paper", "bugs", "paper", "probability", "random", "paper",
                "slowdown", "paper")
    totals = [0, 0, 0]
    slowdowns = []

    def one(subject):
        with common.scratch() as folder:
            program = subject.build(folder)
            return [common.fuzz(program, strategy, executions, folder, *BLOCKS) for strategy in ("atom", "random")]

    chosen = common.chosen(SUBJECTS, arguments.names)
    for subject, (result, random) in zip(chosen, common.each(one, chosen, arguments.j)):
        slowdowns.append(slowdown(subject, executions, arguments.rounds))
        ours = [result[column] for column in COUNTS]
        totals = [total + count for total, count in zip(totals, ours)]
        paper = TABLE_1[subject.paper]
        common.row(subject.name, subject.paper, ours[0], paper[0], ours[1], paper[1], ours[2], paper[2], probability(result),
                   probability(random), paper[3], f"{slowdowns[-1]:.2f}", paper[4])
    print(f"\nIn all {totals[0]} warnings, {totals[1]} errors, {totals[2]} bugs (paper, with jigsaw: 131, 21, 14). Slowdown: "
          f"{min(slowdowns):.2f} to {max(slowdowns):.2f} (paper: 1 to 17).")
