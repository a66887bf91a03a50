"""Recordings that are incomplete, cut, unmarked or foreign, and healthy ones that look like them.

Each holds what an expert says of it before a report is made: what it lacks, and which cause it still shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from demo.build import training
from demo.formats import KINETO, NSIGHT, XSPACE, Format
from demo.simulator import damages, files
from demo.simulator.captured import Damage
from demo.simulator.models import Transformer
from demo.simulator.training import Collector, Communication, Training

XLA, TORCH, NSYS = "TensorFlow, JAX", "PyTorch", "Nsight Systems"
FORMATS: Final[Mapping[str, Format]] = {XLA: XSPACE, TORCH: KINETO, NSYS: NSIGHT}
UNREADABLE: Final = "unreadable"
_MISSING: Final = "events-dropped: kernels are missing"
_NO_GPU: Final = "no-device-events"
_TIMES: Final = "impossible-time"


@dataclass(frozen=True)
class Recording:
    """One recording. ``says``: ids of what the report must say of it, none of a healthy one; see ``said``.

    ``finds``: rules whose causes it still shows. ``may``: rules that are true of it, too. ``file``: what
    happens to the written file. ``apart``: each host's file lies in a folder of its own. ``stepped``: whether
    steps of the training can be told.
    """

    name: str
    training: Training
    says: tuple[str, ...] = ()
    finds: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    formats: tuple[str, ...] = tuple(FORMATS)
    file: files.FileDamage | None = None
    apart: bool = False
    stepped: bool = True


def recordings() -> Iterator[Recording]:
    """All of them, the damaged ones first."""
    yield from _damaged(training("healthy_single_gpu"))
    for found in _damaged(training("input_bound"), ("input-bound",)):
        yield replace(found, name=f"{found.name}, input-bound")
    yield from _of_several_gpus()
    yield from _unmarked()
    yield from _on_cpu()
    yield from _foreign()
    yield from _harmless()


def _with(scenario: Training, *lost: Damage, **collector: Any) -> Training:
    return replace(scenario, collector=replace(scenario.collector, damages=lost, **collector))


def _gpu_alone(scenario: Training) -> Training:
    """Without marks and all else that the host does but launch."""
    return replace(scenario, markers=False, collector=Collector(host_level=1))


def _damaged(whole: Training, finds: tuple[str, ...] = ()) -> Iterator[Recording]:
    """Whatever a training on one GPU may lose; ``finds``: what it shows as a whole."""
    for name, part in (("first", (0.0, 0.4)), ("middle", (0.3, 0.6)), ("last", (0.6, 1.0))):
        yield Recording(
            f"the {name} kernels lost", _with(whole, damages.kernels_lost(*part)), (_MISSING,), finds
        )
    timeless = _with(whole, damages.times_lost(0.3, 0.6))
    yield Recording("kernels at time 0", timeless, (_MISSING,), finds, formats=(XLA,))
    yield Recording("kernels at time 0", timeless, (_MISSING, _TIMES), finds, formats=(TORCH, NSYS))
    behind = _with(whole, damages.lane_shifted(-40_000_000))
    idle = ("unexplained-idle",) if finds else ()  # why, no clock tells
    yield Recording("the GPU's clock 40 ms behind", behind, ("events-dropped: clocks differ",), idle)
    yield Recording("the file's end missing", whole, (UNREADABLE,), formats=(XLA, NSYS), file=files.cut)
    cut = Recording("the file's end missing", whole, ("cut-off",), finds, (), (TORCH,), files.cut)
    yield cut
    yield replace(cut, name="the file cut and closed again", says=(_MISSING,), file=files.closed_again)
    yield Recording("CUDA not traced", _with(whole, damages.cuda_untraced), (_NO_GPU,), finds)
    alone = replace(whole, markers=False, collector=Collector(device_events=False))
    yield Recording("the host alone, no step marked", alone, (_NO_GPU,), finds)


def _of_several_gpus() -> Iterator[Recording]:
    links = Communication(network_gbps=20.0, call_ns=20_000, hop_ns=1_500, network_hop_ns=6_000)
    healthy = replace(training("healthy_single_gpu"), hosts=4, communication=links)
    exposed = training("allreduce_exposed")
    lacks = ("one-host-of-many",)
    yield Recording("one rank of four", replace(healthy, recorded_hosts=1), lacks)
    yield Recording(
        "one rank of four, exchange exposed",
        replace(exposed, gpus=1, hosts=4, recorded_hosts=1),
        lacks,
        finds=("communication-bound",),
        may=("attention-unfused",),
    )
    joined = ("one-host-of-many: hosts lie in folders of their own",)
    yield Recording("hosts in folders seconds apart", healthy, joined, formats=(XLA, TORCH), apart=True)
    yield Recording(
        "the exchange's stream lost",
        _with(exposed, damages.kernels_lost(0, 1, "nccl")),
        (_MISSING,),
        may=("attention-unfused", "too-few-steps"),
    )


def _unmarked() -> Iterator[Recording]:
    healthy = training("healthy_single_gpu")
    alone = _gpu_alone(healthy)
    perhaps = ("no-step-markers",)  # where no name of a kernel tells a training, its steps may be layers
    layered = replace(alone, model=Transformer(batch=8, layers=12, hidden=768))
    yield Recording("12 equal layers a step, unmarked", layered, may=("attention-unfused", *perhaps))
    two = replace(alone, gpus=2, communication=Communication(call_ns=20_000, hop_ns=1_500))
    early = _with(two, damages.first_step_early(0, 19_000_000))
    yield Recording("one GPU's first step early, unmarked", early, may=perhaps)
    ranks = _with(replace(two, gpus=1, hosts=2), damages.first_step_early(0, 19_000_000))
    yield Recording("the first step of two ranks early, unmarked", ranks, may=perhaps, formats=(TORCH,))
    long = _gpu_alone(training("step_outliers"))
    yield Recording("some steps long, unmarked", long, finds=("step-outliers",), may=perhaps)
    waiting, idle = _gpu_alone(training("input_bound")), ("unexplained-idle",)
    copies = ("excessive-memcpy", *perhaps)
    yield Recording("the GPU alone, input-bound", waiting, (), idle, copies, (XLA, NSYS))
    yield Recording("the GPU alone, input-bound", waiting, ("framework ops",), idle, copies, (TORCH,))
    single = _with(alone, damages.one_kernel)
    yield Recording("one kernel is the recording", single, ("no-step-markers",), stepped=False)
    epoch = replace(_with(healthy, damages.epochs_marked(40)), steps=40)
    yield Recording("an epoch marked as a step", epoch)


def _on_cpu() -> Iterator[Recording]:
    plain = training("gpu_not_used")
    finds = ("gpu-not-used",)
    early, anew = (_with(plain, damages.on_cpu_of_jax(anew)) for anew in (False, True))
    yield Recording("JAX on the CPU, calls return early", early, finds=finds, formats=(XLA,))
    again = (*finds, "xla-recompilation")
    yield Recording("JAX on the CPU, jitted anew", anew, finds=again, formats=(XLA,))
    eager = replace(plain, eager=True, generation="trace", markers=False)
    yield Recording("an eager loop on the CPU", eager, finds=finds, formats=(XLA,))
    by_hand = replace(plain, markers=False)
    yield Recording(
        "an unmarked loop on the CPU", by_hand, finds=finds, formats=(TORCH,), file=files.without_annotations
    )


def _foreign() -> Iterator[Recording]:
    healthy = training("healthy_single_gpu")
    for kind in ("mtia", "hpu"):
        damage = files.on_accelerator(kind)
        yield Recording(f"on an {kind.upper()}", healthy, (kind.upper(),), formats=(TORCH,), file=damage)
    yield Recording("on a TPU", healthy, ("TPU",), formats=(XLA,), file=files.on_tpu)
    idle = _with(healthy, damages.nothing_launched)
    yield Recording("nothing launched", idle, (f"{_NO_GPU}: nothing was launched",))
    yield Recording("an empty file", healthy, (UNREADABLE,), file=files.emptied)
    yield Recording("a file in UTF-16", healthy, (UNREADABLE,), formats=(TORCH,), file=files.in_utf_16)


def _harmless() -> Iterator[Recording]:
    """Healthy ones, most of which look as if something were missing."""
    healthy = training("healthy_single_gpu")
    yield Recording("nothing missing", healthy)
    yield Recording("the last two kernels still running", _with(healthy, damages.last_kernels_lost(2)))
    yield Recording("launched before the recording", _with(healthy, damages.launches_lost(0, 0.3)))
    ahead = replace(_with(healthy, keeps_older=True), readback_lag=4)
    yield Recording("work of four earlier steps at the start", ahead)
    yield Recording("the GPU alone, unmarked", _gpu_alone(healthy), may=("no-step-markers",))
    several = replace(_with(healthy, damages.epochs_marked(4)), steps=40)
    yield Recording("four updates in a marked step", several, stepped=False)
    messages = ("No OpenGL events were collected.", "Unified Memory cannot be traced.")
    yield Recording("messages of no weight", _with(healthy, warnings=messages), formats=(XLA, NSYS))
    for name, file in (
        ("saved with a byte order mark", files.with_byte_order_mark),
        ("copies without their GPU", files.without_devices),
        ("on a GPU of Intel", files.on_xpu),
    ):
        yield Recording(name, healthy, formats=(TORCH,), file=file)
