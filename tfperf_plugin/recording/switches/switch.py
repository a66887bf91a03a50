"""What a switch is, and what its functions share."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal

from tfperf_plugin.recording.launch import Place
from tfperf_plugin.records import Record

Tell = Callable[[str], None]
Change = Callable[[Any, str, Tell], None]
"""Changes a module, given the switch's value; tells each change when it takes effect."""

Framework = Literal["JAX", "Keras", "PyTorch", "TensorFlow"]

TIME_ONLY: Final = "A trial compares time, not what the trained model reaches."


class Switch(Record, frozen=True):
    """One change that tfperf can make in a training that it starts."""

    id: str
    #: In one sentence.
    does: str
    works_in: tuple[Framework, ...]
    #: What it looks for; without it, nothing is changed.
    finds: str
    #: Module of ``sitecustomize.MODULES`` → what is called once the training has imported it.
    changes: Mapping[str, Change]
    #: The lines that make it permanent; "" for a probe. ``{value}`` stands for the value.
    keep: str = ""
    #: What a probe shows; "" for what one would keep.
    shows: str = ""
    #: The value without ``=VALUE``; "" if it takes none.
    value: str = ""
    #: The pattern of its values.
    values: str = ""
    #: Variables that it sets for the launch, with ``{value}`` as in ``keep``; flags are added to the
    #: user's.
    variables: Mapping[str, str] = {}
    #: Guards of a trial that it changes on purpose, such as "Losses".
    differs: tuple[str, ...] = ()
    #: Whether a tuning tries it even if no finding names it.
    helps_often: bool = False
    #: What one who keeps it has to check: how the model computes by more than the last bits, or from what and
    #: with what it trains.
    alters: Literal["nothing", "numerics", "training"] = "nothing"
    #: What it cannot do, or changes besides time; a sentence, or "".
    limit: str = ""

    def kept(self, value: str) -> str:
        """The lines that make it permanent with ``value``."""
        return self.keep.replace("{value}", value)

    def sets(self, value: str) -> dict[str, str]:
        """The variables that it sets with ``value``."""
        return {name: text.replace("{value}", value) for name, text in self.variables.items()}


places: Final[list[Place]] = []
"""Where the training makes calls that got arguments, each once."""
_INSIDE: Final = frozenset({"keras", "tensorflow", "tf_keras", "tfperf_plugin", "torch"})


def gives(tell: Tell, call: str) -> None:
    """Tells which arguments a call got, such as "Adam(fused=True)", and notes where the training makes it."""
    tell(call)
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        frame = frame.f_back
    place = Place(call, os.path.realpath(frame.f_code.co_filename), frame.f_lineno)
    if place not in places:
        places.append(place)


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Has ``around(method, *args, **named)`` called in place of the method ``name`` of a class."""
    method = getattr(owner, name)

    @functools.wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        return around(method, *args, **named)

    setattr(owner, name, called)


def fill(
    owner: Any,
    name: str,
    parameter: str,
    value: Any,
    told: Callable[[], None],
    *,
    others: Collection[str] = (),
    like_default: Any = None,
    only_if: Callable[[], bool] = lambda: True,
) -> None:
    """Gives ``parameter`` of the method ``name`` a ``value`` in calls that leave it and ``others`` open: that
    do not give them, or give their defaults.

    ``like_default``: a value of ``parameter`` that does what its default does; ``told``: is called once that
    is done; ``only_if``: asked in each such call.
    """

    def around(method: Any, *args: Any, **named: Any) -> Any:
        signature = inspect.signature(method)
        call = signature.bind_partial(*args, **named)
        defaults = {each: signature.parameters[each].default for each in (parameter, *others)}
        given = {each: call.arguments.get(each, default) for each, default in defaults.items()}
        if given[parameter] is like_default:
            given[parameter] = defaults[parameter]
        if all(given[each] is default for each, default in defaults.items()) and only_if():
            call.arguments[parameter] = value
            told()
        return method(*call.args, **call.kwargs)

    wrap(owner, name, around)


def nothing(module: Any, value: str, tell: Tell) -> None:
    """The change of a switch that only sets variables."""
