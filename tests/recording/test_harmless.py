"""A training under ``tfperf record`` is the training: whatever it does, and whatever happens to tfperf.

Each case of the tables below is a program that runs twice, alone and recorded. Exit code or signal, output,
errors and the files that it leaves must be the same.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.processes import TFPERF, environment
from tfperf_plugin.records import Record

RECORD: Final = (*TFPERF, "record", "--after", "20", "--steps", "5", "--")
OURS: Final = ("TFPERF_", "PYTHONPATH=")
"""Variables that tfperf sets."""
OF_PROFILERS: Final = ("tfperf:", "USDT:")
"""Lines on stderr that are not of the training: those of tfperf, and of PyTorch's profiler."""
ADDRESS: Final = re.compile(r"0x[0-9a-f]+")
STAMP: Final = re.compile(r"^[IW]\d{4} [\d:.]+ +\d+ ", re.MULTILINE)
"""Time and process, with which lines of TensorFlow's log begin."""


class Case(Record, frozen=True):
    """A program, and what is done to it.

    ``code``: of Python; ``command``: in its place, without Python. ``sends``: signals, each sent once it has
    written a line that begins with "ready"; ``stdin``: what it then reads; ``closed``: streams that are
    closed when it starts; ``full``: streams that stand on a full disk; ``ignored``: a signal that is ignored
    when it starts; ``variables``: all that it gets; ``options``: of Python; ``records``: whether a profile
    lies there in the end.
    """

    code: str = ""
    command: tuple[str, ...] = ()
    sends: tuple[signal.Signals, ...] = ()
    stdin: str = ""
    closed: tuple[int, ...] = ()
    full: tuple[int, ...] = ()
    ignored: signal.Signals | None = None
    variables: Mapping[str, str] | None = None
    options: tuple[str, ...] = ()
    records: bool = False


