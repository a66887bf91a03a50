"""The training beside the profile, in real TensorBoard: what it wrote, and what one can say of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from demo.build import build
from demo.scalars import write_scalars
from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit
from tests.e2e.tensorboard import tensorboard

RUN = "healthy_single_gpu"
BEGAN_S = 1_767_225_580.0
"""Before the profile of the demo run."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, cache: None) -> Iterator[str]:
    """A recorded step of 39 ms, and epochs of 36 s."""
    path = tmp_path_factory.mktemp("trained")
    build(path, (RUN,))
    epochs = (("epoch_loss", number, BEGAN_S + 36 * (number + 1)) for number in range(5))
    write_scalars(path / RUN / "train", BEGAN_S, epochs)
    with tensorboard(path) as address:
        yield address


def test_with_the_steps_of_an_epoch_the_verdict_says_how_long_they_take(
    trained: str, page: Page, visit: Visit
) -> None:
    tab = visit(trained, demo_run(RUN))
    verdict = tab.locator("tfperf-verdict")
    expect(verdict).to_contain_text("An epoch takes 36.0 s, the time of 923 recorded steps of 39.0 ms.")

    steps = verdict.get_by_label("Training steps of an epoch")
    steps.fill("some")
    steps.press("Enter")
    expect(verdict.get_by_role("alert")).to_contain_text("must be a whole number from 1 on, not 'some'")

    steps.fill("400")
    steps.press("Enter")
    expect(verdict.locator(".band")).to_contain_text("the training 90.0 ms a step")
    page.reload()
    expect(verdict.locator(".band")).to_contain_text("Its epochs hold 400 steps.")
    expect(steps).to_have_value("400")
