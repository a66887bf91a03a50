"""What a worker gives up before it reads foreign bytes: to write files, to connect, to signal others.

Linux takes these rights from any thread that asks, and from all that it starts, by Landlock
(https://docs.kernel.org/userspace-api/landlock.html). Neither Python nor the C library has a function for it,
only the numbers of its system calls, which are the same on all machines.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import Final

_NO_NEW_PRIVILEGES: Final = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = _PATH_BENEATH = 1
_READ: Final = 0b1101
"""To execute files, to read them, and to list folders."""
_WRITE_FILE: Final = 0b0010
_BIND_AND_CONNECT = _ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
# The structures of linux/landlock.h.
_RULESET, _BENEATH = struct.Struct("=QQQ"), struct.Struct("=Qi")


def landlock_version() -> int:
    """The version of Landlock that the system offers; 0 if it offers none."""
    return max(0, _call(_CREATE_RULESET, 0, 0, _ASK_VERSION)) if sys.platform == "linux" else 0


def give_up() -> None:
    """Takes rights from this thread, and from the threads and processes that it starts from now on, for good.

    Linux: what they execute gains no privileges. With Landlock, they write to no file but those that are open
    already and ``/dev/null``, and make, rename and remove none; from Landlock's version 4 on, they neither
    connect nor listen by TCP; from version 6 on, they send no signals to others. Elsewhere, nothing changes.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(*map(ctypes.c_ulong, (_NO_NEW_PRIVILEGES, 1, 0, 0, 0)))
    version = landlock_version()
    if not version:
        return
    known = (1 << 12 + min(version, 3)) - 1  # version 1 knows 13 rights on files, 2 and 3 one more each
    tcp = _BIND_AND_CONNECT if version >= 4 else 0
    others = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0
    denied = ctypes.create_string_buffer(_RULESET.pack(known & ~_READ, tcp, others))
    nowhere = os.open(os.devnull, os.O_PATH)
    allowed = ctypes.create_string_buffer(_BENEATH.pack(_WRITE_FILE, nowhere))
    rules = _call(_CREATE_RULESET, ctypes.addressof(denied), _RULESET.size, 0)
    if rules >= 0:
        if _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.addressof(allowed), 0) == 0:
            _call(_RESTRICT_SELF, rules, 0)
        os.close(rules)
    os.close(nowhere)


def _call(number: int, *arguments: int) -> int:
    """A system call; -1 if it fails."""
    return int(ctypes.CDLL(None).syscall(*map(ctypes.c_long, (number, *arguments))))
