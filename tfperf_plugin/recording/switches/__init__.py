"""Changes that ``tfperf try --switch`` makes in a training that it starts, without an edit of its code.

A switch is a sentence, a function for each module that it changes, and the lines that make it permanent. The
hook calls the function once the training has imported the module (``hook.watch``). The function wraps one
documented entry point and tells what it changed. A switch that told nothing found nothing to change, so its
launch proves nothing. A switch without lines is a *probe*: it shows what something costs; nobody keeps it.

``data`` has the switches of the input, ``keras`` and ``torch`` those of the step. A change by a variable
needs no switch: ``tfperf try --env``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tfperf_plugin.errors import BadOptionError, did_you_mean
from tfperf_plugin.recording.switches import data, keras, torch
from tfperf_plugin.recording.switches.switch import Switch

SWITCHES: Final[tuple[Switch, ...]] = (*data.SWITCHES, *keras.SWITCHES, *torch.SWITCHES)
applied: Final[dict[str, list[str]]] = {}
"""Id → what the switch changed in this process, each once."""


def find(id_: str) -> Switch:
    """The switch ``id_``. Raises BadOptionError."""
    ids = [switch.id for switch in SWITCHES]
    if id_ not in ids:
        hint = did_you_mean(id_, ids) or "`tfperf switches` lists them all."
        raise BadOptionError(f"There is no switch {id_!r:.100}; {hint}")
    return SWITCHES[ids.index(id_)]


def parsed(text: str) -> str:
    """``NAME`` or ``NAME=VALUE`` with its value, such as "loader-workers=4". Raises BadOptionError."""
    id_, _, value = text.partition("=")
    switch = find(id_)
    if not switch.value:
        if text != id_:
            raise BadOptionError(f"The switch {id_} takes no value.")
        return id_
    value = value or switch.value
    if not re.fullmatch(switch.values, value):
        raise BadOptionError(f"{id_} takes a value such as {switch.value}, not {value!r:.100}.")
    return f"{id_}={value}"


def parts(text: str) -> tuple[Switch, str]:
    """The switch and the value in what ``parsed`` returned."""
    id_, _, value = text.partition("=")
    return find(id_), value


def switch_on(texts: Sequence[str], name: str, module: Any) -> None:
    """Makes the changes ``texts`` in ``module``, which the training has just imported under ``name``."""
    for text in texts:
        switch, value = parts(text)
        if change := switch.changes.get(name):
            change(module, value, _tell(switch.id))


def _tell(id_: str) -> Any:
    def tell(what: str) -> None:
        told = applied.setdefault(id_, [])
        if what not in told:
            told.append(what)

    return tell
