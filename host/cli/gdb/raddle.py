"""Commands of gdb for a recorded execution: raddle steps, raddle where, raddle threads, raddle until STEP.

`raddle replay --gdb` loads this file. Elsewhere, as for `raddle replay --gdbserver`:

    (gdb) source PREFIX/share/raddle/gdb.py

Everything comes from the memory of the stopped program: the table raddle_debugger of libraddle.so (target/sched/debugger.cpp) and what it
points to. So it works with another machine's program, and needs no symbols of libraddle.so. A frame filter hides the frames of
libraddle.so from `backtrace`; `backtrace -no-filters` shows them.
"""

import json
import os
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator

VERSION = 1
FIELDS = ("version", "stop_at", "next_step", "next_thread", "current", "log", "steps", "recording", "recorded_steps", "threads", "objects",
          "ops", "classes", "op_count", "class_count", "thread_number", "thread_op", "thread_object", "thread_enabled", "thread_finished",
          "thread_name", "thread_kernel_tid", "object_class", "object_address", "object_owner")
RECORD = struct.Struct("<HBBIQ")  # thread, operation, outcome, object, site
OUTCOMES = ("", ", ends by time-out", ", interrupted", ", cancelled")
AROUND = 10  # steps before and after the next one that `raddle steps` shows
SAMPLE_SIGNAL = "SIG63"


def names_from_raddle():
    """The names of reports, where `raddle replay --gdb` left them: {"threads": {...}, "steps": {...}}."""
    try:
        with open(os.environ["RADDLE_GDB_NAMES"], encoding="utf-8") as file:
            return json.load(file)
    except (KeyError, OSError, ValueError):
        return {"threads": {}, "steps": {}}


NAMES = names_from_raddle()


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def number(address, size=8):
    return int.from_bytes(memory(address, size), "little")


def string(address, most=64):
    return memory(address, most).split(b"\0")[0].decode(errors="replace")


def is_runtime(file):
    return os.path.basename(file or "").startswith("libraddle.so")


def is_own_frame(frame):
    """A frame of the runtime, or of the hooks that raddle-c++ puts into the program."""
    return is_runtime(gdb.solib_name(frame.pc())) or (frame.name() or "").startswith("__raddle_")


def program_frames(frame):
    """From `frame` outwards, those that are not the runtime's."""
    while frame is not None and frame.is_valid():
        if not is_own_frame(frame):
            yield frame
        frame = frame.older()


def is_of_system(symtab):
    """A header of the C++ library, or the like: where the program called it says more."""
    return symtab is None or symtab.fullname().startswith("/usr/include/") or not os.path.isabs(symtab.fullname())


def line_of(frame):
    """The line of a frame that is the program's own; None otherwise."""
    line = frame.find_sal()
    return line if line.symtab is not None and not is_of_system(line.symtab) else None


def own_frame(newest):
    """The innermost frame with a line of the program; else the innermost of all that are not the runtime's, if there is one."""
    frames = list(program_frames(newest))
    return next((frame for frame in frames if line_of(frame) is not None), frames[0] if frames else None)


def place_of(pc):
    """Where the call is that returns to `pc`: file:line in function, or as much of it as is known."""
    if pc == 0:
        return ""
    line = gdb.find_pc_line(pc - 1)
    block = gdb.block_for_pc(pc - 1)
    while block is not None and (block.function is None or is_of_system(block.function.symtab)):
        block = block.superblock
    function = f"in {block.function}" if block is not None else ""
    if line.symtab is not None and not is_of_system(line.symtab):
        return f"{os.path.basename(line.symtab.filename)}:{line.line} {function}".rstrip()
    if function:
        return function  # gdb does not say where a function was inlined
    library = gdb.solib_name(pc - 1)
    return f"in {os.path.basename(library)}" if library else ""


def member_at(type_, offset):
    """The names, with their dots, of the members that begin `offset` bytes into an object; the innermost that is no base class."""
    type_ = type_.strip_typedefs()
    if type_.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return ""
    for field in type_.fields():
        if not hasattr(field, "bitpos") or field.bitsize:
            continue
        inside = offset - field.bitpos // 8
        if 0 <= inside < field.type.sizeof:
            rest = member_at(field.type, inside)
            if field.is_base_class or not field.name:
                return rest
            return "" if field.name.startswith("_") else f".{field.name}{rest}"  # the inside of a std::mutex is the mutex
    return ""


