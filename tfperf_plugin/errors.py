"""Errors that users see. ``str(error)`` is the sentence to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_LONGEST_TYPED = 100
# What ctypes, CPython and NumPy say of a lack of memory.
_TOLD_OF_MEMORY = (
    "MemoryError",
    "can't allocate lock",
    "can't allocate read lock",
    "Iterator operand was NULL",
    "Cannot compare structured arrays unless they have a common dtype",
    "NULL object passed to Py_BuildValue",
)


class TfperfError(Exception):
    """Base class. ``str(error)`` is one plain sentence that says what to do next."""

    exit_code = 2
    """Of the command line."""

    def __init__(self, sentence: str = "", known: Iterable[str] = ()) -> None:
        """``known``: names that could have been asked for, in place of one that is not known."""
        super().__init__(sentence)
        self.known = tuple(known)


class RunNotFound(TfperfError):
    """The log directory holds no such run, or no run at all."""


class NotInReport(TfperfError):
    """The report holds nothing with this id."""


class BadOptionError(TfperfError):
    """An option or argument is invalid; the message shows valid ones."""


class BadUsageError(BadOptionError):
    """The command line cannot be read: a command, an option or an argument is missing or not known."""


class UnreadableInput(TfperfError):
    """A file is missing, truncated, damaged or no profile."""


class FileChanged(UnreadableInput):
    """A file has changed while it was read; it may be complete later."""


class Busy(TfperfError):
    """Too many reports are being computed already."""


class Canceled(TfperfError):
    """The analysis was stopped; it restarts only on an explicit request."""


class OutOfTime(Canceled):
    """The analysis took more processor time than it may; it restarts only on an explicit request."""


class NotJudgeable(TfperfError):
    """The profile was read, but holds nothing that can be judged."""

    exit_code = 3


def lacks_memory(error: BaseException | None) -> bool:
    """Whether this is a MemoryError, or what a library made of one, with it as the cause or in words only.
    False for errors above, which have a sentence of their own."""
    while error is not None and not isinstance(error, MemoryError | TfperfError):
        text = str(error)
        if any(part in text for part in _TOLD_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return isinstance(error, MemoryError)


def did_you_mean(
    typed: str, known: Iterable[str], meaning: Mapping[str, str] | None = None, most: int = 3
) -> str:
    """ "did you mean input-bound or step-gaps?": what resembles ``typed`` or holds it; "" if nothing does.

    ``meaning``: what to name in place of some of those that are known. ``most``: the number of suggestions.
    """
    from difflib import get_close_matches  # only those who err need it

    typed = typed[:_LONGEST_TYPED].lower()
    meant = {name.lower(): (meaning or {}).get(name, name) for name in known}
    close = get_close_matches(typed, meant, n=most)
    parts = [name for name in meant if len(typed) > 2 and typed in name]
    found = list(dict.fromkeys(meant[name] for name in (*close, *parts)))[:most]
    return f"did you mean {' or '.join(found)}?" if found else ""
