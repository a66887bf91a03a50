"""Trains with PyTorch on this machine, in pairs with and without one planted cause, and profiles both.

``python -m demo.capture_torch [--out LOGDIR]`` writes a table, as ``demo.capture_gpu`` does for JAX. A
training is healthy as it is made; ``plant`` puts its cause in. What a cause costs must not hang on how fast
the GPU is: where the host works, it does as much as fits into a share of the healthy step.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from demo.capture_gpu.causes import LARGE, LIGHT, Cause, Size
from demo.capture_gpu.pairs import (
    BATCHES,
    CALLBACK_SHARE,
    INPUT_SHARE,
    NO_GPU,
    OUTPUTS,
    RATE,
    WARM_UP,
    arguments_of,
    attempt,
    drawn,
    fitting,
)
from demo.capture_gpu.table import table

torch: Any = importlib.import_module("torch") if importlib.util.find_spec("torch") else None

NO_TORCH = "PyTorch is not installed, so nothing was trained; `pip install torch` adds it."
# Steps before anything is measured, of a profile, and how often a run of as many is timed, by device.
STEPS = {"cuda": 20, "cpu": 5}
TIMES = {"cuda": 5, "cpu": 1}

CAUSES = (
    Cause("slow input in Python", ("input-bound",), "SlowInput", LARGE),
    Cause(
        "batches copied from pageable memory",
        ("h2d-copy-bound", "excessive-memcpy"),
        "CopiedBatches",
        Size(batch=65536, features=1024, width=256, layers=1),
    ),
    Cause(
        "tiny kernels",
        ("small-kernels", "kernel-launch-bound", "optimizer-per-variable"),
        "TinyKernels",
        Size(batch=256, features=512, width=512, layers=24),
    ),
    Cause("float32 instead of 16 bit", ("mixed-precision-off", "tensor-cores-unused"), "Float32", LARGE),
    Cause("host synchronisation in each step", ("host-sync-in-step",), "HostSync", LIGHT),
    Cause("work between steps", ("step-gaps",), "Callbacks", LARGE),
)


class Training:
    """The healthy loop: batches lie on the device, products are in 16 bit, nothing waits for the device."""

    def __init__(self, size: Size, device: str) -> None:
        self.size, self.device, self.planted = size, device, False
        self.random = np.random.default_rng(0)
        widths = [size.features, *[size.width] * (size.layers + 1), OUTPUTS]
        layers = [torch.nn.Linear(*pair) for pair in pairwise(widths)]
        activated = [part for layer in layers[:-1] for part in (layer, torch.nn.ReLU())]
        self.model = torch.nn.Sequential(*activated, layers[-1]).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=RATE, fused=device == "cuda")
        self.ready = [self.host_batch().to(device) for _ in range(BATCHES)]

    def host_batch(self) -> Any:
        """A batch in pageable memory."""
        return torch.from_numpy(
            self.random.standard_normal((self.size.batch, self.size.features), np.float32)
        )

    def plant(self, step_s: float) -> None:
        """Puts the cause in; ``step_s``: how long a healthy step takes."""
        self.planted = True

    def batches(self) -> Iterable[Any]:
        """As many batches as are taken."""
        return cycle(self.ready)

    def losses(self, batch: Any) -> Any:
        """That of each example: the net tells the first features from all of them."""
        with torch.autocast(self.device, torch.bfloat16):
            return (self.model(batch) - batch[:, :OUTPUTS]).float().square().mean(1)

    def step(self, batch: Any) -> None:
        self.optimizer.zero_grad()
        self.last = self.losses(batch)
        self.last.mean().backward()
        self.update()

    def update(self) -> None:
        self.optimizer.step()

    def between(self) -> None:
        """What runs after each step."""

    def run(self, steps: int, profiler: Any = None) -> None:
        """Makes ``steps`` steps; returns once the device has done them."""
        for batch in islice(self.batches(), steps):
            self.step(batch)
            self.between()
            if profiler:
                profiler.step()
        if self.device == "cuda":
            torch.cuda.synchronize()

    def profile(self, folder: Path, steps: int) -> None:
        """Records ``steps`` steps into a log directory, as users do."""
        with torch.profiler.profile(
            schedule=torch.profiler.schedule(wait=1, warmup=WARM_UP, active=steps),
            on_trace_ready=torch.profiler.tensorboard_trace_handler(str(folder)),
            record_shapes=True,
            profile_memory=True,
        ) as profiler:
            self.run(1 + WARM_UP + steps, profiler)


class SlowInput(Training):
    """Planted: Python unpacks examples one by one. Instead: batches were made before."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        packed = [zlib.compress(row.tobytes(), 1) for row in self.host_batch().numpy()]
        calls = fitting(lambda: zlib.decompress(packed[0]), INPUT_SHARE * step_s)
        self.loader = torch.utils.data.DataLoader(
            Examples(packed, calls / self.size.batch), self.size.batch, num_workers=0
        )

    def batches(self) -> Iterable[Any]:
        return self._loaded() if self.planted else super().batches()

    def _loaded(self) -> Iterator[Any]:
        while True:
            for batch in self.loader:
                yield batch.to(self.device)