def variable_at(address):
    """The name of the variable with static storage at `address`; empty if there is none."""
    text = gdb.execute(f"info symbol {address}", to_string=True)
    if text.startswith("No symbol"):
        return ""
    name, _, offset = text.split(" in section")[0].partition(" + ")
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return name + (member_at(symbol.type, int(offset or 0)) if symbol is not None else "")


def local_at(address):
    """The name of the local variable at `address`, in the frames of whatever thread has it; empty if there is none."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        for frame in program_frames(gdb.newest_frame()):
            try:
                block = frame.block()
            except RuntimeError:  # no symbols
                continue
            while block is not None and not block.is_global and not block.is_static:
                for symbol in block:
                    if not symbol.is_variable:
                        continue
                    try:
                        value = symbol.value(frame)
                        begin = int(value.address) if value.address is not None else 0
                    except (gdb.error, gdb.MemoryError):
                        continue
                    if 0 < begin <= address < begin + value.type.sizeof:
                        return symbol.name + member_at(value.type, address - begin)
                if block.function is not None:
                    break
                block = block.superblock
    return ""


class Selection:
    """Puts back the thread and the frame that were selected. While it lasts gdb calls no function of the program: to show some values it
    would call malloc, and the program would run on."""

    def __enter__(self):
        self.may_call = gdb.parameter("may-call-functions")
        gdb.execute("set may-call-functions off")
        self.thread = gdb.selected_thread()
        self.frame = gdb.selected_frame() if self.thread is not None else None

    def __exit__(self, *_):
        gdb.execute(f"set may-call-functions {'on' if self.may_call else 'off'}")
        if self.thread is not None and self.thread.is_valid():
            self.thread.switch()
            if self.frame.is_valid():
                self.frame.select()


class Execution:
    """The program as it is stopped now. Names of objects are looked up once."""

    def __init__(self):
        try:
            self.table = int(gdb.parse_and_eval("(unsigned long)&raddle_debugger"))
            values = struct.unpack(f"<{len(FIELDS)}Q", memory(self.table, 8 * len(FIELDS)))
        except (gdb.error, gdb.MemoryError) as error:
            raise gdb.GdbError("raddle: this program does not run under Raddle, or has not begun; "
                               "start gdb with `raddle replay --gdb FILE`") from error
        self.__dict__.update(zip(FIELDS, values))
        if self.version != VERSION:
            raise gdb.GdbError(f"raddle: these commands are of another Raddle than libraddle.so (table {self.version}, not {VERSION})")
        if self.recording == 0 or self.threads == 0:
            raise gdb.GdbError("raddle: no recorded execution has begun in this program; `raddle until 0` runs to its first step")
        self.done = number(self.steps)
        self.at_step = self.is_at_step()
        self.names = {("thread", int(thread)): f'T{thread} "{name}"' for thread, name in NAMES["threads"].items()}
        self.names.update((self.record(int(step))[3], known["object"]) for step, known in NAMES["steps"].items() if known["object"])

    def record(self, step):
        log = self.log if step < self.done else self.recording
        return RECORD.unpack(memory(log + step * RECORD.size, RECORD.size))

    def thread_list(self):
        first, count = number(self.threads), number(self.threads + 8)
        return [number(first + 8 * i) for i in range(count)]

    def kernel_thread(self, thread):
        """gdb's own thread; None if it has ended, or not begun."""
        tid = number(thread + self.thread_kernel_tid, 4)
        for candidate in gdb.selected_inferior().threads():
            if tid != 0 and candidate.ptid[1] == tid:
                return candidate
        return None

    def thread_text(self, index):
        """T1 "spend": the name that the program gave it, or the function that it runs."""
        if ("thread", index) not in self.names:
            threads = self.thread_list()
            name = "main" if index == 0 else ""
            if index < len(threads):
                name = string(threads[index] + self.thread_name, 16) or name or self.begin_of(threads[index])
            self.names["thread", index] = f'T{index} "{name}"' if name else f"T{index}"
        return self.names["thread", index]

    def begin_of(self, thread):
        kernel = self.kernel_thread(thread)
        if kernel is None or number(thread + self.thread_finished, 1):
            return ""
        with Selection():
            kernel.switch()
            names = [frame.name() for frame in program_frames(gdb.newest_frame()) if gdb.solib_name(frame.pc()) is None]
        names = [name for name in names if name and not name.startswith("std::")]
        return names[-1].split("(")[0] if names else ""

    def object_text(self, index):
        if index == 0:
            return ""
        if index not in self.names:
            self.names[index] = self.look_up(index)
        return self.names[index]

    def look_up(self, index):
        if index > number(self.objects + 8):
            return f"object {index}"  # not used yet
        thing = number(number(self.objects) + 8 * (index - 1))
        kind = number(thing + self.object_class, 1)
        noun = string(number(self.classes + 8 * kind)) if kind < self.class_count else "object"
        if noun == "thread":
            return self.thread_text(number(number(thing + self.object_owner) + self.thread_number, 2))
        address = number(thing + self.object_address)
        if address == 0:
            return f"{noun} {index}"  # its memory was given up
        if noun == "descriptor":
            return f"descriptor {address}"
        with Selection():
            return variable_at(address) or local_at(address) or f"{noun} at {address:#x}"

    def owner_of(self, index):
        """Who has the lock that the thread waits for; empty if nobody has, or it is none."""
        if index == 0 or index > number(self.objects + 8):
            return ""
        thing = number(number(self.objects) + 8 * (index - 1))
        kind = number(thing + self.object_class, 1)
        owner = number(thing + self.object_owner)
        if owner == 0 or string(number(self.classes + 8 * kind)) == "thread":
            return ""
        return self.thread_text(number(owner + self.thread_number, 2))

    def state(self, thread):
        """What a thread does, is about to do, or waits for."""
        if number(thread + self.thread_finished, 1):
            return "has ended"
        thing = number(thread + self.thread_object, 4)
        text = f"{self.op_text(number(thread + self.thread_op, 1))} {self.object_text(thing)}".rstrip()
        if self.at_step and thread == self.next_thread:
            return f"next: {text}"
        if number(thread + self.thread_enabled, 4) != 0xffffffff:
            return f"can go on: {text}" if self.at_step or thread != number(self.current) else "runs"
        owner = self.owner_of(thing)
        return f"waits: {text}" + (f", which {owner} has" if owner else "")

    def op_text(self, op):
        return string(number(self.ops + 8 * op)) if op < self.op_count else "unknown operation"

    def operation(self, step):
        """What a step does, without where."""
        _, op, outcome, thing, _ = self.record(step)
        text = self.op_text(op)
        if text == "choice":
            return f"chooses {outcome} of 0 to {thing - 1}"
        return f"{text} {self.object_text(thing)}".rstrip() + (OUTCOMES[outcome] if outcome < len(OUTCOMES) else "")

    def recorded_places_are_ours(self):
        """The recording has the code addresses of its own process: they say something here only if both are loaded alike."""
        executed = [(self.record(step)[4], RECORD.unpack(memory(self.recording + step * RECORD.size, RECORD.size))[4])
                    for step in range(min(self.done, 64))]
        executed = [pair for pair in executed if pair[0] != 0]
        return bool(executed) and all(now == then for now, then in executed)

    def is_at_step(self):
        """Stopped by `raddle until`: the next step is chosen, and the thread that chose it is where it calls."""
        chooser = self.kernel_thread(number(self.current))
        if chooser is None or self.next_thread == 0 or self.next_step != self.done:
            return False
        with Selection():
            chooser.switch()
            return gdb.newest_frame().name() == "raddle_debugger_step"


