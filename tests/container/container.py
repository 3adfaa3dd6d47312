#!/usr/bin/env python3
"""Runs a command as an unprivileged container does: a filter refuses personality, userfaultfd, ptrace and perf_event_open with EPERM,
and root becomes nobody.

usage: container.py COMMAND ARGUMENTS
"""

import ctypes
import os
import struct
import sys

REFUSED = {"personality": 135, "userfaultfd": 323, "ptrace": 101, "perf_event_open": 298}  # of x86-64
NOBODY = 65534
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD | BPF_W | BPF_ABS; BPF_JMP | BPF_JEQ | BPF_K; BPF_RET | BPF_K
ALLOW, ERRNO_EPERM = 0x7FFF0000, 0x00050001


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
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot install the filter")
    if libc.personality(0xFFFFFFFF) != -1:
        raise AssertionError("the filter does nothing")


def enter():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    refuse()


if __name__ == "__main__":
    enter()
    os.environ["HOME"] = "/nonexistent"
    os.execvp(sys.argv[1], sys.argv[1:])
