"""Code on pages does what it says: each block and each span runs in its framework, on the CPU."""

from __future__ import annotations

import json
import mmap
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.snippets.pages import Code, codes
from tfperf_plugin.records import Record

#: What code on pages imports.
NEEDED = ("tensorflow", "keras", "jax", "optax", "flax", "orbax", "torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, NEEDED)), reason="frameworks are missing: make setup-frameworks"
    ),
]

CODES = tuple(codes())
OF_TENSORFLOW = ("Keras", "Custom loop", "TensorFlow", "tf.data")
FRAMEWORKS = {"JAX": "jax", "PyTorch": "torch"} | dict.fromkeys(OF_TENSORFLOW, "tensorflow")
#: Spans that name no code of a framework that is tested here.
NO_CODE = re.compile(
    r"nvidia-smi|topo -|--gpus all|--cuda-graph-trace|torchrun|pip install|tfperf (record|try|watch)"  # shell
    r"|^(n(cu|sys)|rocprof-compute) |^(numactl|taskset)$"
    r"|plugins/profile|\.xplane\.pb|\\|\{|^PATH$"  # paths, and what a measurement fills in
    r"|accumulate_grad_batches|accelerator\.|attn_implementation|mp_prefetch"  # other packages
    r"|^(if|for)\b|mixed_b?float16$"  # statements and values
)
FLAG = re.compile(r"--xla_\w+(?:=\w*)?")
VARIABLE = re.compile(r"(?<![\w$/{])((?:CUDA|JAX|KERAS|LD|NCCL|OMP|PYTORCH|TF|TORCH|XLA)_[A-Z0-9_]+)(?==|\Z)")
#: Code of Keras and tf.data that a strategy of TensorFlow may refuse.
TRAINS = re.compile(r"\b(model|optimizer|ds|train_step)\b(?!\w* = .*:$)")
#: Files that read environment variables, in the folders of packages; the smallest first.
READERS = (
    "keras/src/backend/config.py",
    "jaxlib/xla_client.py",
    "jax/_src/xla_bridge.py",
    "torch/cuda/tunable.py",
    "torch/_guards.py",
    "torch/lib/libc10.so",
    "torch/lib/libtorch_cpu.so",
    "tensorflow/libtensorflow_framework.so.2",
)
#: Variables that only builds for GPUs or other programs read, and where that is written.
ELSEWHERE = {
    "TF_GPU_CUPTI_FORCE_CONCURRENT_KERNEL": "xla/backends/profiler/gpu/cupti_tracer.cc",
    "LD_LIBRARY_PATH": "ld.so(8)",
    "CUDA_VISIBLE_DEVICES": "CUDA C++ Programming Guide, CUDA Environment Variables",
}
#: What no framework takes: framework, whether it is a span, and code.
MUTANTS = (
    ("tensorflow", False, "model.compile(optimizer, loss, jit_compiled=True)"),
    ("tensorflow", False, "ds = ds.batch(batch_size, drop_rest=True)"),
    ("tensorflow", True, "CommunicationOptions(bytes_per_packet=...)"),
    ("tensorflow", True, "tf.data.AUTO_TUNE"),
    ("jax", False, "train_step = jax.jit(train_step, donate_arguments=(0,))"),
    ("jax", True, "implementations='cudnn'"),
    ("torch", False, "model = torch.compile(model, modes='reduce-overhead')"),
    ("torch", True, "torch.optim.AdamW(..., fusing=True)"),
)


class Job(Record, frozen=True):
    """Code in one setting; ``kind``: of the program; ``several``: with a strategy, or a group of processes.

    ``refused``: the page says that it does not work in this setting.
    """

    id: str
    framework: str
    refused: bool
    kind: str
    several: bool
    span: bool
    rule: str
    text: str

    @property
    def process(self) -> str:
        """Jobs with the same one run in one process: strategies leave traces."""
        return f"{self.framework}-{self.several}" if self.framework == "tensorflow" else self.framework

    @property
    def key(self) -> tuple[str, bool, bool, str]:
        """Jobs with the same one run once."""
        return self.kind, self.several, self.span, self.text


def snippet_jobs(number: int, code: Code) -> Iterator[Job]:
    framework = "jax" if "KERAS_BACKEND" in code.text else FRAMEWORKS[code.audience]
    kinds = (code.audience,) if code.audience in ("Keras", "Custom loop") else ("Keras", "Custom loop")
    for kind in kinds if framework == "tensorflow" else (code.audience,):
        settings = {
            code.several or "[several GPUs]" in code.conditions or "[MirroredStrategy]" in code.conditions
        }
        own_step = kind == "Custom loop" and re.search("def |tape", code.text)
        if framework == "tensorflow" and TRAINS.search(code.text) and not own_step:
            settings.add(True)
        for several in settings:
            place = f"{number} {code.place} ({kind}{', several GPUs' if several else ''})"
            refused = several and "[unless several GPUs]" in code.conditions
            yield Job(place, framework, refused, kind, several, False, code.rule, code.text)