class StepBreakpoint(gdb.Breakpoint):
    """Where the runtime calls before the step that was asked for. Internal: `info breakpoints` does not show it."""

    def __init__(self, target):
        super().__init__("raddle_debugger_step", internal=True)
        self.silent = True
        self.target = target

    def stop(self):
        if self.target.wanted is None:
            return False
        execution = Execution()
        if execution.next_step < self.target.wanted:  # the first step of an execution that was started anew
            ask_for(execution, self.target.wanted)
            return False
        self.target.reached = True
        return True


class Target:
    """The step that `raddle until` runs to, and the breakpoint for it, which can be made when libraddle.so is loaded."""

    def __init__(self):
        self.wanted = None
        self.reached = False
        self.breakpoint = None
        gdb.events.new_objfile.connect(lambda event: self.loaded(event.new_objfile))
        for objfile in gdb.objfiles():
            self.loaded(objfile)

    def loaded(self, objfile):
        if is_runtime(objfile.filename) and (self.breakpoint is None or not self.breakpoint.is_valid()):
            self.breakpoint = StepBreakpoint(self)


def ask_for(execution, step):
    gdb.selected_inferior().write_memory(execution.table + 8 * FIELDS.index("stop_at"), struct.pack("<Q", step))


class Raddle(gdb.Command):
    """Commands for an execution that `raddle replay --gdb` or `--gdbserver` repeats.

raddle steps            the steps of the schedule around the next one
raddle steps FROM [TO]  these steps; `raddle steps all': every step
raddle where            the next step, and the stack of the thread that has the token
raddle threads          what each thread is about to do, or waits for, and where
raddle until STEP       run to a step of the schedule; from the beginning if it is behind"""

    def __init__(self):
        super().__init__("raddle", gdb.COMMAND_RUNNING, prefix=True)


