"""Traces that are cut or damaged: what is readable is read, and what is not is said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import numpy as np
import pytest

from tests.fuzz.oracles import assert_sentence
from tests.readers.kineto.traces import (
    BASE_NS,
    BEGIN_NS,
    OF_2022,
    PID,
    Trace,
    read,
    read_damaged,
)
from tfperf_plugin.analysis.launches import lost_launches
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.kineto import blocks
from tfperf_plugin.readers.kineto.events import decode
from tfperf_plugin.trace.model import HostTrace

BEGIN_US = BEGIN_NS // 1000
COUNT = 3_000
"""Of launches in a recording, and of kernels: together two blocks."""


def recording(trace: Trace | None = None, count: int = COUNT) -> Trace:
    """Launches and their kernels, each of 1 µs, every 2 µs."""
    trace = trace or Trace(OF_2022, deviceProperties=[{"id": 0, "name": "NVIDIA A100"}])
    for number in range(count):
        trace.launch(number, 2 * number, 2 * number + 1)
        trace.kernel(f"kernel{number}", number, 2 * number, 2 * number + 1)
    return trace


def anomalies_of(data: bytes) -> tuple[HostTrace, dict[str, int]]:
    """What is read of a file, and how often what was wrong."""
    host, rows = read_damaged(data)
    for row in rows:
        assert_sentence(row.sentence)
    return host, {row.name: row.count for row in rows}


def kernels(host: HostTrace) -> int:
    return sum(len(device.start_ns) for device in host.devices)


# --------------------------------------------------------------------------------------- cut


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_is_read_up_to_there(share: float, packed: bool) -> None:
    data = recording().to_bytes(packed)

    host, anomalies = anomalies_of(data[: int(len(data) * share)])

    assert anomalies == {"cut-off": 1}
    assert kernels(host) == pytest.approx(COUNT * share, rel=0.1)
    assert host.devices[0].name_text == "NVIDIA A100"
    assert (host.devices[0].launch >= 0).all()


@pytest.mark.slow
def test_cut_at_any_byte_nothing_is_lost_but_the_last_event() -> None:
    text = recording(count=3).to_bytes()
    begins = [
        at for at in range(len(text)) if text[at:].startswith(b'"kernel",') and b'"ph": "X"' in text[:at]
    ]
    for cut in range(text.index(b'"dur"') + 400, text.rindex(b"]")):
        host, anomalies = anomalies_of(text[:cut])

        whole = sum(text.find(b"}\n    }", begin) + 7 <= cut for begin in begins)
        assert anomalies == {"cut-off": 1}
        assert kernels(host) == whole


@pytest.mark.parametrize("share", [0.75, 1])
def test_a_cut_recording_ends_with_the_last_work_of_a_gpu(share: float) -> None:
    """PyTorch writes ops before kernels, so a cut file holds later ones."""
    trace = Trace(OF_2022, deviceProperties=[{"id": 0, "name": "NVIDIA A100"}])
    for number in range(COUNT):
        trace.op("aten::mm", 2 * number, 2 * number + 2)
    data = recording(trace).to_bytes()

    host, _ = anomalies_of(data[: int(len(data) * share)])

    last, ops = host.devices[0].end_ns.max(), host.events.named(lambda name: name == "aten::mm")
    assert (host.events.end_ns.max() > last) == (share == 1)
    assert ops.sum() == pytest.approx(kernels(host), abs=1)


def test_of_a_packed_file_that_was_changed_inside_the_begin_is_read() -> None:
    data = bytearray(recording(count=10_000).to_bytes(packed=True))
    data[len(data) // 2] ^= 0xFF

    host, anomalies = anomalies_of(bytes(data))

    assert {"cut-off", "damaged-file"} & set(anomalies)
    assert kernels(host) >= 4_000


def test_several_packed_files_behind_each_other_are_one() -> None:
    text = recording().to_bytes()
    half = len(text) // 2

    host, anomalies = anomalies_of(gzip.compress(text[:half]) + gzip.compress(text[half:]))

    assert (kernels(host), anomalies) == (COUNT, {})


# ------------------------------------------------------------------------------ damaged places

BAD = [
    ("no UTF-8", b'"name": "kernel7"', b'"name": "ker\xffnel7"', "ker\ufffdnel7"),
    ("a name cut within a letter", b'"name": "kernel7"', b'"name": "kern\xe2\x82"', "kern\ufffd"),
    ("control characters", b'"name": "kernel7"', b'"name": "ker\tnel\x01\n7"', "ker nel  7"),
    ("bad escapes", b'"name": "kernel7"', rb'"name": "C:\python\x7"', "C:\\python\\x7"),
    ("half of a pair", b'"name": "kernel7"', rb'"name": "\ud83d7"', "\\ud83d7"),
    ("N/A", b'"context": 1', b'"context": N/A', "kernel7"),
    ("nan", b'"context": 1', b'"context": nan', "kernel7"),
    ("-Infinity", b'"context": 1', b'"context": -Infinity', "kernel7"),
    ("NaN in a list", b'"context": 1', b'"context": [NaN, 1, inf]', "kernel7"),
    ("a number as name", b'"name": "kernel7"', b'"name": 7', "7"),
    ("a number too large", b'"context": 1', b'"context": 1' + b"0" * 9000, "kernel7"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "name"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
@pytest.mark.parametrize("everywhere", [False, True])
def test_what_json_does_not_have_is_replaced(
    before: bytes, after: bytes, name: str, everywhere: bool
) -> None:
    text = recording().to_bytes()
    at = text.index(b'"name": "kernel7"')
    text = text.replace(before, after) if everywhere else text[:at] + text[at:].replace(before, after, 1)

    host, anomalies = anomalies_of(text)

    assert (kernels(host), anomalies) == (COUNT, {})
    assert name in host.devices[0].names
    assert (host.devices[0].launch == np.arange(COUNT)).all()


def test_a_bare_quote_in_arguments_costs_the_arguments() -> None:
    text = recording().to_bytes()
    at = text.index(b'"name": "kernel7"')
    text = text[:at] + text[at:].replace(b'"context": 1', b'"context": "a "b" c"', 1)

    host, anomalies = anomalies_of(text)

    # Without its arguments it is on no known GPU.
    assert (kernels(host), anomalies) == (COUNT - 1, {"damaged-arguments": 1})


@pytest.mark.parametrize(
    "bad", ["5", "null", '"a"', "[1, [2]]", "{}", "true", "-", "{]", '{"ph": 5}', '{"ph": "?"}']
)
def test_what_is_no_event_is_left_out(bad: str) -> None:
    text = recording(count=50).text()
    at = text.index('{\n    "ph": "X"', len(text) // 2)

    host, anomalies = anomalies_of(f"{text[:at]}{bad}, {text[at:]}".encode())

    assert kernels(host) >= 49
    assert set(anomalies) <= {"damaged-event"}


@pytest.mark.parametrize(
    "args", ["null", "[]", "5", '"x"', '{"correlation": [[1]]}', '{"dtype": {}}', '{"stream": "a"}']
)
def test_arguments_of_any_form(args: str) -> None:
    trace = recording(count=3)
    trace.events.append(f'{{"ph": "X", "name": "odd", "ts": {BEGIN_US}, "dur": 1, "args": {args}}}')

    host, anomalies = anomalies_of(trace.to_bytes())

    assert "odd" in [host.events.names[code] for code in host.events.name]
    assert set(anomalies) <= {"damaged-arguments"}


@pytest.mark.parametrize(
    "value", ["null", "true", "[1]", "{}", "1.5", '"x"', "1e400", "9" * 400, str(1 << 63)]
)
@pytest.mark.parametrize(
    "event", ['"ph": "X", "cat": "kernel", "dur": 1', '"ph": "i", "name": "[memory]"', '"ph": "M"']
)
@pytest.mark.parametrize("field", ["pid", "tid", "name", "cat", "ts", "dur", "args", "id"])
def test_fields_of_any_form(event: str, field: str, value: str) -> None:
    trace = recording(count=20)
    known = {} if field == "ts" else {"ts": BEGIN_US}
    odd = json.dumps(known)[:-1] + (", " if known else "") + f'{event}, "{field}": {value}}}'
    trace.events.append(odd)

    host, anomalies = anomalies_of(trace.to_bytes())

    assert kernels(host) in (20, 21)
    assert set(anomalies) <= {
        "damaged-event", "damaged-arguments", "impossible-time", "negative-duration",
    }  # fmt: skip


@pytest.mark.parametrize(
    "field",
    ["correlation", "device", "stream", "bytes", "grid", "Input Dims", "Group size", "Ev Idx", "Rank"],
)
@pytest.mark.parametrize(
    "value", ["null", "true", "[1]", "{}", "1.5", '"x"', "1e400", "9" * 400, str(1 << 63)]
)
def test_arguments_of_any_value(field: str, value: str) -> None:
    trace = recording(count=3)
    odd = f'"ph": "X", "cat": "kernel", "name": "odd", "ts": {BEGIN_US}, "dur": 1'
    trace.events.append(f'{{{odd}, "args": {{"{field}": {value}}}}}')

    host, anomalies = anomalies_of(trace.to_bytes())

    assert kernels(host) >= 3
    assert set(anomalies) <= {"damaged-event", "damaged-arguments"}


def odd_time(**fields: object) -> dict[str, int]:
    """What is said of an op with this ``ts`` and ``dur``."""
    trace = recording(Trace(OF_2022), 3)
    event = {"ph": "X", "cat": "cpu_op", "name": "odd", "pid": 1, "tid": 2, "ts": BEGIN_US, "dur": 1} | fields
    trace.events.append(json.dumps(event))
    host, anomalies = anomalies_of(trace.to_bytes())
    assert kernels(host) == 3
    known = "odd" in [host.events.names[code] for code in host.events.name]
    assert known == ("impossible-time" not in anomalies)
    return anomalies


@pytest.mark.parametrize(
    "time", [None, "", "soon", [1], {}, 1e300, -1e300, 1 << 62, 1 << 70, -(1 << 63), 10**400]
)
def test_an_event_without_a_possible_time_is_left_out(time: object) -> None:
    assert odd_time(ts=time) == {"impossible-time": 1}


@pytest.mark.parametrize("length", [None, "", -5, -1e300, [2], 1e300, 1 << 62, 10**400])
def test_an_event_without_a_possible_length_has_none(length: object) -> None:
    assert odd_time(dur=length) == {"negative-duration": 1}


def test_events_years_apart_are_no_recording() -> None:
    trace = recording(Trace(OF_2022), 3)
    trace.op("late", 1e14, 1e14 + 5)

    with pytest.raises(NotJudgeable, match="days apart"):
        read_damaged(trace)


@pytest.mark.parametrize("launches", [1, 10])
def test_processes_that_were_merged_are_not_told_as_one(launches: int) -> None:
    """Ten launches of one process, and one of a damaged number, or as many of another one."""
    trace = Trace()
    for number in range(10 + launches):
        call = {"pid": PID + (number >= 10), "tid": 1, "args": {"correlation": number + 1}}
        trace.add("X", "cudaLaunchKernel", 10 * number, 10 * number + 5, cat="cuda_runtime", **call)
        trace.kernel("gemm", number + 1, 10 * number + 6, 10 * number + 9)

    if launches == 1:
        assert len(read(trace).devices[0].start_ns) == 11
    else:
        with pytest.raises(NotJudgeable, match="2 processes launch work in this one trace"):
            read(trace)


# --------------------------------------------------------------- events that are hard to cut apart


def lists(number: int) -> object:
    return [{"name": f"x{number}", "ph": [{"name": 1}, {"name": 2}]}, {"ph": "X"}, [], {}]


def text_of_objects(number: int) -> object:
    return f'}}, {{"name": "{number}"}}, {{ ] }} \\" [{{'


@pytest.mark.parametrize("odd", [lists, text_of_objects], ids=["lists of objects", "texts like objects"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("block", [1 << 12, 1 << 13, 1 << 20])
def test_events_that_look_like_several_are_one(
    odd: Callable[[int], object], packed: bool, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block)
    trace = Trace(OF_2022)
    for number in range(COUNT):
        trace.launch(number, 2 * number, 2 * number + 1)
        trace.kernel(f"kernel{number}", number, 2 * number, 2 * number + 1, odd=odd(number))

    host, anomalies = anomalies_of(trace.to_bytes(packed))

    assert (kernels(host), anomalies) == (COUNT, {})
    assert (host.devices[0].launch == np.arange(COUNT)).all()


def test_events_may_begin_with_any_field() -> None:
    """As programs write them that read a trace and change it."""
    trace = recording(Trace(OF_2022), 10_000)
    trace.events = [event.replace("{", '{"a new field": 5,', 1) for event in trace.events]

    host, anomalies = anomalies_of(trace.to_bytes())

    assert (kernels(host), anomalies) == (10_000, {})


def test_an_event_of_many_megabytes_is_left_out() -> None:
    trace = recording(count=20)
    trace.op("aten::cat", 0, 100, more="x" * 5_000_000)
    trace.op("aten::mm", 10, 20)

    host, anomalies = anomalies_of(trace.to_bytes())

    assert kernels(host) == 20
    assert set(anomalies) == {"damaged-event"}
    assert [name for name in host.events.names if name.startswith("aten::")] == ["aten::mm"]


# --------------------------------------------------------------------------- what is beside the events


@pytest.mark.parametrize(
    "properties",
    [
        "null",
        "5",
        "[]",
        "[5, null]",
        '[{"id": "a"}]',
        '[{"id": 0, "name": 5, "totalGlobalMem": "x"}]',
        '[{"id": 0, "numSms": N/A}]',
        "[[[]]",
        '{"id": 0}',
        '[{"id": 0, "totalGlobalMem": 1e999, "numSms": -1}]',
        '[{"id": 0, "totalGlobalMem": %s, "computeMajor": true}]' % ("9" * 30),
    ],
)
def test_odd_properties_of_gpus(properties: str) -> None:
    trace = recording(Trace(OF_2022), 3)
    trace.memory(5, 512, Total_Allocated=512)
    text = trace.text().replace('"deviceProperties": []', f'"deviceProperties": {properties}')

    host, anomalies = anomalies_of(text.encode())

    assert (kernels(host), anomalies) == (3, {})
    assert host.memory.allocated_bytes.tolist() == [512]


@pytest.mark.parametrize(
    ("stated", "ranks"),
    [("8", 8), ("null", 0), ("-1", 0), ("true", 0), ("1e99", 0), ("[8]", 0), ("9" * 30, 0), ('"8"', 0)],
)
def test_the_ranks_of_the_job_are_a_possible_number_or_not_known(stated: str, ranks: int) -> None:
    text = recording(Trace(OF_2022), 3).text()
    info = f'{{"distributedInfo": {{"rank": 0, "world_size": {stated}}}, '

    host, anomalies = anomalies_of((info + text.lstrip()[1:]).encode())

    assert (kernels(host), anomalies, host.collective_ranks) == (3, {}, ranks)


# --------------------------------------------------------------------------------- what is no trace


HEAD = b'{"schemaVersion": 1, "deviceProperties": [], '


@pytest.mark.parametrize(
    "data",
    [
        HEAD, HEAD + b'"traceEvents": [', HEAD + b'"traceEvents": []}', HEAD + b'"traceEvents": null}',
        HEAD + b'"traceEvents": [5, 6, "a"]}', HEAD + b'"traceEvents": {"a": 1}}', HEAD + b"\0" * 100_000,
        HEAD + b'"traceEvents": [' + b"[" * 1_000_000, HEAD + b'"traceEvents": [' + b'{"ph": ' * 100_000,
        HEAD + b" " * 1_000_000, HEAD + b'"traceEvents": [' + b"}, {" * 100_000,
        HEAD + b'"traceEvents": [' + b'"' * 100_001, HEAD + b'"a": ' + b"[" * 1_000_000,
        gzip.compress(HEAD + b" " * 100_000_000), gzip.compress(HEAD)[:20], gzip.compress(b"")[:5] + HEAD,
        gzip.compress(HEAD) + b"\0" * 1000,
    ],
    ids=lambda data: f"{len(data)} bytes",  # packed files hold the time, and workers must name tests alike
)  # fmt: skip
def test_what_holds_no_events_is_said_in_a_sentence(data: bytes) -> None:
    with pytest.raises(UnreadableInput) as raised:
        decode(data, Anomalies())

    assert_sentence(raised.value)


def test_a_gzip_that_inflates_to_too_much_is_no_trace() -> None:
    text = HEAD + b'"traceEvents": [' + b'{"ph": "X", "ts": 1, "name": "a"},' * 3_000_000

    with pytest.raises(UnreadableInput, match=r"more than a trace can hold|more events than"):
        read(gzip.compress(text, 9))


def test_a_file_of_long_names_that_are_all_different_is_no_trace() -> None:
    event = '{"ph": "X", "ts": 1, "name": "' + "x" * 1000 + '%d"}'
    text = HEAD + b'"traceEvents": [' + ", ".join(event % number for number in range(20_000)).encode() + b"]}"

    with pytest.raises(UnreadableInput, match="more than a trace can hold"):
        read(gzip.compress(text))


def test_of_a_file_that_is_damaged_everywhere_only_a_part_is_read() -> None:
    text = recording(count=50_000).to_bytes().replace(b'"name": "k', b'"name": "k"')

    host, anomalies = anomalies_of(gzip.compress(text))

    assert anomalies["damaged-file"] == 1
    assert 1_000 < anomalies["damaged-event"] < 50_000
    assert 0 <= len(host.events.start_ns) - anomalies["damaged-event"] < 20  # in the order of the file


def test_kernels_without_times_are_left_out() -> None:
    """CUPTI can lose the times of kernels, which then stand at 0."""
    trace = recording()
    whole = kernels(read_damaged(trace)[0])
    trace.launch(7000, 5, 6)
    trace.kernel("lost", 7000, -(BEGIN_NS - BASE_NS) / 1000, -(BEGIN_NS - BASE_NS) / 1000)
    host, anomalies = anomalies_of(trace.to_bytes())

    assert kernels(host) == whole
    assert anomalies == {"impossible-time": 1}
    assert lost_launches(host).sum() == 1
