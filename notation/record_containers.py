"""The lists and dictionaries of a record, which reject invalid items: comments, NAGs, tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, SupportsIndex, TypeVar

from ringfen.errors import RecordError
from ringfen.notation.diagnostics import quoted

T = TypeVar("T")


def check_comment_type(comment: object) -> None:
    """Reject a comment that is not a text.

    :raises TypeError: It is not a str.
    """
    if not isinstance(comment, str):
        raise TypeError(f"a comment must be a str, not {type(comment).__name__}")


def check_nag(nag: object) -> None:
    """Reject a NAG that cannot be written.

    :raises ringfen.RecordError: It is not a number from 0 to 255.
    :raises TypeError: It is not an int.
    """
    if type(nag) is not int:
        raise TypeError(f"a NAG must be an int, not {type(nag).__name__}")
    if not 0 <= nag <= 255:
        words = f"a NAG is a number from 0 to 255, not {quoted(str(nag))}"
        raise RecordError(words, reason="no-written-form", text=str(nag), length=len(str(nag)))


class Checked(list[T]):
    """A list that rejects wrong items when they are added; all or none of several."""

    __slots__ = ()
    _check: Callable[[object], None]

    def append(self, item: T, /) -> None:
        """Add an item at the end."""
        type(self)._check(item)
        super().append(item)

    def insert(self, index: SupportsIndex, item: T, /) -> None:
        """Add an item before a place."""
        type(self)._check(item)
        super().insert(index, item)

    def extend(self, items: Iterable[T], /) -> None:
        """Add items at the end."""
        super().extend(self._checked(items))

    def __iadd__(self, items: Iterable[T], /) -> Checked[T]:  # type: ignore[misc, override]
        self.extend(items)
        return self

    def __setitem__(self, index: Any, value: Any, /) -> None:
        super().__setitem__(index, self._checked(value) if isinstance(index, slice) else self._checked([value])[0])

    def _checked(self, items: Iterable[T]) -> list[T]:
        made = list(items)
        for item in made:
            type(self)._check(item)
        return made


class Comments(Checked[str]):
    """Texts."""

    __slots__ = ()
    _check = staticmethod(check_comment_type)


class Nags(Checked[int]):
    """Numbers from 0 to 255."""

    __slots__ = ()
    _check = staticmethod(check_nag)


class Tags(dict[str, str]):
    """Tags that reject names and values of wrong types when they are set."""

    __slots__ = ()

    def __setitem__(self, name: str, value: str, /) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a tag must be a str, not {type(name).__name__}")
        if not isinstance(value, str):
            raise TypeError(f"the tag {name} must be a str, not {type(value).__name__}")
        super().__setitem__(name, value)

    def setdefault(self, name: str, value: str = "", /) -> str:
        """Return the value of a tag, which is set if there is none."""
        if name not in self:
            self[name] = value
        return self[name]

    def update(self, *tags: Any, **more: str) -> None:
        """Set tags, all or none."""
        made = tags_of(dict(*tags, **more))
        super().update(made)

    def __ior__(self, tags: Any, /) -> Tags:  # type: ignore[misc, override]
        self.update(tags)
        return self


def tags_of(tags: Mapping[str, str]) -> Tags:
    """Return tags that a user sets, checked.

    :raises TypeError: they are not a mapping of texts.
    """
    if not isinstance(tags, Mapping):
        raise TypeError(f"tags must be a dict of str, not {type(tags).__name__}")
    made = Tags()
    for name, value in tags.items():
        made[name] = value
    return made