HANDLES: Final = """
import signal, sys
def handler(number, frame):
    print("signal", number, flush=True)
    if number == signal.SIGTERM:
        sys.exit(42)
    print("ready", flush=True)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(number, handler)
print("ready", flush=True)
while True:
    signal.pause()
"""
CHECKPOINT: Final = """
import sys, time
try:
    print("ready", flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    try:
        print("ready to save", flush=True)
        while True:
            time.sleep(0.1)
    except KeyboardInterrupt:
        print("interrupted twice", flush=True)
    print("saved", sys.stdin.readline())
    sys.exit(3)
"""
PAUSES: Final = "import signal\nprint('ready', flush=True); signal.pause()"
SAME_LINE: Final = ("-X", "no_debug_ranges")
"""A traceback shows the line at which a signal came, but not where in the line."""
STANDING: Final = """
import os, resource, signal, sys
print(os.getppid(), os.getpgrp(), os.getsid(0), os.getcwd(), os.umask(0), os.nice(0), sys.argv, sys.path)
print(sorted(os.listdir("/proc/self/fd")), signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
print([resource.getrlimit(n) for n in range(10)], [signal.getsignal(n) for n in range(1, 32)])
"""
PROCESSES: Final = {
    "ends well": Case("print('trained')"),
    "exits with a code": Case("import sys; sys.exit(5)"),
    "exits with a sentence": Case("import sys; sys.exit('no data')"),
    "raises": Case("def deep(n):\n    return deep(n - 1) if n else 1 / 0\ndeep(5)"),
    "os._exit": Case("import os; print('lost'); os._exit(7)"),
    "aborts": Case("import os; os.abort()"),
    "kills itself": Case("import os; os.kill(os.getpid(), 9)"),
    "execs": Case("import os, sys; os.execv(sys.executable, [sys.executable, '-c', 'exit(9)'])"),
    "forks and waits": Case("import os\nif os.fork():\n    print(os.wait()[1])\nelse:\n    os._exit(3)"),
    "waits until there is no child": Case(
        "import os\nfor _ in range(3):\n    if not os.fork():\n        os._exit(1)\n"
        "try:\n    while True:\n        print(os.wait()[1])\n"
        "except ChildProcessError as error:\n    print(error)"
    ),
    "has no child": Case("import os\nos.wait()"),
    "leaves a daemon": Case(
        "import os, sys\nif os.fork():\n    os._exit(0)\nos.setsid()\nif os.fork():\n    os._exit(0)\n"
        "sys.stdin.readline()\nprint('written by the daemon')",
        stdin="go\n",
    ),
    "closes all files": Case("import os\nos.closerange(0, 4096)\nos._exit(4)"),
    "threads": Case(
        "import threading\nt = [threading.Thread(target=sum, args=([1],)) for _ in range(3)]\n"
        "[each.start() for each in t]\n[each.join() for each in t]\nprint(threading.active_count())"
    ),
    "a thread raises": Case("import threading\nthreading.Thread(target=lambda: 1 / 0, name='t').start()"),
    "handlers at exit": Case("import atexit\natexit.register(print, 'last')\natexit.register(lambda: 1 / 0)"),
    "handles signals": Case(
        HANDLES, sends=(signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT, signal.SIGTERM)
    ),
    "saves after Ctrl-C as long as it takes": Case(
        CHECKPOINT, sends=(signal.SIGINT, signal.SIGINT), stdin="x\n"
    ),
    "Ctrl-C": Case(PAUSES, sends=(signal.SIGINT,), options=SAME_LINE),
    "SIGTERM": Case(PAUSES, sends=(signal.SIGTERM,)),
    "SIGHUP": Case(PAUSES, sends=(signal.SIGHUP,)),
    "SIGUSR1": Case(PAUSES, sends=(signal.SIGUSR1,)),
    "SIGKILL": Case(PAUSES, sends=(signal.SIGKILL,)),
    "stops and goes on": Case(
        "import sys\nprint('ready', flush=True)\nprint(sys.stdin.readline())",
        sends=(signal.SIGSTOP,),
        stdin="gone on\n",
    ),
    "signals that are ignored": Case(STANDING, ignored=signal.SIGINT),
    "SIGHUP is ignored": Case(STANDING, ignored=signal.SIGHUP),
    "SIGCHLD is ignored": Case(STANDING, ignored=signal.SIGCHLD),
    "where it stands": Case(STANDING),
    "signals of what is not Python": Case(command=("grep", "Sig", "/proc/self/status")),
    "environment": Case(command=("env",)),
    "environment with nothing but a path": Case(command=("env",), variables={"PATH": os.environ["PATH"]}),
    "no Python at all": Case(command=("sh", "-c", "echo out; echo err >&2; exit 6")),
    "a shell that a signal ends": Case(command=("sh", "-c", "kill -TERM $$")),
    "nobody reads": Case(command=("sh", "-c", "yes | head -1; exit 3")),
    "isolated": Case("print('trained')", options=("-I", "-S")),
    "hash seed, flags and warnings": Case(
        "import sys, warnings\nprint(sys.flags, hash('x'))\nwarnings.warn('w')", options=("-X", "dev")
    ),
    "reads from a pipe": Case("import sys\nprint(sum(map(int, sys.stdin)))", stdin="1\n2\n3\n"),
    "much output": Case(
        "import sys\nfor i in range(20_000):\n    print('x' * 100, file=(sys.stdout, sys.stderr)[i % 2])"
    ),
    "stdout on a full disk": Case("print('x', flush=True)", full=(1,)),
    "stderr on a full disk": Case("import sys\nsys.stderr.write('x')\nprint('on')", full=(2,)),
    "no stdin": Case(STANDING, closed=(0,)),
    "no stdout": Case(
        "import os, sys\nprint(sys.stdout, sorted(os.listdir('/proc/self/fd')), file=sys.stderr)", closed=(1,)
    ),
    "no stderr": Case(STANDING, closed=(2,)),
    "no streams": Case(
        "import os\nopen('files', 'w').write(str(sorted(os.listdir('/proc/self/fd'))))", closed=(0, 1, 2)
    ),
    "changes folder": Case("import os\nos.mkdir('x')\nos.chdir('x')\nopen('y', 'w').write(os.getcwd()[-1])"),
    "notes are removed": Case(
        "import os, shutil, subprocess, sys\n"
        "if 'TFPERF_NOTES' in os.environ:\n    shutil.rmtree(os.path.dirname(os.environ['TFPERF_NOTES']))\n"
        "subprocess.run([sys.executable, '-c', 'import jax; exit(3)'])\nsys.exit(4)"
    ),
    "the folder is removed": Case("import shutil\nshutil.rmtree('logs', ignore_errors=True)\nexit(2)"),
    "a pool of processes": Case(
        "import multiprocessing\nif __name__ == '__main__':\n    multiprocessing.set_start_method('spawn')\n"
        "    with multiprocessing.Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))"
    ),
    "an import that fails": Case(
        "import os, sys\nos.mkdir('own')\nopen('own/jax.py', 'w').write('1 / 0')\n"
        "sys.path.insert(0, 'own')\nimport jax"
    ),
    "its own sitecustomize": Case(
        "import os, subprocess, sys\nos.mkdir('own')\n"
        "open('own/sitecustomize.py', 'w').write('print(\"own\")')\n"
        "path = os.pathsep.join(filter(None, [os.environ.get('PYTHONPATH'), 'own']))\n"
        "subprocess.run([sys.executable, '-c', 'import sitecustomize; print(sitecustomize.__file__)'],"
        " env={**os.environ, 'PYTHONPATH': path})"
    ),
}  # fmt: skip

