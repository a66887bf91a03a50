"""Errors that users see. ``str(error)`` is the sentence to show."""

from __future__ import annotations


class TfperfError(Exception):
    """Base class. ``str(error)`` is one plain sentence that says what to do next."""

    exit_code = 2
    """Of the command line."""


class RunNotFound(TfperfError):
    """The log directory holds no such run, or no run at all."""


class BadOptionError(TfperfError):
    """An option or argument is invalid; the message shows valid ones."""


class UnreadableInput(TfperfError):
    """A file is missing, truncated, damaged or no profile."""


class Busy(TfperfError):
    """Too many reports are being computed already."""


class Canceled(TfperfError):
    """The analysis was stopped; it restarts only on an explicit request."""


class OutOfTime(Canceled):
    """The analysis took more processor time than it may; it restarts only on an explicit request."""


class NotJudgeable(TfperfError):
    """The profile was read, but holds nothing that can be judged."""

    exit_code = 3
