"""Drawings in a real browser: no text runs out of the picture, over another text, or over the edge of a piece."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, find_browser

from ringfen import Position, game_ids
from ringfen.notation.random_play import Generator, random_plies

pytestmark = pytest.mark.browser

POSITIONS = 200
STARTS = {
    "gyges": ["gyges", "gyges 321123/....../....../....../....../321123 s - 3+2"],
    "rings": ["rings", "rings k1k1k/.1.1./11111/13531/11111/.1.1./K1K1K s 0+0 0"],
    "siaius": ["siaius", "siaius sms/3/SMT s - - 0", "siaius smt1c/5/5/5/SMT1C s - - 0 beats=reverse huff=stone"],
    "gran": ["gran", "gran -:3:-/-:3:-/-:3:-/-:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=4"],
}
#: What is wrong with any drawing of the page, in words.
MEASURE = """(() => {
    const found = [];
    const box = e => { const b = e.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; };
    const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    for (const svg of document.querySelectorAll('svg')) {
        const say = (...words) => found.push(svg.querySelector('desc').textContent + ': ' + words.join(' '));
        const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
        const texts = [...svg.querySelectorAll('text')].map(e => [e.textContent, box(e)]);
        const circles = [...svg.querySelectorAll('circle')].map(
            e => ['cx', 'cy', 'r'].map(name => Number(e.getAttribute(name))));
        texts.forEach(([words, a], index) => {
            if (a[0] < 0 || a[1] < 0 || a[2] > width || a[3] > height) say(words, 'runs out of the picture');
            for (const [others, b] of texts.slice(index + 1)) if (meet(a, b)) say(words, 'runs over', others);
            for (const [x, y, r] of circles) {
                const far = Math.max(...[0, 2].map(i => Math.abs(a[i] - x)), ...[1, 3].map(i => Math.abs(a[i] - y)));
                const dx = Math.max(a[0] - x, 0, x - a[2]), dy = Math.max(a[1] - y, 0, y - a[3]);
                const on = (a[0] + a[2]) / 2 - x, down = (a[1] + a[3]) / 2 - y;
                if (Math.hypot(on, down) < 4 ? far > r : Math.hypot(dx, dy) < r - 1.5) say(words, 'over a piece');
            }
        });
    }
    return found;
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_browser()
    assert program is not None, "--browser needs Chromium"
    with Browser(program) as started:
        yield started


def drawings(game_id: str) -> Iterator[str]:
    """Positions of random games, spread over all their length; every other one turned."""
    starts = STARTS.get(game_id, [game_id])
    lengths = {"gran": 900, "rings": 120, "siaius": 160}
    for seed in range(POSITIONS):
        most = lengths.get(game_id, 80) * seed // POSITIONS
        plies, position = random_plies(Position(starts[seed % len(starts)]), Generator(seed), most)
        yield position.svg(side="sn"[seed % 2], last=plies[-1] if plies else None)


@pytest.mark.parametrize("font", ["sans-serif", "DejaVu Sans"])
@pytest.mark.parametrize("game_id", game_ids())
def test_no_text_runs_over_anything(game_id: str, font: str, browser: Browser, tmp_path: Path) -> None:
    svgs = list(drawings(game_id))
    assert len(svgs) == POSITIONS
    page = tmp_path / "drawings.html"
    style = f'<style>text{{font-family:"{font}"}}</style>' if font != "sans-serif" else ""
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8">{style}{"".join(svgs)}', encoding="utf-8")
    browser.open(page)
    assert browser.value("document.querySelectorAll('svg').length") == POSITIONS
    assert browser.value("document.querySelectorAll('svg text').length") > 10 * POSITIONS
    assert browser.value(MEASURE) == []


def test_the_measurements_can_fail(browser: Browser, tmp_path: Path) -> None:
    svg = Position("rings").svg()
    page = tmp_path / "bad.html"
    at = re.compile(r'<text x="64" (y="[0-9.]+" font-size="14")')
    assert at.search(svg)
    damaged = at.sub(r'<text x="120" \1', svg)
    wider = svg.replace(">South to move<", f">{'South to move ' * 8}<")
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8">{damaged}{wider}', encoding="utf-8")
    browser.open(page)
    found = browser.value(MEASURE)
    assert any("runs over" in words for words in found)
    assert any("runs out of the picture" in words for words in found)


def test_dark_ground_changes_colours_and_keeps_contrast(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "one.html"
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8">{Position("gyges").svg()}', encoding="utf-8")
    browser.open(page)
    colours = "['svg > rect', 'svg > text:last-of-type'].map(s => getComputedStyle(document.querySelector(s)).fill)"
    seen = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        seen[scheme] = [sum(map(int, re.findall(r"\d+", colour))) / 765 for colour in browser.value(colours)]
    browser.call("Emulation.setEmulatedMedia", features=[])
    assert seen["light"][0] > 0.9 > 0.5 > seen["light"][1]
    assert seen["dark"][0] < 0.2 < 0.5 < seen["dark"][1]
