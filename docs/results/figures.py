"""Draw the distributions of distances that the pages of results contain: ``python docs/results/figures.py``.

Writes one SVG per figure next to this file. The numbers come from the tables of the pages.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

RESULTS = Path(__file__).parent
PAGE = "gyges-tables.md"
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 100, 40, 30


def distances(heading: str) -> dict[int, int]:
    """Return the numbers of placements by distance, from the table of four pairs of columns below a heading."""
    found: dict[int, int] = {}
    section = (RESULTS / PAGE).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if re.fullmatch(r"(\| +\d+ \| [\d,]+ )+(\| +\| +)*\|", line):
            cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
            found |= {int(plies): int(count) for plies, count in zip(cells[::2], cells[1::2], strict=True) if plies}
    return found


def drawing(title: str, counts: dict[int, int]) -> str:
    """Return bars on a logarithmic scale: odd distances are wins, even ones losses."""
    top = math.ceil(math.log10(max(counts.values())))
    step = (WIDTH - LEFT - 10) / (max(counts) + 1)
    scale = (HEIGHT - BOTTOM - TOP) / top
    base = HEIGHT - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="16" font-size="13">{title}</text>',
    ]
    for power in range(top + 1):
        y = base - power * scale
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 10}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    for plies, count in sorted(counts.items()):
        height = max(1.0, math.log10(count) * scale)
        colour = "#1b6ca8" if plies % 2 else "#c8553d"
        x = LEFT + plies * step
        parts.append(
            f'<rect x="{x:.1f}" y="{base - height:.1f}" width="{step * 0.8:.1f}" height="{height:.1f}" '
            f'fill="{colour}"/>'
        )
        if plies % 10 == 0:
            parts.append(f'<text x="{x + step * 0.4:.1f}" y="{base + 14}" text-anchor="middle">{plies}</text>')
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 8}">plies to the end: odd, the side to move wins; even, it loses</text>'
    )
    return "\n".join([*parts, "</svg>", ""])


FIGURES = {
    "gyges-112233.svg": ("Gygès, rings 112233: won and lost placements by distance", "Two rings of each height"),
    "gyges-1112233.svg": ("Gygès, rings 1112233: won and lost placements by distance", "Seven rings"),
}


def main() -> None:
    """Write every figure."""
    for name, (title, heading) in FIGURES.items():
        (RESULTS / name).write_text(drawing(title, distances(heading)), encoding="utf-8")


if __name__ == "__main__":
    main()
