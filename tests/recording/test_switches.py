"""Each switch in a real training: what it changed, and that the training still makes its steps."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.recording.test_trainings import skip_without
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.proof.child import Outcome, run_child
from tfperf_plugin.recording import switches
from tfperf_plugin.recording.launch import Launch, Request
from tfperf_plugin.recording.record import VARIABLES
from tfperf_plugin.recording.switches import SWITCHES, parsed, parts, set_variables, switch_on
from tfperf_plugin.recording.switches.switch import Switch, fill, nothing

KERAS = """
import keras, numpy as np, tensorflow as tf
keras.utils.set_random_seed(1)
inputs = np.random.default_rng(1).random((64, 4), "float32")
data = tf.data.Dataset.from_tensor_slices((inputs, inputs[:, :1])).map(lambda x, y: (2 * x, y)).batch(4)
model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1, dtype="float32")])
model.compile("sgd", "mse", metrics=["mae"], jit_compile=False)
stop = keras.callbacks.EarlyStopping(monitor="loss", patience=999)
model.fit(data, epochs=999, verbose=0, callbacks=[keras.callbacks.CSVLogger("log.csv"), stop])
"""
LOOP = """
import tensorflow as tf
x = tf.random.stateless_normal((64, 4), (1, 2))
data = tf.data.Dataset.from_tensor_slices(x).map(lambda x: 2 * x).batch(4)
weight = tf.Variable(tf.ones((4, 1)))

@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((batch @ weight) ** 2)
    weight.assign_sub(0.01 * tape.gradient(loss, weight))
    return loss

for _ in range(999):
    for batch in data:
        step(batch)
"""
TORCH = """
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1)
x = torch.rand(64, 4)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(999):
    for (batch,) in DataLoader(TensorDataset(x), batch_size=4):
        optimizer.zero_grad()
        (model(batch) ** 2).mean().backward()
        optimizer.step()
"""
IMAGES = """
import torch
torch.manual_seed(1)
seen = []
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(144, 1))
optimizer = torch.optim.SGD(model.parameters())
model[0].register_forward_hook(lambda module, given, result: seen.append(result))
batch = torch.rand(4, 3, 8, 8)
for _ in range(999):
    optimizer.zero_grad()
    (model(batch) ** 2).mean().backward()
    optimizer.step()
"""
JAX = """
import jax, jax.numpy as jnp
x = jnp.ones((64, 4))

@jax.jit
def step(weight):
    loss, slope = jax.value_and_grad(lambda weight: ((x @ weight) ** 2).mean())(weight)
    return weight - 0.01 * slope, loss

weight = jnp.ones((4, 1))
for _ in range(999):
    weight, loss = step(weight)
