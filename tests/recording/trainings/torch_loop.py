"""``python torch_loop.py STEPS``: a loop of PyTorch with processes that load."""

from __future__ import annotations

import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

STEPS = int(sys.argv[1])


def main() -> None:
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(STEPS * 8, 16)
    for batch, target in DataLoader(TensorDataset(x, x.sum(1)), batch_size=8, num_workers=1):
        loss = ((model(batch)[:, 0] - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("trained")


if __name__ == "__main__":
    main()