class Steps(gdb.Command):
    """The steps of the schedule: raddle steps [FROM [TO] | all]
Without arguments, those around the next one, which has an arrow. A star is a switch to another thread."""

    def __init__(self):
        super().__init__("raddle steps", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        execution = Execution()
        first, last = self.range_of(execution, gdb.string_to_argv(argument))
        places = execution.recorded_places_are_ours()
        lines = []
        with Selection():
            for step in range(first, last):
                thread, _, _, _, site = execution.record(step)
                switch = "*" if step > 0 and execution.record(step - 1)[0] != thread else " "
                place = NAMES["steps"].get(str(step), {}).get("where", "")
                if not place and (step < execution.done or places):
                    place = place_of(site)
                lines.append(("=>" if step == execution.done else "  ", f"{step:5}", switch, execution.thread_text(thread),
                              execution.operation(step), place))
        widths = [max(len(line[i]) for line in lines) for i in (3, 4)] if lines else []
        for arrow, step, switch, thread, operation, place in lines:
            print(f"{arrow}{step} {switch} {thread:{widths[0]}}  {operation:{widths[1]}}  {place}".rstrip())
        if execution.done >= execution.recorded_steps:
            print(f"All {execution.recorded_steps} steps of the schedule were executed.")
        elif (first, last) != (0, execution.recorded_steps):
            print(f"{first} to {last - 1} of {execution.recorded_steps} steps; `raddle steps all' shows every one.")

    @staticmethod
    def range_of(execution, words):
        end = execution.recorded_steps
        if words == ["all"]:
            return 0, end
        if len(words) > 2 or not all(word.isdigit() for word in words):
            raise gdb.GdbError("usage: raddle steps [FROM [TO] | all]")
        if not words:
            return max(0, min(execution.done, end) - AROUND), min(end, execution.done + AROUND + 1)
        first = int(words[0])
        last = int(words[1]) + 1 if len(words) == 2 else first + 2 * AROUND
        if first >= end or last <= first:
            raise gdb.GdbError(f"raddle: the schedule has the steps 0 to {end - 1}")
        return first, min(last, end)


def print_stack(newest):
    """The program's own frames, with the numbers that `frame` takes; all but the runtime's if there are none with lines."""
    frames = [frame for frame in program_frames(newest) if line_of(frame) is not None] or list(program_frames(newest))
    for frame in frames:
        line = frame.find_sal()
        place = f"{line.symtab.filename}:{line.line}" if line.symtab is not None else os.path.basename(gdb.solib_name(frame.pc()) or "")
        print(f"  #{frame.level():<2} {frame.name() or '??'}  {place}".rstrip())


class Where(gdb.Command):
    """Where the execution is: the step that comes next or is under way, and the stack of its thread without the runtime's frames."""

    def __init__(self):
        super().__init__("raddle where", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        execution = Execution()
        with Selection():
            thread = execution.next_thread if execution.at_step else number(execution.current)
            print(where_text(execution))
            kernel = execution.kernel_thread(thread)
            if kernel is not None:
                kernel.switch()
                print_stack(gdb.newest_frame())


def where_text(execution):
    if execution.at_step:
        thread = number(execution.next_thread + execution.thread_number, 2)
        return f"step {execution.done} of {execution.recorded_steps} is next: {execution.thread_text(thread)}, " \
               f"{execution.operation(execution.done)}"
    thread = number(number(execution.current) + execution.thread_number, 2)
    now = f"{execution.thread_text(thread)} {execution.state(number(execution.current))}"
    if execution.done == 0:
        return f"before step 0 of {execution.recorded_steps}: {now}"
    step = execution.done - 1
    last = execution.record(step)
    return f"after step {step} of {execution.recorded_steps} ({execution.thread_text(last[0])}, {execution.operation(step)}): {now}"


class Threads(gdb.Command):
    """Every thread of the program: its number here and in gdb, what it is about to do or waits for, and where."""

    def __init__(self):
        super().__init__("raddle threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        execution = Execution()
        lines = []
        with Selection():
            for index, thread in enumerate(execution.thread_list()):
                kernel = execution.kernel_thread(thread)
                place = ""
                if kernel is not None and not number(thread + execution.thread_finished, 1):
                    kernel.switch()
                    frame = own_frame(gdb.newest_frame())
                    line = line_of(frame) if frame is not None else None
                    if line is not None:
                        place = f"{os.path.basename(line.symtab.filename)}:{line.line} in {frame.name()}"
                lines.append((execution.thread_text(index), f"gdb {kernel.num}" if kernel is not None else "",
                              execution.state(thread), place))
        widths = [max(len(line[i]) for line in lines) for i in range(3)]
        for line in lines:
            print("  ".join(f"{text:{width}}" for text, width in zip(line, [*widths, 0])).rstrip())


class Until(gdb.Command):
    """Run to a step of the schedule: raddle until STEP
Everything before the step was executed, and the thread that executes it is selected, at the call that it is in. A step that is behind is
reached by starting the program anew."""

    def __init__(self):
        super().__init__("raddle until", gdb.COMMAND_RUNNING)
        self.target = Target()

    def invoke(self, argument, from_tty):
        if not argument.strip().isdigit():
            raise gdb.GdbError("usage: raddle until STEP")
        step = int(argument)
        said = self.run_to(step)
        if not self.target.reached:
            print(said.rstrip())
            raise gdb.GdbError(f"raddle: the program stopped or ended before step {step}")
        execution = Execution()
        print(where_text(execution))
        kernel = execution.kernel_thread(execution.next_thread)
        if kernel is None:
            return
        kernel.switch()
        frame = own_frame(gdb.newest_frame())
        if frame is not None:
            frame.select()
            gdb.execute("frame")

    def run_to(self, step):
        """What gdb said meanwhile."""
        self.target.wanted, self.target.reached = step, False
        try:
            if not gdb.selected_inferior().threads():
                return gdb.execute("run", to_string=True)
            try:
                execution = Execution()
            except gdb.GdbError:  # it has not begun
                return gdb.execute("continue", to_string=True)
            if step >= execution.recorded_steps:
                raise gdb.GdbError(f"raddle: the schedule has the steps 0 to {execution.recorded_steps - 1}")
            if step >= execution.done + (1 if execution.at_step else 0):
                ask_for(execution, step)
                return gdb.execute("continue", to_string=True)
            if is_remote():
                raise gdb.GdbError(f"raddle: step {step} is behind, and a program in gdbserver cannot be started anew: "
                                   "start `raddle replay --gdbserver` again, and connect")
            print(f"step {step} is behind: the program starts anew")
            return gdb.execute("run", to_string=True)
        finally:
            self.target.wanted = None


def is_remote():
    return "remote" in gdb.execute("info target", to_string=True).lower().split("local exec file")[0]


class Frame(FrameDecorator):
    """As gdb shows it without filters: the function without the types of its arguments."""

    def function(self):
        return self.inferior_frame().name() or super().function()


class HideRuntime:
    """Frame filter: `backtrace` without the frames of libraddle.so."""

    def __init__(self):
        self.name = "raddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (Frame(frame) for frame in frames if not is_own_frame(frame.inferior_frame()))


class CounterReads:
    """Reads of the time-stamp counter are faults, which the runtime handles: gdb stops for the first one only, as it cannot know before."""

    CODE = (b"\x0f\x31", b"\x0f\x01\xf9")  # rdtsc, rdtscp
    IS_OTHER_FAULT = "*(unsigned short*)$pc != 0x310f && (*(unsigned*)$pc & 0xffffff) != 0xf9010f"

    def __init__(self):
        gdb.events.stop.connect(self.stopped)

    def stopped(self, event):
        if not isinstance(event, gdb.SignalEvent) or event.stop_signal != "SIGSEGV":
            return
        try:
            code = memory(gdb.newest_frame().pc(), 3)
        except gdb.error:
            return  # what was called is no code
        if not code.startswith(self.CODE):
            return
        gdb.events.stop.disconnect(self.stopped)
        gdb.execute("handle SIGSEGV nostop noprint pass", to_string=True)
        gdb.execute("catch signal SIGSEGV", to_string=True)
        gdb.execute(f"condition $bpnum {self.IS_OTHER_FAULT}", to_string=True)
        print("raddle: no crash: the program reads the time-stamp counter. gdb will not stop for that again; go on with `continue'.")


gdb.execute(f"handle {SAMPLE_SIGNAL} nostop noprint pass", to_string=True)
Raddle()
Steps()
Where()
Threads()
Until()
HideRuntime()
CounterReads()
