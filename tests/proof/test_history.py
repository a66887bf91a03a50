"""The history of measurements: a file that only grows, whatever happens beside it."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.proof.effect import LEAST_CHANGES, equal_changes, floor
from tfperf_plugin.proof.history import (
    MAX_BYTES,
    MAX_FILE_BYTES,
    Row,
    append,
    default_file,
    floor_of,
    read,
    workload,
)

ROW = Row(
    "2026-11-21T06:21:58Z", "abc", "1f2e3d", {"python": "3.11.7"}, {"XLA_FLAGS": "--x=1"}, 12.5, 0.02,
    {"compute": 10.5, "idle.input": 2.0}, ("input-bound",), "better", -0.1, (0.01, -0.02), 0.3,
)  # fmt: skip


def test_rows_come_back_in_order(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "history.jsonl"
    assert read(file).rows == ()

    append(ROW, file)
    append(replace(ROW, workload="other"), file)

    assert read(file).rows == (ROW, replace(ROW, workload="other"))
    assert file.stat().st_mode & 0o077 == 0


def test_the_users_history_is_in_the_folder_for_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    append(ROW)
    assert read().rows == (ROW,)
    assert default_file() == tmp_path / "tfperf" / "history.jsonl"

    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_file() == tmp_path / "home" / ".local" / "state" / "tfperf" / "history.jsonl"


@settings(max_examples=50, deadline=None)
@given(
    st.text(max_size=2000), st.dictionaries(st.text(max_size=200), st.text(max_size=2000), max_size=40),
    st.lists(st.text(max_size=100), max_size=60),
)  # fmt: skip
def test_a_line_is_never_longer_than_a_kilobyte(
    tmp_path_factory: pytest.TempPathFactory, text: str, named: dict[str, str], names: list[str]
) -> None:
    file = tmp_path_factory.mktemp("history") / "history.jsonl"
    accounts = dict.fromkeys(named, 1 / 3)
    append(Row(text, text, text, named, named, 1 / 3, 0.1, accounts, tuple(names), text), file)

    data = file.read_bytes()
    assert len(data) <= MAX_BYTES
    assert data.count(b"\n") == 1
    (row,) = read(file).rows
    assert row.ms == pytest.approx(1 / 3, rel=1e-4)


def test_damaged_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    append(ROW, file)
    with file.open("ab") as opened:
        opened.write(b'\xff\xfe\n\n[1]\n{"time": "x"}\n' + b"[" * 5000 + b'\n{"time": "cut')
    append(ROW, file)

    found = read(file)
    assert found.rows == (ROW, ROW)
    assert found.skipped == 5


def add(file: Path) -> None:
    for _ in range(50):
        append(ROW, file)


def test_several_processes_add_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(add, [file] * 4))

    assert read(file).rows == (ROW,) * 200
    assert read(file).skipped == 0


@pytest.mark.parametrize(
    "odd",
    [
        '"equal":[800,900,1000]', '"equal":[1e308]', '"equal":[-11]', '"equal":[NaN]', '"ms":-1',
        '"ms":1e300', '"ms":1e999', '"ms":"12"', '"sd":50', '"change":-1', '"change":1e9', '"load":-3',
        '"accounts":{"compute":1e200}', '"findings":["' + "x" * 2000 + '"]',
    ],
)  # fmt: skip
def test_numbers_that_nobody_measured_cost_their_line_only(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "history.jsonl"
    append(ROW, file)
    with file.open("a") as opened:
        opened.write(f'{{"time":"a","workload":"w",{odd}}}\n')
    append(ROW, file)

    assert read(file).rows == (ROW, ROW)
    assert read(file).skipped == 1


def test_what_is_no_history_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b"\n" * (MAX_FILE_BYTES + 1))

    with pytest.raises(UnreadableInput, match="is larger than anything tfperf writes there"):
        read(file)
    with pytest.raises(UnreadableInput, match=r"cannot be read: it is no file any more\."):
        read(tmp_path)
    with pytest.raises(UnreadableInput, match=r"cannot be written: Is a directory\."):
        append(ROW, tmp_path)


def test_equal_changes_are_those_of_the_same_workload(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    for row in (ROW, replace(ROW, workload="other", equal=(0.5,)), replace(ROW, equal=(0.03,))):
        append(row, file)

    assert floor_of("abc", file) == (0.01, -0.02, 0.03)
    assert floor_of("none", file) == ()


def test_workloads_are_equal_where_what_is_known_is() -> None:
    known = workload({"MatMul": 3}, 1000, "float32", 64, ["A100"])

    assert known == workload(None, 1000, "float32", 64, ["A100"])
    others = [
        workload({"MatMul": 3}, None, "float32", 64, ["A100"]),
        workload(None, 1001, "float32", 64, ["A100"]),
        workload(None, 1000, "bfloat16", 64, ["A100"]),
        workload(None, 1000, "float32", 65, ["A100"]),
        workload(None, 1000, "float32", 64, ["A100", "A100"]),
    ]
    assert len({known, *others}) == 6


def test_the_floor_is_above_all_that_equal_launches_differed_by() -> None:
    assert equal_changes([1.0, 3.0, 10.0, 9.0, 5.0]) == (2.0, -1.0)
    assert floor([0.01] * (LEAST_CHANGES - 1)) is None
    assert floor([0.01, -0.01] * 6) == pytest.approx(0.01 * 3.055)
    assert floor([0.01, -0.01] * 6 + [0.2]) == pytest.approx(0.4)
    many = floor([0.01, -0.01] * 100)
    assert many is not None
    assert many < 0.03


def test_the_floor_is_seldom_passed_by_blocks_of_equal_launches() -> None:
    """Also where each launch resembles the one before, as on a machine whose load comes and goes."""
    false = 0
    for seed in range(300):
        draw = random.Random(seed)
        state, levels = 0.0, []
        for _ in range(24 + 12):
            state = 0.7 * state + draw.gauss(0, 0.02)
            levels.append(16 + state + draw.gauss(0, 0.02))
        limit = floor(equal_changes(levels[:24]))
        assert limit is not None
        before, after = levels[24:30], levels[30:]
        false += abs(sum(after) - sum(before)) / 6 > limit
    assert false <= 6