"""
CASES = [
    ("parallel-map", KERAS, "map(num_parallel_calls=tf.data.AUTOTUNE)"),
    ("parallel-map", LOOP, "map(num_parallel_calls=tf.data.AUTOTUNE)"),
    ("prefetch", KERAS, "prefetch(tf.data.AUTOTUNE) at the end"),
    ("prefetch", LOOP, "prefetch(tf.data.AUTOTUNE) at the end"),
    ("one-batch", KERAS, "take(1).cache().repeat(...) at the end"),
    ("one-batch", LOOP, "take(1).cache().repeat(...) at the end"),
    ("one-batch", TORCH, "the first batch of each epoch again and again"),
    ("loader-workers=1", TORCH, "DataLoader(num_workers=1, persistent_workers=True)"),
    ("steps-per-execution=4", KERAS, "compile(steps_per_execution=4)"),
    ("jit-compile", KERAS, "compile(jit_compile=True)"),
    ("mixed-precision=mixed_bfloat16", KERAS, "set_global_policy('mixed_bfloat16')"),
    ("no-callbacks", KERAS, "fit() without CSVLogger"),
    ("no-metrics", KERAS, "compile() without metrics"),
    ("fused-optimizer", TORCH, "AdamW(fused=True)"),
    ("torch-compile", TORCH, "Sequential.compile()"),
    ("matmul-tf32", TORCH, "torch.set_float32_matmul_precision('high')"),
    ("cudnn-benchmark", TORCH, "torch.backends.cudnn.benchmark = True"),
    ("cache", KERAS, "cache() of 16 batches at the end"),
    ("cache", LOOP, "cache() of 16 batches at the end"),
    ("channels-last", IMAGES, "Sequential.to(memory_format=torch.channels_last), and its inputs"),
    ("autocast", TORCH, "Sequential under torch.autocast('cpu', dtype=torch.bfloat16)"),
    ("matmul-precision", JAX, "jax.config.update('jax_default_matmul_precision', 'BF16_BF16_F32')"),
    ("gpu-private-threads", LOOP, "TF_GPU_THREAD_MODE=gpu_private"),
    ("async-allocator", LOOP, "TF_GPU_ALLOCATOR=cuda_malloc_async"),
    (
        "expandable-segments",
        TORCH,
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; PYTORCH_ALLOC_CONF=expandable_segments:True",
    ),
    ("latency-hiding", JAX, "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true"),
    ("latency-hiding", LOOP, "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true"),
]
NEEDS_GPU = {"pin-memory"}
AUDIENCES = {
    "JAX": "JAX",
    "Keras": "Keras",
    "PyTorch": "PyTorch",
    "TensorFlow": "TensorFlow",
    "tf.data": "TensorFlow",
}
"""Whom advice is for → the framework of its switches."""
NAMES = {KERAS: "Keras", LOOP: "TensorFlow", TORCH: "PyTorch", IMAGES: "PyTorch", JAX: "JAX"}


def launch(folder: Path, program: str, *switches: str) -> Outcome:
    """One launch of a trial, of 20 steps after 10."""
    skip_without("torch" if program is TORCH else "tensorflow")
    (folder / "train.py").write_text(program, encoding="utf-8")
    out = folder / "out"
    request = Request(str(out), after=10, steps=20, profile=False, end=True, switches=switches)
    variables = {"PYTHONPATH": str(REPOSITORY), "TFPERF_TRY": "1", "CUDA_VISIBLE_DEVICES": "-1"}
    log = folder / "log"
    command = [sys.executable, "train.py"]
    return run_child(command, request, variables, print, folder=folder, log=log, limit_s=200)


def measured(folder: Path, program: str, *switches: str) -> Launch:
    found = launch(folder, program, *switches)
    assert found.launch, found.seen + (folder / "log").read_text(encoding="utf-8")[-2000:]
    assert found.exit_code == 0
    return found.launch


@pytest.mark.slow
@pytest.mark.parametrize(
    ("switch", "program", "told"), CASES, ids=[f"{case[0]}-{NAMES[case[1]]}" for case in CASES]
)
def test_a_switch_changes_what_it_says_and_the_training_goes_on(
    tmp_path: Path, switch: str, program: str, told: str
) -> None:
    found = measured(tmp_path, program, parsed(switch))

    assert found.switched == {switch.partition("=")[0]: tuple(told.split("; "))}
    assert sum(window.steps for window in found.windows) >= 20
    if program in (KERAS, TORCH):
        assert all(window.examples == 4 * window.steps for window in found.windows)
    if switch.startswith("steps-per-execution"):
        assert found.facts.steps_per_execution == 4
    elif switch == "jit-compile":
        assert found.facts.jit_compile is True
    elif switch.startswith("mixed-precision"):
        assert found.facts.policy == "mixed_bfloat16"
    changed, value = parts(parsed(switch))
    assert found.facts.environment is not None
    assert changed.sets(value).items() <= found.facts.environment.items()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("switches", "program", "last_line"),
    [
        (
            ["channels-last"],
            IMAGES,
            "    assert all(\n"
            "        each.is_contiguous(memory_format=torch.channels_last)\n"
            "        for each in (seen[-1], model[0].weight, model[0].weight.grad)\n"
            "    )",
        ),
        (
            ["autocast"],
            IMAGES,
            "    assert seen[-1].dtype == torch.bfloat16 and model(batch).dtype == torch.float32",
        ),
        (
            ["torch-compile", "channels-last", "autocast"],
            IMAGES,
            "    import copy; other = copy.deepcopy(model); torch.nn.init.zeros_(other[0].weight)\n"
            "    torch.nn.init.zeros_(other[0].bias); other(batch)\n"
            "    assert not seen[-1].any() and seen[-1].dtype == torch.bfloat16",
        ),
        (
            ["cache"],
            LOOP.replace("lambda x: 2 * x", "lambda x: tf.numpy_function(count, [x], tf.float32)")
            .replace("data =", "calls = []\n\ndef count(x):\n    calls.append(1)\n    return x\n\ndata =")
            .replace(".batch(4)", ".map(lambda x: tf.ensure_shape(x, (4,))).batch(4)"),
            "    assert len(calls) == 64",
        ),
        (["matmul-precision"], JAX, "    assert 'lhs_precision_type = bf16' in step.lower(weight).as_text()"),
    ],
    ids=["channels-last", "autocast", "with torch-compile", "cache", "matmul-precision"],
)
def test_a_switch_reaches_what_computes(
    tmp_path: Path, switches: list[str], program: str, last_line: str
) -> None:
    found = measured(tmp_path, program + last_line, *map(parsed, switches))

    assert set(found.switched) == set(switches)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("switch", "program"),
    [
        ("cache", LOOP.replace(".batch(4)", ".cache().batch(4)")),
        ("cache", LOOP.replace(".batch(4)", ".batch(4).repeat()")),
        ("cache", LOOP.replace(".batch(4)", ".filter(lambda x: True).batch(4)")),
        ("channels-last", TORCH),
        ("pin-memory", TORCH),  # without a GPU
        (
            "loader-workers=2",
            TORCH.replace("batch_size=4)", "batch_size=4, num_workers=1, persistent_workers=True)"),
        ),
    ],
)
def test_a_switch_leaves_what_it_does_not_fit(tmp_path: Path, switch: str, program: str) -> None:
    assert measured(tmp_path, program, parsed(switch)).switched == {}


@pytest.mark.slow
def test_without_switches_none_is_loaded(tmp_path: Path) -> None:
    program = TORCH + "        import sys; assert 'tfperf_plugin.recording.switches' not in sys.modules\n"

    assert measured(tmp_path, program).switched == {}


@pytest.mark.slow
def test_a_switch_that_breaks_the_training_leaves_its_error(tmp_path: Path) -> None:
    """PyTorch refuses an optimizer that is fused and differentiable."""
    program = TORCH.replace("AdamW(model.parameters())", "AdamW(model.parameters(), differentiable=True)")

    found = launch(tmp_path, program, "fused-optimizer")

    assert found.launch is None and found.exit_code == 1
    assert "fused" in (tmp_path / "log").read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.parametrize(
    ("switch", "before", "after"),
    [
        ("gpu-private-threads", {}, {"TF_GPU_THREAD_MODE": "gpu_private"}),
        ("gpu-private-threads", {"TF_GPU_THREAD_MODE": "global"}, None),
        ("expandable-segments", {"PYTORCH_ALLOC_CONF": "max_split_size_mb:64"}, None),
        ("latency-hiding", {}, {"XLA_FLAGS": "--xla_gpu_enable_latency_hiding_scheduler=true"}),
        (
            "latency-hiding",
            {"XLA_FLAGS": "--xla_dump_to=here"},
            {"XLA_FLAGS": "--xla_dump_to=here --xla_gpu_enable_latency_hiding_scheduler=true"},
        ),
        ("latency-hiding", {"XLA_FLAGS": "--xla_gpu_enable_latency_hiding_scheduler=false"}, None),
        ("prefetch", {}, {}),
    ],
)
def test_a_launch_gets_the_variables_that_the_user_leaves_open(
    switch: str, before: dict[str, str], after: dict[str, str] | None
) -> None:
    """A switch whose variable is set is off, so that it tells nothing."""
    expected = ((), before) if after is None else ((switch,), after)

    assert set_variables([switch], before) == expected


def test_a_variable_takes_the_value_of_its_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Switch(
        id="omp-threads",
        does="",
        works_in=("PyTorch",),
        finds="",
        changes={"torch": nothing},
        variables={"OMP_NUM_THREADS": "{value}"},
        value="1",
        values="[1-9]",
    )
    monkeypatch.setattr(switches, "SWITCHES", (threads,))
    monkeypatch.setattr(switches, "applied", {})

    assert set_variables(["omp-threads=4"], {}) == (("omp-threads=4",), {"OMP_NUM_THREADS": "4"})
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    switch_on(["omp-threads=4"], "torch", None)
    assert switches.applied == {"omp-threads": ["OMP_NUM_THREADS=4"]}


@pytest.mark.parametrize(
    ("args", "named", "filled"),
    [
        (("f",), {}, True),
        (("f", None), {}, True),
        (("f",), {"calls": None, "name": "x"}, True),
        (("f", 1), {}, True),
        (("f",), {"calls": 1}, True),
        (("f", 2), {}, False),
        (("f",), {"calls": 4}, False),
        (("f",), {"other": False}, False),
    ],
)
def test_what_does_as_the_default_leaves_a_parameter_open(
    args: tuple[Any, ...], named: dict[str, Any], filled: bool
) -> None:
    class Dataset:
        def map(self, function: str, calls: int | None = None, other: bool | None = None, **rest: str) -> Any:
            return calls

    told: list[str] = []
    fill(Dataset, "map", "calls", 8, lambda: told.append("told"), others=["other"], like_default=1)

    assert (Dataset().map(*args, **named) == 8, bool(told)) == (filled, filled)


def test_pages_name_switches_of_their_framework() -> None:
    named = [
        (part.audience, parts(parsed(name))[0])
        for rule in RULES
        for advice in rule.page.advice.values()
        for part in advice.parts
        for action in part.actions
        for name in re.findall(r"tfperf try --switch (\S+) -- python train\.py", action)
    ]

    assert [(audience, each.id) for audience, each in named if AUDIENCES[audience] not in each.works_in] == []
    assert {each.id for _, each in named} >= {
        "async-allocator", "autocast", "cache", "channels-last", "matmul-precision", "mixed-precision",
    }  # fmt: skip


def test_each_switch_runs_in_a_real_training() -> None:
    assert {case[0].partition("=")[0] for case in CASES} | NEEDS_GPU == {switch.id for switch in SWITCHES}


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.id)
def test_what_a_switch_says_of_itself_is_whole(switch: Switch) -> None:
    assert all(text.endswith(".") for text in (switch.does, switch.limit) if text)
    assert bool(switch.keep) != bool(switch.shows)
    assert any("{value}" in text for text in (switch.keep, *switch.variables.values())) == bool(switch.value)
    assert "{" not in "".join((switch.kept(switch.value), *switch.sets(switch.value).values()))
    assert {*switch.variables} <= {*VARIABLES}, "the record does not hold them"


def test_the_guide_lists_each_switch() -> None:
    guide = (REPOSITORY / "tfperf_plugin/docs/proof.md").read_text(encoding="utf-8")
    table = guide.partition("| switch | works in |")[2].partition("\n\n")[0]

    assert re.findall(r"^\| `([\w-]+)", table, re.MULTILINE) == [switch.id for switch in SWITCHES]


@pytest.mark.parametrize(
    ("text", "is_parsed"),
    [
        ("prefetch", "prefetch"),
        ("loader-workers=3", "loader-workers=3"),
        ("steps-per-execution", "steps-per-execution=16"),
        ("mixed-precision=", "mixed-precision=mixed_float16"),
    ],
)
def test_a_switch_has_the_value_that_it_is_given_or_its_own(text: str, is_parsed: str) -> None:
    assert parsed(text) == is_parsed
    switch, value = parts(is_parsed)
    assert value in switch.kept(value) and "{value}" not in switch.kept(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prefetsch", "There is no switch 'prefetsch'; did you mean prefetch?"),
        ("prefetch=2", "The switch prefetch takes no value."),
        ("loader-workers=0", "loader-workers takes a value such as "),
        ("loader-workers=$(reboot)", "not '$(reboot)'."),
    ],
)
def test_what_is_no_switch_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadOptionError, match=re.escape(said)):
        parsed(text)
