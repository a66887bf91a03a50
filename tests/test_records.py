"""Our frozen dataclasses behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from tfperf_plugin.records import dataclass


@dataclass(frozen=True)
class Ours:
    """Declared by us."""

    name: str
    size: int = 3
    rows: list[int] = dataclasses.field(default_factory=list, repr=False)


@dataclasses.dataclass(frozen=True)
class Theirs:
    """Declared by the standard library."""

    name: str
    size: int = 3
    rows: list[int] = dataclasses.field(default_factory=list, repr=False)


@dataclass(frozen=True, eq=False)
class Single:
    """Equal to nothing else."""

    name: str


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 4), {}),
    (("a", 4, [1]), {}),
    ((), {"name": "a"}),
    (("a",), {"rows": [2]}),
    (("a", 4), {"rows": [2]}),
    ((), {"rows": [2], "size": 1, "name": "b"}),
]
MISTAKES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((), {"size": 1}),
    (("a", 1, [], 4), {}),
    (("a",), {"name": "b"}),
    (("a",), {"other": 1}),
    (("a", 1), {"other": 1}),
    (("a", 1, []), {"other": 1}),
    (("a", 1), {"size": 1}),
    ((), {"name": "a", "size": 1, "other": 2}),
]


@pytest.mark.parametrize(("values", "named"), CALLS)
def test_they_are_made_and_shown_as_theirs(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    ours, theirs = Ours(*values, **named), Theirs(*values, **named)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert repr(ours).removeprefix("Ours") == repr(theirs).removeprefix("Theirs")
    assert ours == Ours(*values, **named)
    assert ours != dataclasses.replace(ours, size=9)
    assert ours.__eq__(theirs) is NotImplemented


@pytest.mark.parametrize(("values", "named"), MISTAKES)
def test_wrong_calls_are_refused(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_they_cannot_be_changed_but_copied() -> None:
    ours = Ours("a", rows=[1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        ours.name = "b"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del ours.name
    assert copy.deepcopy(ours) == pickle.loads(pickle.dumps(ours)) == ours


def test_equal_ones_have_one_hash() -> None:
    assert hash(Ours("a", 1, ())) == hash(Ours("a", 1, ()))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hash(Ours("a", 1, []))
    assert len({Single("a"), Single("a")}) == 2


def test_defaults_are_not_shared() -> None:
    assert Ours("a").rows is not Ours("b").rows


def test_what_all_would_share_is_no_default() -> None:
    class Wrong:
        rows: list[int] = []  # noqa: RUF012

    with pytest.raises(ValueError, match=r"Wrong\.rows"):
        dataclass(frozen=True)(Wrong)


def test_fields_are_not_inherited() -> None:
    class More(Ours):
        more: int

    with pytest.raises(TypeError, match="More inherits fields"):
        dataclass(frozen=True)(More)


def test_their_fields_are_those_of_theirs() -> None:
    def told(kind: type) -> list[tuple[Any, ...]]:
        names = ("name", "type", "default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
        return [tuple(getattr(field, name) for name in names) for field in dataclasses.fields(kind)]

    assert told(Ours) == told(Theirs)
    assert dataclasses.is_dataclass(Ours)
    assert Ours.__match_args__ == Theirs.__match_args__
    assert Ours.size == Theirs.size
    assert not hasattr(Ours, "rows")
    assert dataclasses.replace(Ours("a", 4), size=5) == Ours("a", 5)
