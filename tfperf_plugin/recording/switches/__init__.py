"""Changes that ``tfperf try --switch`` makes in a training that it starts, without an edit of its code.

A switch is a sentence, a function for each module that it changes, and the lines that make it permanent. The
hook calls the function once the training has imported the module (``hook.watch``). The function wraps one
documented entry point and tells what it changed. A switch that told nothing found nothing to change, so its
launch proves nothing. A switch without lines is a *probe*: it shows what something costs; nobody keeps it.
A switch of variables has a function that does nothing: the launch gets the variables (``set_variables``).

``data`` has the switches of the input; ``jax``, ``keras`` and ``torch`` have switches of the step, and
``variables`` has switches that only set variables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tfperf_plugin.errors import BadOptionError, did_you_mean
from tfperf_plugin.recording.record import FLAGS
from tfperf_plugin.recording.switches import data, jax, keras, torch, variables
from tfperf_plugin.recording.switches.switch import Switch

SWITCHES: Final[tuple[Switch, ...]] = tuple(
    switch for module in (data, keras, torch, jax, variables) for switch in module.SWITCHES
)
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


def set_variables(texts: Sequence[str], given: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The switches whose variables are still free, and the variables ``given`` with theirs added."""
    left, merged = [], dict(given)
    for text in texts:
        switch, value = parts(text)
        wanted = switch.sets(value)
        if not any(_is_set(name, setting, merged.get(name, "")) for name, setting in wanted.items()):
            left.append(text)
            merged |= {name: f"{merged.get(name, '')} {setting}".strip() for name, setting in wanted.items()}
    return tuple(left), merged


def _is_set(name: str, wanted: str, value: str) -> bool:
    """Whether ``value`` of the variable leaves no room for the setting ``wanted``."""
    return wanted.partition("=")[0] in value if name in FLAGS else bool(value)


def switch_on(texts: Sequence[str], name: str, module: Any) -> None:
    """Makes the changes ``texts`` in ``module``, which the training has just imported under ``name``."""
    for text in texts:
        switch, value = parts(text)
        if change := switch.changes.get(name):
            change(module, value, _tell(switch.id))
            for variable, wanted in switch.sets(value).items():
                if wanted in os.environ.get(variable, ""):
                    _tell(switch.id)(f"{variable}={wanted}")


def _tell(id_: str) -> Any:
    def tell(what: str) -> None:
        told = applied.setdefault(id_, [])
        if what not in told:
            told.append(what)

    return tell