def span_jobs(number: int, code: Code) -> Iterator[Job]:
    if code.audience not in ("Server", "CUDA") and not (
        NO_CODE.search(code.text) or FLAG.match(code.text) or VARIABLE.match(code.text)
    ):
        known = FRAMEWORKS.get(code.audience, "")
        # Programs of JAX may be written in Keras.
        possible = {"jax": ("jax", "tensorflow"), "": ("torch", "jax", "tensorflow")}
        for framework in possible.get(known, (known,)):
            yield Job(
                f"{number} {code.place}: {code.text}", framework, False, "", False, True, code.rule, code.text
            )


def jobs() -> Iterator[Job]:
    """All jobs; code that stands on several pages runs once, where names mean the same there."""
    for number, code in enumerate(CODES):
        if code.language == "python":
            yield from snippet_jobs(number, code)
        elif not code.language:
            yield from span_jobs(number, code)
    for framework, span, text in MUTANTS:
        yield Job(
            f"mutant {text}",
            framework,
            False,
            "Keras" if framework == "tensorflow" else "",
            False,
            span,
            "",
            text,
        )


JOBS = tuple(jobs())


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """Job and framework → what went wrong, "" if nothing did."""
    folder = tmp_path_factory.mktemp("snippets")
    by_process = defaultdict[str, list[Job]](list)
    for job in JOBS:
        by_process[job.process].append(job)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(run, folder / name, given) for name, given in by_process.items()]
        return {key: error for one in runs for key, error in one.result().items()}


def run(results: Path, given: list[Job]) -> dict[tuple[str, str], str]:
    """Runs jobs in one process. XLA ends it if it does not know a flag."""
    framework = given[0].framework
    distinct = {job.key: job for job in given}
    done = subprocess.run(
        [sys.executable, "-m", "tests.snippets.process", framework, str(results)],
        input=json.dumps(
            [{name: getattr(job, name) for name in Job.__struct_fields__} for job in distinct.values()]
        ),
        env=os.environ | {"XLA_FLAGS": " ".join(flags()), "TF_XLA_FLAGS": "--tf_xla_auto_jit=2"},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(results.read_text(encoding="utf-8"))
    return {(job.id, framework): found[distinct[job.key].id] for job in given}


def flags() -> list[str]:
    """Flags of XLA that pages name; a number where a page names none."""
    found = {flag for code in CODES if code.language != "python" for flag in FLAG.findall(code.text)}
    return sorted(flag if "=" in flag else f"{flag}=1" for flag in found)


@pytest.mark.parametrize("rule", sorted({code.rule for code in CODES}))
def test_code_of_a_page_runs(rule: str, said: dict[tuple[str, str], str]) -> None:
    """A span that belongs to no framework may belong to any."""
    errors = defaultdict[str, list[str]](list)
    for job in JOBS:
        if job.rule == rule:
            error = said[job.id, job.framework]
            errors[job.id].append(error if not job.refused else "" if error else "it works under a strategy")
    wrong = [
        f"{place}\n    {all_said[0]}"
        for place, all_said in errors.items()
        if all(all_said) and not all_said[0].startswith("skip")
    ]

    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("job", [job for job in JOBS if not job.rule], ids=lambda job: job.id)
def test_what_a_framework_does_not_take_is_noticed(job: Job, said: dict[tuple[str, str], str]) -> None:
    assert said[job.id, job.framework]


def test_a_framework_reads_each_variable() -> None:
    texts = [code.text for code in CODES if code.language != "python"]
    wanted = {name for text in texts for name in VARIABLE.findall(text)} - ELSEWHERE.keys()
    for file in READERS:
        package = find_spec(file.partition("/")[0])
        assert package and package.origin
        with (Path(package.origin).parents[1] / file).open("rb") as opened:
            held = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            wanted -= {name for name in wanted if held.find(name.encode()) >= 0}

    assert wanted == set()


def test_flags_of_xla_are_for_programs_that_it_compiles() -> None:
    """Else they do nothing: TensorFlow reads them when it first compiles with XLA."""
    wrong = [
        code.place
        for code in CODES
        if code.audience in OF_TENSORFLOW
        if code.language == "sh" and "[compiled]" not in code.conditions
        if re.search(r"\bXLA_FLAGS", code.text)
    ]

    assert wrong == []