JAX: Final = """
import atexit, hashlib, os, random, resource, shutil, signal, sys, threading
import jax, jax.numpy as jnp, numpy as np

@jax.jit
def step(weights, batch):
    def loss(w):
        return jnp.mean((jnp.tanh(batch @ w) - batch) ** 2)
    value, gradient = jax.value_and_grad(loss)(weights)
    return weights - 0.1 * gradient, value

weights, draw = jnp.eye(16), np.random.default_rng(7)

def train(steps):
    global weights
    for _ in range(steps):
        weights, loss = step(weights, draw.standard_normal((8, 16)).astype("float32"))

def show():
    print(hashlib.sha256(np.asarray(weights).tobytes()).hexdigest(), flush=True)

"""
"""From the 20th step on five are recorded, so 22 steps lead into the recording."""
JAX_TRAININGS: Final = {
    "trains": Case("train(40); show()", records=True),
    "random numbers": Case("train(40); print(random.Random(1).random(), draw.random())", records=True),
    "raises after its recording": Case("train(40); raise RuntimeError('boom')", records=True),
    "raises within its recording": Case("train(22); raise RuntimeError('boom')", records=True),
    "exits within its recording": Case("train(22); sys.exit(5)", records=True),
    "raises in its first step": Case("step(weights, np.zeros((8, 3), 'float32'))"),
    "raises in a recorded step": Case("train(22); step(weights, np.zeros((8, 3), 'float32'))", records=True),
    "raises in a wrong jit": Case("jax.jit(1)"),
    "os._exit within its recording": Case("train(22); show(); os._exit(7)"),
    "aborts within its recording": Case("train(22); show(); os.abort()"),
    "kills itself within its recording": Case("train(22); show(); os.kill(os.getpid(), 9)"),
    "execs within its recording": Case("train(22); os.execvp('sh', ['sh', '-c', 'echo other; exit 3'])"),
    "forks within its recording": Case(
        "train(22)\nif not os.fork():\n    os._exit(3)\nprint(os.wait()[1])\ntrain(20); show()", records=True
    ),
    "trains in a thread": Case(
        "t = threading.Thread(target=train, args=(40,)); t.start(); t.join(); show()", records=True
    ),
    "changes folder before its recording": Case(
        "train(10); os.mkdir('x'); os.chdir('x'); train(30); show()", records=True
    ),
    "notes are removed within its recording": Case(
        "train(22)\nif 'TFPERF_NOTES' in os.environ:\n"
        "    shutil.rmtree(os.path.dirname(os.environ['TFPERF_NOTES']))\ntrain(20); show()",
        records=True,
    ),
    "the folder is removed within its recording": Case(
        "train(22); shutil.rmtree('logs', ignore_errors=True); train(20); show()", records=True
    ),
    "a file stands in place of the folder": Case(
        "train(22); shutil.rmtree('logs', ignore_errors=True); open('logs', 'w').close(); train(20); show();"
        "os.remove('logs')"
    ),
    "its disk is full within its recording": Case(
        "train(22); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); train(20); show()"
    ),
    "profiles itself": Case(
        "jax.profiler.start_trace('own'); train(40); show(); jax.profiler.stop_trace();"
        "print(os.listdir('own/plugins')); shutil.rmtree('own')"
    ),
    "handles SIGTERM within its recording": Case(
        "def save(number, frame):\n    show()\n    sys.exit(42)\n"
        "signal.signal(signal.SIGTERM, save); train(22); print('ready', flush=True); signal.pause()",
        sends=(signal.SIGTERM,),
        records=True,
    ),
    "SIGTERM within its recording": Case(
        "train(22); print('ready', flush=True); signal.pause()", sends=(signal.SIGTERM,)
    ),
    "Ctrl-C within its recording": Case(
        "train(22); print('ready', flush=True); signal.pause()",
        sends=(signal.SIGINT,),
        options=SAME_LINE,
        records=True,
    ),
    "handlers at exit": Case(
        "atexit.register(show); atexit.register(lambda: train(3)); train(40)", records=True
    ),
    "closed streams": Case(
        "train(40); open('weights', 'wb').write(np.asarray(weights))", closed=(0, 1, 2), records=True
    ),
    "forgets its environment": Case("os.environ.clear(); train(40); show()", records=True),
}  # fmt: skip

