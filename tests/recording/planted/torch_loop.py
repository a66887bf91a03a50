"""``python torch_loop.py CAUSE [--fixed]``: a training loop in PyTorch, slow for one cause.

``loader``: the training's own process makes batches; ``examples``: the model runs for each example.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
STEPS, BATCH = int(os.environ.get("STEPS", "45")), 16


class Images(Dataset[Any]):  # type: ignore[misc]
    """Resizes an image each time that it is asked for, or, once fixed, has resized all before."""

    def __init__(self) -> None:
        self.large = torch.rand(64, 3, 256, 256)
        self.small = [self.resized(i) for i in range(64)] if FIXED or CAUSE != "loader" else None

    def resized(self, index: int) -> Any:
        image = self.large[index : index + 1]
        return torch.nn.functional.interpolate(image, (32, 32), mode="bicubic", antialias=True)[0]

    def __len__(self) -> int:
        return STEPS * BATCH

    def __getitem__(self, index: int) -> Any:
        return (self.resized(index % 64) if self.small is None else self.small[index % 64]), index % 10


def main() -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(16, 10),
    )
    optimizer = torch.optim.Adam(model.parameters())
    for images, labels in DataLoader(Images(), batch_size=BATCH):
        optimizer.zero_grad()
        if CAUSE == "examples" and not FIXED:
            logits = torch.stack([model(image[None])[0] for image in images])
        else:
            logits = model(images)
        torch.nn.functional.cross_entropy(logits, labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