class Examples(torch.utils.data.Dataset if torch else object):  # type: ignore[misc]
    """Examples in memory, compressed; each is unpacked so many times on average."""

    def __init__(self, packed: Sequence[bytes], calls: float) -> None:
        self.packed, self.calls = packed, calls
        self.made = np.frombuffer(zlib.decompress(packed[0]), np.float32).copy()

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> Any:
        for _ in range(int((index + 1) * self.calls) - int(index * self.calls)):
            zlib.decompress(self.packed[index % len(self.packed)])
        return self.made


class CopiedBatches(Training):
    """Planted: each step copies a batch from pageable memory. Instead: batches lie on the device."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.on_host = [self.host_batch() for _ in range(BATCHES)]

    def batches(self) -> Iterable[Any]:
        return (batch.to(self.device) for batch in cycle(self.on_host)) if self.planted else super().batches()


class TinyKernels(Training):
    """Planted: the optimizer updates each parameter with kernels of its own. Instead: with few for all."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=RATE, foreach=False)


class Float32(Training):
    """Planted: products in float32. Instead: in 16 bit."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        torch.set_float32_matmul_precision("highest")

    def losses(self, batch: Any) -> Any:
        if not self.planted:
            return super().losses(batch)
        return (self.model(batch) - batch[:, :OUTPUTS]).square().mean(1)


class HostSync(Training):
    """Planted: Python reads the gradients' norm to clip by it. Instead: the norm stays on the device."""

    def update(self) -> None:
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        if self.planted and norm.item() > 1:
            self.optimizer.param_groups[0]["lr"] = RATE
        super().update()


class Callbacks(Training):
    """Planted: the loss with its bootstrapped spread after each step. Instead: once, after training."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        losses = self.last.detach().cpu().numpy()
        self.draws = fitting(lambda: drawn(self.random, losses), CALLBACK_SHARE * step_s)

    def between(self) -> None:
        if self.planted:
            losses = self.last.detach().cpu().numpy()
            self.spread = np.std([drawn(self.random, losses) for _ in range(self.draws)])


def make(cause: Cause, device: str) -> Training:
    """The healthy training of a cause."""
    made: Training = globals()[cause.training](cause.size if device == "cuda" else cause.size.small, device)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = arguments_of("capture_torch", CAUSES, STEPS["cuda"]).parse_args(arguments)
    if torch is None:
        print(NO_TORCH, file=sys.stderr)
        return 2
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        print(NO_GPU, file=sys.stderr)
    steps = options.steps or STEPS[device]
    pairs = []
    with tempfile.TemporaryDirectory() as temporary:
        for cause in (cause for cause in CAUSES if not options.only or cause.folder in options.only):
            print(cause.name, file=sys.stderr, flush=True)
            out = options.out or Path(temporary)
            pairs.append(attempt(cause, partial(make, cause, device), out, steps, TIMES[device]))
    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    print(table(pairs, name, f"PyTorch {torch.__version__}", steps), end="")
    return 1 if any(pair.failure for pair in pairs) else 0


if __name__ == "__main__":
    raise SystemExit(main())
