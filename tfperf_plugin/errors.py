"""Errors a user can meet, each with the sentence to show and the exit code of the command line.

TfperfError
├── RunNotFound        the log directory has no such run, or no run at all          exit 2
├── BadOptionError     what the user typed cannot be used                            exit 2
├── UnreadableInput    a file is missing, truncated, foreign or hostile              exit 2
├── Busy               more reports are being made than one machine should make      exit 2
├── Canceled          somebody stopped the analysis                                 exit 2
└── NotJudgeable       the file is a profile, but says nothing that can be judged    exit 3
"""

from __future__ import annotations


class TfperfError(Exception):
    """Base class. ``str(error)`` is one plain sentence that says what to do next."""

    exit_code = 2


class RunNotFound(TfperfError):
    """The named run, or any run, is missing below the log directory."""


class BadOptionError(TfperfError):
    """What the user typed cannot be used; the message shows what can."""


class UnreadableInput(TfperfError):
    """The bytes are not a profile, or only a part of one."""


class Busy(TfperfError):
    """Too many reports are being made already."""


class Canceled(TfperfError):
    """Somebody stopped the analysis; it begins anew only when it is asked for expressly."""


class NotJudgeable(TfperfError):
    """The profile was read, but holds nothing from which a report could be made."""

    exit_code = 3
