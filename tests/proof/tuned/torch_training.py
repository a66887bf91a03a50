"""``python torch_training.py CAUSE [--fixed]``: a loop in PyTorch, slow for one cause, or for none.

``loader``: the training's own process makes batches; ``optimizer``: an update of many small parameters, one
by one; ``none``: convolutions take all of a step.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
BATCH, STEPS = 16, 160


class Images(Dataset[Any]):  # type: ignore[misc]
    """Resizes an image each time that it is asked for, or has resized all before."""

    def __init__(self) -> None:
        self.large = torch.rand(64, 3, 128, 128)
        self.small = None if CAUSE == "loader" else [self.resized(index) for index in range(64)]

    def resized(self, index: int) -> Any:
        image = self.large[index : index + 1]
        return torch.nn.functional.interpolate(image, (32, 32), mode="bicubic", antialias=True)[0]

    def __len__(self) -> int:
        return STEPS * BATCH

    def __getitem__(self, index: int) -> Any:
        return (self.resized(index % 64) if self.small is None else self.small[index % 64]), index % 10


def model() -> Any:
    if CAUSE == "optimizer":
        hidden = [torch.nn.Flatten(), torch.nn.Linear(3072, 8), *(torch.nn.Linear(8, 8) for _ in range(80))]
        return torch.nn.Sequential(*hidden, torch.nn.Linear(8, 10))
    width = 64 if CAUSE == "none" else 16
    convolutions = [torch.nn.Conv2d(3, width, 3), torch.nn.ReLU()]
    if CAUSE == "none":
        convolutions += [torch.nn.Conv2d(width, width, 3), torch.nn.ReLU()]
    pool = [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(width, 10)]
    return torch.nn.Sequential(*convolutions, *pool)


def main() -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    net = model()
    fused = {"fused": True} if CAUSE == "optimizer" and FIXED else {}
    optimizer = torch.optim.Adam(net.parameters(), **fused)
    workers = {"num_workers": 2, "persistent_workers": True} if CAUSE == "loader" and FIXED else {}
    for images, labels in DataLoader(Images(), batch_size=BATCH, **workers):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