KERAS: Final = """
import hashlib, os, sys
os.environ.update(KERAS_BACKEND="jax", TF_CPP_MIN_LOG_LEVEL="3")
import keras, numpy as np
keras.utils.set_random_seed(7)
model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
x = np.random.default_rng(7).standard_normal((320, 16)).astype("float32")

class Stops(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 22:
            raise RuntimeError("stopped")

def fit(*callbacks):
    model.fit(x, x.sum(1), batch_size=8, verbose=0, callbacks=list(callbacks))
    print(hashlib.sha256(b"".join(w.tobytes() for w in model.get_weights())).hexdigest())

"""
KERAS_TRAININGS: Final = {
    "fits": Case("fit()", records=True),
    "raises within its recording": Case("fit(Stops())", records=True),
    "raises in its first step": Case("x = x[:, :3]; fit()"),
}

TENSORFLOW: Final = """
import hashlib, inspect, os, sys
os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="3")
import tensorflow as tf
weights = tf.Variable(tf.eye(16))

def update(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.tanh(batch @ weights) - batch) ** 2)
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss

class Trainer:
    @tf.function
    def step(self, batch):
        return update(batch)

step = tf.function(update, autograph=False)

def train(steps, step=step):
    for number in range(steps):
        step(tf.random.stateless_normal((8, 16), (7, number)))

def show():
    print(hashlib.sha256(weights.numpy().tobytes()).hexdigest(), flush=True)

"""
TENSORFLOW_TRAININGS: Final = {
    "trains": Case("train(40); show()", records=True),
    "takes gradients eagerly": Case("train(40, update); show()", records=True),
    "has a method as its step": Case("train(40, Trainer().step); show()", records=True),
    "looks at its function": Case(
        "train(40); print(inspect.signature(step), step.__name__, callable(step));"
        "print(tf.function(step)(tf.zeros((8, 16))).shape)", records=True
    ),
    "raises within its recording": Case("train(22); raise RuntimeError('boom')", records=True),
    "raises in its first step": Case("step(tf.zeros((8, 3)))"),
    "raises in an eager step": Case(
        "train(22, update); tf.GradientTape().gradient(weights, weights)", records=True
    ),
    "runs in a strategy": Case(
        "strategy = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
        "train(40, tf.function(lambda batch: strategy.run(update, (batch,)))); show()", records=True
    ),
}  # fmt: skip

TORCH: Final = """
import hashlib, os, signal, sys, threading
import torch
torch.manual_seed(7); torch.set_num_threads(1)
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.randn(320, 16), batch_size=8)

def train(steps):
    for _, x in zip(range(steps), data):
        loss = (model(x) - x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

def show():
    print(hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest())

"""
TORCH_TRAININGS: Final = {
    "trains": Case("train(40); show(); print(torch.Tensor.backward.__module__)", records=True),
    "raises after its recording": Case("train(40); raise RuntimeError('boom')", records=True),
    "raises in its first backward": Case("torch.zeros(3).backward()"),
    "raises in its data": Case(
        "data = torch.utils.data.DataLoader(range(320), batch_size=8, collate_fn=lambda x: x[9]); train(1)"
    ),
    "updates by hand": Case(
        "for x in data:\n    (model(x) - x).pow(2).mean().backward()\n"
        "    with torch.no_grad():\n        for p in model.parameters():\n"
        "            p -= 0.1 * p.grad; p.grad = None\nshow()"
    ),
    "exits within its recording": Case("train(22); show(); sys.exit(5)", records=True),
    "kills itself within its recording": Case("train(22); show(); os.kill(os.getpid(), 9)"),
    "trains in a thread": Case("t = threading.Thread(target=train, args=(40,)); t.start(); t.join(); show()"),
    "its thread ends where it would be recorded": Case(
        "t = threading.Thread(target=train, args=(22,)); t.start(); t.join(); show()"
    ),
}


