"""Every state of the dev page in light and dark, against the pictures that are committed.

All text is drawn as boxes (boxes.py), so that the pictures do not depend on the fonts of a machine. After a
change that is meant: ``make pictures``, and look at the difference. A state gets its pictures with its entry
in frontend/src/states.ts. What differs is left in ``.pictures``, as it is now and marked in red.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import REPOSITORY
from tests.e2e import boxes
from tests.e2e.fakes import ask, settle, show, state_names

PICTURES = Path(__file__).parent / "pictures"
DIFFERENCES = REPOSITORY / ".pictures"
UPDATE = "TFPERF_UPDATE_PICTURES" in os.environ
#: Down to the sections; with everything unfolded, beyond them.
WIDTH, HEIGHT, OPENED_HEIGHT = 1180, 2400, 8500
#: Native controls and the edges of curves differ a little between versions of Chromium.
MOST_DIFFERENT_PIXELS = 1_500
#: The states that are also drawn with everything unfolded.
OPENED = ("staggered", "crowded", "better")
MOST_BYTES = 4_000_000

THEMES = ("light", "dark")


def try_a_threshold(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Thresholds: ")).first.click()
    panel = page.locator("tfperf-thresholds")
    panel.get_by_role("textbox").first.fill("90 %")
    panel.get_by_role("textbox").first.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("With 90 % instead of")


#: An init script; a window that was used before has it already.
BOXES = f"""
addEventListener('DOMContentLoaded', () => {{
  if (document.getElementById('boxes')) return;
  const style = Object.assign(document.createElement('style'), {{ id: 'boxes' }});
  style.textContent = {boxes.style_sheet()!r};
  document.head.append(style);
}});
"""

#: What a user does in the state "staggered".
ACTS = {"tried-threshold": try_a_threshold}
CASES = [
    *((state, False) for state in [*state_names(), *ACTS]),
    *((state, True) for state in OPENED),
]


def prepare(page: Page, fakes: str, state: str, opened: bool) -> None:
    """Shows a state, or what follows from an act, in light and with boxes instead of text."""
    # Rows of the board are asked for as they come into view: here all of them.
    page.set_viewport_size(
        {"width": WIDTH, "height": HEIGHT if state.startswith(("runs", "tuned")) else 1000}
    )
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script(BOXES)
    show(page, fakes, "staggered" if state in ACTS else state, "light", opened=opened)
    if state in ACTS:
        ACTS[state](page)
        settle(page)
    if opened:
        # Hundreds of rows, below which no section would be seen.
        page.get_by_text("What is in view, as a table").evaluate("summary => summary.click()")
        # What is drawn when it comes near the screen.
        page.set_viewport_size({"width": WIDTH, "height": OPENED_HEIGHT})
        settle(page)


def picture(page: Page, theme: str, opened: bool) -> bytes:
    """What the page shows, after a change of the theme if there is one."""
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    settle(page)
    # The last findings of a huge report come in pieces.
    main = page.locator("tfperf-app main").bounding_box()
    assert main is not None
    height = round(main["y"] + main["height"])
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(height, OPENED_HEIGHT if opened else HEIGHT)}
    return page.screenshot(full_page=True, clip=clip, animations="disabled", caret="hide")  # type: ignore[arg-type]


@pytest.mark.parametrize(("state", "opened"), CASES)
def test_it_looks_as_it_did(fakes: str, page: Page, state: str, opened: bool) -> None:
    prepare(page, fakes, state, opened)
    for theme in THEMES:
        hold(page, name_of(state, theme, opened), picture(page, theme, opened))


def name_of(state: str, theme: str, opened: bool) -> str:
    return f"{state}{'-opened' if opened else ''}-{theme}.png"


def hold(page: Page, name: str, now: bytes) -> None:
    """Holds a picture against the committed one."""
    reference = PICTURES / name
    if UPDATE:
        PICTURES.mkdir(exist_ok=True)
        if not reference.exists() or differing(page, reference.read_bytes(), now)[0] > 0:
            reference.write_bytes(now)
        return
    assert reference.exists(), "There is no picture of this state yet; run: make pictures"

    pixels, marked = differing(page, reference.read_bytes(), now)
    if pixels > MOST_DIFFERENT_PIXELS:
        DIFFERENCES.mkdir(exist_ok=True)
        (DIFFERENCES / name).write_bytes(now)
        (DIFFERENCES / f"{name.removesuffix('.png')}-marked.png").write_bytes(marked)
    assert pixels <= MOST_DIFFERENT_PIXELS, (
        f"See {DIFFERENCES.name}/{name}; if it is meant, run: make pictures"
    )


def differing(page: Page, before: bytes, after: bytes) -> tuple[int, bytes]:
    """How many pixels differ, and the picture with these in red."""
    urls = [f"data:image/png;base64,{base64.b64encode(image).decode()}" for image in (before, after)]
    found = ask(page, "difference", urls)
    return found["pixels"], base64.b64decode(found["marked"].partition(",")[2])


def test_a_difference_is_found(fakes: str, page: Page) -> None:
    prepare(page, fakes, "no-profiles", False)
    before = picture(page, "light", False)
    page.evaluate("() => { document.querySelector('tfperf-app').style.setProperty('--accent', 'red'); }")
    after = page.screenshot(animations="disabled")
    page.set_viewport_size({"width": WIDTH, "height": 900})
    lower = page.screenshot(animations="disabled")

    assert differing(page, before, before)[0] == 0
    assert differing(page, before, after)[0] > MOST_DIFFERENT_PIXELS
    assert differing(page, after, lower)[0] > MOST_DIFFERENT_PIXELS


def test_there_is_a_picture_of_every_state_and_none_besides() -> None:
    if UPDATE:
        pytest.skip("they are being written")
    names = {name_of(state, theme, opened) for state, opened in CASES for theme in THEMES}
    files = {path.name: path.stat().st_size for path in PICTURES.glob("*.png")}

    assert set(files) == names
    assert sum(files.values()) < MOST_BYTES
