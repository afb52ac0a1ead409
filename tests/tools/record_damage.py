"""Damage as it happens to records that people type, paste, scan, mail and merge."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

Damage = Callable[[str, Random], str]

#: A ply with white space before it.
PLY: Final = r"(?<=[ \n(])(?:[=@*+]?[a-z]\d+\S*|\d{6})(?=[ \n])"


def in_movetext(pattern: str, instead: Callable[[re.Match[str], Random], str]) -> Damage:
    """Return a damage of one matching place of the movetext."""

    def damage(text: str, random: Random) -> str:
        begin = text.index("\n\n")
        places = list(re.finditer(pattern, text[begin:]))
        if not places:
            return text
        place = random.choice(places)
        return text[: begin + place.start()] + instead(place, random) + text[begin + place.end() :]

    return damage


def _one_of(*texts: str) -> Callable[[re.Match[str], Random], str]:
    return lambda place, random: random.choice(texts)


def _after(*texts: str) -> Callable[[re.Match[str], Random], str]:
    return lambda place, random: place[0] + random.choice(texts)


def _within(*texts: str) -> Callable[[re.Match[str], Random], str]:
    def insert(place: re.Match[str], random: Random) -> str:
        at = random.randrange(len(place[0]) + 1)
        return place[0][:at] + random.choice(texts) + place[0][at:]

    return insert


def _wide(place: re.Match[str], random: Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) for c in place[0])


def _result(text: str, random: Random) -> str:
    written = random.choice(
        (
            "½-½",
            "1:0",
            "0 : 1",
            "1 - 0",
            "draw",
            "1/2 - 1/2",
            "1–0",
            "l-0",
            "O-1",
            "South wins",
            "Nord gibt auf",
            "partie nulle",
        )
    )
    return re.sub(r"\S+\n+\Z", written + "\n", text)


def _tag_case(text: str, random: Random) -> str:
    name = random.choice(re.findall(r"\[(\w+) ", text))
    return text.replace(f"[{name} ", f"[{random.choice((name.upper(), name.lower()))} ")


def _in_each(pattern: str, instead: str) -> Damage:
    """Return a damage of every matching place of the movetext."""

    def damage(text: str, random: Random) -> str:
        begin = text.index("\n\n") + 2
        return text[:begin] + re.sub(pattern, instead, text[begin:].rstrip()) + "\n"

    return damage


def _tag_form(text: str, random: Random) -> str:
    form = random.choice((r"[\1 '\2']", r"[\1 \2]", r'[\1: "\2"]', r"[\1 “\2”", r'[ \1  "\2" ]', r'\1 "\2"'))
    return re.sub(r'\[(\w+) "([^"]*)"\]', form, text, count=random.randint(1, 9))


def _swapped(place: re.Match[str], random: Random) -> str:
    at = random.randrange(len(place[0]) - 1)
    return place[0][:at] + place[0][at + 1] + place[0][at] + place[0][at + 2 :]


def _conflict(place: re.Match[str], random: Random) -> str:
    return f"\n<<<<<<< HEAD\n{place[0]}\n=======\n{place[0]}\n>>>>>>> other\n"


#: What is damaged, by name; the text that is damaged is one record in canonical form.
DAMAGES: Final[dict[str, Damage]] = {
    "dash": in_movetext(r"(?<=\d)-(?=[a-zN])", _one_of(*"‐‑–—−－→", "--")),
    "cross": in_movetext(r"(?<=\d)x(?=[a-z])", _one_of(*"×X:✕ХхΧχ")),
    "capitals": in_movetext(PLY, lambda place, random: place[0].upper()),
    "look-alike": in_movetext(r"(?<=[ \n])[ace](?=\d)", lambda place, random: {"a": "а", "c": "с", "e": "е"}[place[0]]),
    "full width": in_movetext(PLY, _wide),
    "l for 1": in_movetext(r"(?<=[a-z])1(?=[-x \n])", _one_of("l", "I")),
    "O for 0": in_movetext(r"(?<=[a-z]1)0(?=[-x \n])", _one_of("O", "o")),
    "no sign": in_movetext(r"(?<=\d)-(?=[a-z])", _one_of("")),
    "spaces within": in_movetext(r"(?<=\d)[-x](?=[a-z])", lambda place, random: random.choice((f" {place[0]} ", " "))),
    "other sign": in_movetext(r"(?<=\d)[-x](?=[a-z])", lambda place, random: "x" if place[0] == "-" else "-"),
    "strange space": in_movetext(r"(?<=\S) (?=\S)", _one_of(*"\u00a0\u2003\u3000\u2028\x0b\x0c\x85")),
    "invisible": in_movetext(PLY, _within(*"\u200b\u200d\u2060\ufeff\u00ad\u200e\x00\x07\x1b")),
    "separator": in_movetext(PLY, _after(",", ".", " ,", " .", "|", " /")),
    "no space": in_movetext(r"(?<=\d) (?=[a-z]\d)", _one_of(",", ".", ";")),
    "value": in_movetext(PLY, _after("+-", " +-", "±", " ∓", "=", " +/=", "∞", " ⩱", "‼")),
    "number": in_movetext(r"\d+(?=\.)", lambda place, random: str(int(place[0]) + random.randint(1, 9))),
    "low number": in_movetext(r"\d+(?=\.)", lambda place, random: str(max(1, int(place[0]) - random.randint(1, 9)))),
    "dots": in_movetext(r"(?<=\d)\. ", _one_of(".. ", "... ", ") ", ": ", ", ", "… ")),
    "no dot": in_movetext(r"(?<=\d)\. ?", _one_of(" ", "")),
    "lost ply": in_movetext(PLY + r"[ \n]", _one_of("")),
    "lost plies": in_movetext(PLY + r"[ \n]" + PLY + r"[ \n]", _one_of("")),
    "illegible ply": in_movetext(PLY, _one_of("...", "…", "?", "-", "--", "(?)")),
    "doubled ply": in_movetext(PLY, lambda place, random: f"{place[0]} {place[0]}"),
    "result": _result,
    "no result": lambda text, random: re.sub(r"\S+\n+\Z", "\n", text),
    "tag name": _tag_case,
    "quotes": lambda text, random: re.sub(r'"([^"\n]*)"\]', r"“\1”]", text, count=random.randint(1, 3)),
    "blank lines": lambda text, random: text.replace("]\n[", "]\n\n[", random.randint(1, 5)),
    "line ends": lambda text, random: text.replace("\n", random.choice(("\r\n", "\r", "\r\r\n"))),
    "line end in a ply": in_movetext(r"(?<=\d)-(?=[a-z])", _one_of("-\n", "\n-")),
    "quoted mail": lambda text, random: (
        text[: text.index("\n\n") + 2] + re.sub("(?m)^(?=.)", "> ", text[text.index("\n\n") + 2 :])
    ),
    "tag form": _tag_form,
    "tag in two lines": lambda text, random: text.replace("Random game", "Random\n game"),
    "doubled tag": lambda text, random: re.sub(r"(\[.*\n)", r"\1\1", text, count=random.randint(1, 9)),
    "date": lambda text, random: text.replace(
        "????.??.??",
        random.choice(("46347", "11/21/2026", "2026-11-21T00:00:00", "21.11.26", "Nov-26", "21 mars 2026", "21/11/26")),
    ),
    "swapped characters": in_movetext(PLY, _swapped),
    "number of a list": in_movetext(r"(?<=\d)\.(?= )", _one_of(")", ".)", ":", " .", " . ", "º", ".0.")),
    "lost number": in_movetext(r"\d+\. ", _one_of("")),
    "scanned ply": in_movetext(
        PLY, lambda place, random: place[0].translate(str.maketrans("1508", random.choice(("lSOB", "ISoB", "|5oB"))))
    ),
    "hyphenated line": in_movetext(
        r"(?<=\d) (?=[a-z]\d)", _one_of("-\n", "\u00ad\n", "\n- 12 -\n", "\n\n12\n\n", "\n\f")
    ),
    "web page": in_movetext(PLY, lambda place, random: f"<b>{place[0]}</b>".replace("-", "&ndash;")),
    "escape": in_movetext(r"(?<=\S) (?=\S)", _one_of("&nbsp;", "&#160;", "&ensp;", "<br>", "<br/>\n")),
    "escaped page": lambda text, random: text.replace('"', "&quot;").replace(
        "-", random.choice(("&#8211;", "&ndash;"))
    ),
    "code fence": lambda text, random: f"```\n{text.rstrip()}\n```\n",
    "bullets": _in_each("(?m)^", "- "),
    "table": _in_each(" ", "\t| "),
    "semicolons": _in_each(" ", ";"),
    "commas at the end": _in_each("(?m)$", ",,,"),
    "quoted cells": lambda text, random: re.sub(
        "(?m)^(.+)$", lambda line: '"' + line[1].replace('"', '""') + '"', text
    ),
    "signature": lambda text, random: f"Hi Bob,\n\n{text.rstrip()}\n\n-- \nAnn\nTel. 12-34\n",
    "conflict": in_movetext(PLY, _conflict),
    "byte order mark": lambda text, random: "\ufeff" + text,
}
