"""Each host's profile has a clock of its own; the truth tells by how much they differ."""

import pytest

from demo.simulator import Simulation, Training, simulate
from demo.simulator.models import ConvNet
from demo.simulator.training import HostClocks
from demo.xspace_writer import XSpaceMessage
from tests.demo.reading import events

CLOCKS = HostClocks(errors_ns=(500_000, 2_000_000, -3_000_000), start_lags_ns=(0, 4_000_000, -2_000_000))
TRAINING = Training(
    model=ConvNet(batch=256, blocks_per_stage=1), gpus=2, hosts=4, steps=5, clocks=CLOCKS, jitter=0.03
)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(TRAINING)


def wall_clock_ns(simulation: Simulation, host: str) -> int | None:
    space = XSpaceMessage.FromString(simulation.files[host])
    for plane in space.planes:
        names = {key: value.name for key, value in plane.stat_metadata.items()}
        for stat in plane.stats:
            if names[stat.metadata_id] == "profile_start_time":
                return int(stat.int64_value)
    return None


def test_the_common_end_of_a_collective_differs_by_the_true_offset(simulation: Simulation) -> None:
    truth = simulation.truth
    items = [item for item in truth.collectives if item.step in truth.complete]
    assert len(items) >= 8

    for host, offset_ns in truth.clock_offsets_ns.items():
        for gpu in range(2):
            rows = [
                row for row in events(simulation, host, f"/device:GPU:{gpu}") if row.name.startswith("nccl")
            ]
            spans = {(row.start_ps // 1000 + offset_ns, row.end_ps // 1000 + offset_ns) for row in rows}
            assert {(item.arrivals_ns[host, gpu], item.end_ns) for item in items} <= spans


def test_the_wall_clock_is_off_by_its_error(simulation: Simulation) -> None:
    first = wall_clock_ns(simulation, "worker0")
    assert first is not None
    for number, (host, offset_ns) in enumerate(simulation.truth.clock_offsets_ns.items()):
        clock = wall_clock_ns(simulation, host)
        assert clock is not None
        assert clock - first == offset_ns + CLOCKS.error_ns(number) - CLOCKS.error_ns(0)


def test_old_profilers_do_not_tell_the_wall_clock() -> None:
    simulation = simulate(Training(model=TRAINING.model, hosts=2, steps=2, generation="old"))

    assert [wall_clock_ns(simulation, host) for host in simulation.files] == [None, None]


def test_steps_of_each_host_are_on_its_own_clock(simulation: Simulation) -> None:
    truth = simulation.truth
    for host, offset_ns in truth.clock_offsets_ns.items():
        rows = events(simulation, host, "/host:CPU")
        begins = {row.start_ps // 1000 for row in rows if row.name == "Profiled batch"}
        steps = [step for step in truth.steps[host] if step.number in truth.complete]
        assert {step.begin_ns for step in steps} <= begins
        assert all(step.begin_ns + offset_ns > truth.capture_begin_ns for step in steps if offset_ns >= 0)
