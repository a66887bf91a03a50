"""What cells the matrix has; ``make matrix`` tries all of them, and the suite the one that needs least, in a
browser (``tests/e2e/test_wheel.py``)."""

from __future__ import annotations

import re

import pytest

from tests.conftest import REPOSITORY
from tests.matrix import environment
from tests.matrix.cells import CELLS, OLDEST, Cell


def test_lower_bounds_are_those_that_are_tried() -> None:
    text = (REPOSITORY / "setup.py").read_text(encoding="utf-8")
    (block,) = re.findall(r"install_requires=\[(.*?)\]", text.replace("[epath]", ""), re.DOTALL)
    stated = dict(re.findall(r'"([a-z]+)>=([0-9.]+)', block))
    tried = dict(re.findall(r"([a-z]+)==([0-9.]+)\.\*", " ".join(OLDEST).replace("[epath]", "")))

    assert stated
    assert stated == {name: tried[name] for name in stated}


def test_cells_cover_with_and_without() -> None:
    def pairs(cells: tuple[Cell, ...]) -> set[tuple[bool, bool]]:
        return {(cell.profile, cell.tensorflow) for cell in cells}

    for age in ("oldest", "newest"):
        mine = tuple(cell for cell in CELLS if cell.name.startswith(age))
        assert {(False, False), (True, False), (True, True)} <= pairs(mine)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, ["report.a[1]: 2 and 3"]),
        ({"a": 1.0}, {"a": 1.0 + 1e-13}, []),
        ({"a": 1.0}, {"a": 1.001}, ["report.a: 1.0 and 1.001"]),
        ({"a": 1}, {"a": 1.0}, ["report.a: 1 and 1.0"]),
        ({"a": [1]}, {"a": []}, ["report.a: 1 and 0 items"]),
    ],
)
def test_what_counts_as_different(one: object, other: object, said: list[str]) -> None:
    assert environment.differences(one, other) == said