class Ended(Record, frozen=True):
    """How a program ended: exit code or minus the signal, output, errors, and the files that it left."""

    code: int
    out: tuple[str, ...]
    errors: tuple[str, ...]
    files: Mapping[str, bytes]


def ended(case: Case, prefix: Sequence[str], script: Path, folder: Path) -> tuple[Ended, list[str]]:
    """How ``case`` ended in ``folder``, and what tfperf said."""
    folder.mkdir()
    command = case.command or (sys.executable, *case.options, str(script))

    def prepare() -> None:
        for heard in (signal.SIGINT, signal.SIGHUP):  # whatever the tests themselves run under
            signal.signal(heard, signal.SIG_DFL)
        if case.ignored:
            signal.signal(case.ignored, signal.SIG_IGN)
        for stream in case.closed:
            os.close(stream)

    with Path(os.devnull if not case.full else "/dev/full").open("r+b", buffering=0) as full:
        process = subprocess.Popen(
            [*prefix, *command],
            cwd=folder,
            env=variables(case),
            stdin=subprocess.PIPE,
            stdout=full if 1 in case.full else subprocess.PIPE,
            stderr=full if 2 in case.full else subprocess.PIPE,
            preexec_fn=prepare,
        )
    said = b""
    for sent in case.sends:
        assert process.stdout
        while not (line := process.stdout.readline()).startswith(b"ready"):
            assert line
            said += line
        said += line
        process.send_signal(sent)
        if sent == signal.SIGSTOP:
            assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
            process.send_signal(signal.SIGCONT)
    out, errors = process.communicate(case.stdin.encode() or None, timeout=120)
    lines = told(errors, folder)
    found = Ended(
        process.returncode,
        tuple(line for line in told(said + (out or b""), folder) if not line.startswith(OURS)),
        tuple(line for line in lines if not line.startswith(OF_PROFILERS)),
        {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and not {"logs", "__pycache__"} & {*path.parts}
        },
    )
    return found, [line for line in lines if line.startswith("tfperf:")]


def told(text: bytes | None, folder: Path) -> list[str]:
    """Lines, without what differs from one process to the next."""
    said = (text or b"").decode().replace(str(folder), "FOLDER")
    return STAMP.sub("", ADDRESS.sub("0x", said)).splitlines()


def variables(case: Case) -> dict[str, str]:
    """The environment of both, in which tfperf is found."""
    if case.variables is not None:
        return dict(case.variables)
    return environment(PYTHONHASHSEED="7")


def holds(tmp_path: Path, case: Case, code: str) -> None:
    """A program ends recorded as it ends alone."""
    script = tmp_path / "train.py"
    script.write_text(code)
    alone, _ = ended(case, (), script, tmp_path / "alone")
    recorded, said = ended(case, RECORD, script, tmp_path / "recorded")

    profiles = [*tmp_path.glob("recorded/logs/plugins/profile/*/*"), *tmp_path.glob("recorded/logs/*.json")]
    assert recorded == alone
    assert profiles or not case.records
    if not {2} & {*case.closed, *case.full}:
        assert bool(re.search(r"(are|is) recorded in", said[-1])) == case.records, said


TRAININGS: Final = {
    "jax": (JAX, JAX_TRAININGS),
    "keras": (KERAS, KERAS_TRAININGS),
    "tensorflow": (TENSORFLOW, TENSORFLOW_TRAININGS),
    "torch": (TORCH, TORCH_TRAININGS),
}
"""What a program imports → how it begins, and the cases."""


@pytest.mark.parametrize("case", PROCESSES.values(), ids=PROCESSES)
def test_a_process_is_as_without_tfperf(tmp_path: Path, case: Case) -> None:
    holds(tmp_path, case, case.code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, (_, cases) in TRAININGS.items() for name in cases]
)
def test_a_training_is_as_without_tfperf(tmp_path: Path, module: str, name: str) -> None:
    pytest.importorskip(module)
    begin, cases = TRAININGS[module]
    holds(tmp_path, cases[name], begin + cases[name].code)
