"""Which framework a profile shows, and whether XLA compiled what the GPUs run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Host, Stats, decoded, each, inputs
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, View
from tfperf_plugin.analysis.artifacts.capture.framework import Framework, finish, part
from tfperf_plugin.analysis.finding_steps.find import host_steps

JAX: Stats = {"hlo_module": "jit_train_step", "program_id": 3, "hlo_op": "fusion.1"}


def of(host: Host) -> Framework:
    return inputs(host).of(Framework)


def test_calls_and_programs_of_jax() -> None:
    host = Host()
    each(3, 100, lambda at: host.event("PjitFunction(train_step)", at, at + 1))
    each(3, 100, lambda at: host.kernel(at + 1, at + 80, stats=JAX))

    assert of(host) == Framework("JAX", compiled=True, tf_data=False)


def test_ops_of_tensorflow_are_enough_where_nothing_speaks_of_another() -> None:
    host = Host()
    host.kernel(0, 80, op="dense/MatMul:MatMul")
    of_pytorch = Host()
    of_pytorch.event("aten::mm", 0, 1)
    of_pytorch.kernel(0, 80, op="dense/MatMul:MatMul")

    assert of(host).name == "custom loop"
    assert of(of_pytorch).name == "PyTorch"


def test_programs_of_jax_are_enough() -> None:
    host = Host()
    host.kernel(0, 80, stats=JAX)

    assert of(host).name == "JAX"


def test_functions_of_tensorflow_beside_jax_prepare_data() -> None:
    host = Host()
    each(3, 100, lambda at: host.event("FunctionRun", at, at + 5, id=7 + int(at)))
    each(3, 100, lambda at: host.event("PjitFunction(train_step)", at + 5, at + 6))
    each(3, 100, lambda at: host.kernel(at + 6, at + 80, stats=JAX, launch=(at + 5.2, at + 5.4)))

    assert of(host).name == "JAX"
    assert inputs(host).steps.source == "jit_calls"


def test_a_function_of_jax_beside_a_training_of_tensorflow_is_not_the_program() -> None:
    host = Host()
    host.event("PjitFunction(resize)", 0, 1)
    host.kernel(1, 2, stats=JAX)
    each(3, 100, lambda at: host.event("FunctionRun", at + 5, at + 90, id=7 + int(at)))
    each(3, 100, lambda at: host.kernel(at + 6, at + 80))

    assert of(host) == Framework("custom loop", compiled=False, tf_data=False)


@pytest.mark.parametrize("name", ["Profiled batch", "train_function", "one_step_on_data_distributed"])
def test_keras_has_names_of_its_own(name: str) -> None:
    host = Host()
    host.event(name, 0, 50, tf_function_call="notTraced-nonXla")

    assert of(host).name == "Keras"


def test_tensorflow_compiled_by_xla() -> None:
    host = Host()
    host.event("FunctionRun", 0, 90, id=7)
    host.kernel(1, 60, stats={"hlo_module": "cluster_0__XlaCompiledKernel", "hlo_op": "fusion.1"})
    host.kernel(60, 80)

    assert of(host) == Framework("custom loop", compiled=True, tf_data=False)


def test_kernels_alone_say_nothing() -> None:
    host = Host()
    host.kernel(0, 80)

    assert of(host) == Framework("", compiled=False, tf_data=False)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("jax-mi300x", Framework("JAX", compiled=True, tf_data=False)),
        ("GPU-multi-worker", Framework("custom loop", compiled=False, tf_data=True)),
        ("tf-cpu-input", Framework("Keras", compiled=False, tf_data=True)),
    ],
)
def test_real_profiles(real_profile: Callable[[str], Path], folder: str, expected: Framework) -> None:
    (file,) = real_profile(folder).glob("*.xplane.pb")
    (host,) = decoded({"host": file.read_bytes()})

    assert finish(part(View(host, host_steps(host), None, RunFacts(0, True)))) == expected


def test_ops_of_pytorch() -> None:
    host = Host()
    each(3, 100, lambda at: host.event(f"ProfilerStep#{at:.0f}", at, at + 90))
    each(3, 100, lambda at: host.event("aten::addmm", at, at + 5))
    each(3, 100, lambda at: host.kernel(at + 6, at + 80, launch=(at + 1, at + 2)))

    assert of(host) == Framework("PyTorch", compiled=False, tf_data=False)
