#!/usr/bin/env python3
"""Runs a command as an unprivileged container does: a filter refuses personality, userfaultfd, ptrace and perf_event_open with EPERM,
and root becomes nobody. A checkout in a folder that is root's alone is shown to nobody, in a mount namespace of the command's own.

usage: container.py COMMAND ARGUMENTS

Ends with 77, and says why, where there can be no such container: filters are refused, or nobody can be shown the checkout.
"""

import ctypes
import os
import struct
import sys
import tempfile

REFUSED = {"personality": 135, "userfaultfd": 323, "ptrace": 101, "perf_event_open": 298}  # of x86-64
NOBODY = 65534
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CANNOT = 77
MS_BIND, MS_REC, MS_PRIVATE, CLONE_NEWNS = 1 << 12, 1 << 14, 1 << 18, 0x20000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD | BPF_W | BPF_ABS; BPF_JMP | BPF_JEQ | BPF_K; BPF_RET | BPF_K
ALLOW, ERRNO_EPERM = 0x7FFF0000, 0x00050001


libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def refuse():
    """From now on this process and all that it starts are refused these system calls."""
    numbers = list(REFUSED.values())
    code = [(LOAD, 0, 0, 0)]  # the number of the call, at the start of struct seccomp_data
    code += [(JUMP_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    code += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO_EPERM)]
    packed = b"".join(struct.pack("HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    program = Program(len(code), ctypes.cast(buffer, ctypes.c_void_p))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot install the filter")
    if libc.personality(0xFFFFFFFF) != -1:
        raise AssertionError("the filter does nothing")


def private_parent(path):
    """The outermost folder on the way to `path` that others may not pass; None if they may pass all."""
    parts = path.split("/")
    for i in range(2, len(parts) + 1):
        folder = "/".join(parts[:i])
        if not os.stat(folder).st_mode & 0o001:
            return folder
    return None


def call(done):
    if done != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(source, target, kind, flags, data=None):
    call(libc.mount(source.encode(), target.encode(), kind, flags, data))


def show(path):
    """Puts an empty folder that all may pass in place of the private one, and `path` into it: for this process and what it starts."""
    private = private_parent(path)
    if private is None:
        return
    if private == path:
        raise OSError("nobody may enter " + path)
    call(libc.unshare(CLONE_NEWNS))
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    beside = tempfile.mkdtemp()
    mount(path, beside, None, MS_BIND)
    mount("none", private, b"tmpfs", 0, b"mode=755")
    os.makedirs(path)
    mount(beside, path, None, MS_BIND)
    call(libc.umount2(beside.encode(), 0))
    os.rmdir(beside)
    os.chdir(os.getcwd())


def enter():
    if os.geteuid() == 0:
        # A folder that nobody may write to: tests work there, and keep the programs that they compiled.
        folder = os.environ.get("RADDLE_TEST_COMPILED")
        if folder:
            os.makedirs(folder, exist_ok=True)
            os.chmod(folder, 0o777)
        show(ROOT)
        if folder:
            os.chdir(folder)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    refuse()


if __name__ == "__main__":
    try:
        enter()
    except OSError as error:
        print(f"skipped: there can be no unprivileged container here: {error}", file=sys.stderr)
        sys.exit(CANNOT)
    os.environ["HOME"] = "/nonexistent"
    os.execvp(sys.argv[1], sys.argv[1:])
