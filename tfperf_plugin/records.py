"""Frozen dataclasses that cost next to nothing to declare.

The standard library compiles six methods for each frozen dataclass when its module is imported. For the more
than two hundred of this program that took a fifth of a second, longer than all its other imports but NumPy.
Here all classes share their methods, and nothing is compiled. ``fields``, ``replace`` and ``asdict`` work as
ever: a field is that of a class which the standard library has made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:  # checkers know what the standard one makes
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, eq: bool = True) -> Callable[[type[T]], type[T]]:
        """As ``dataclasses.dataclass``, for frozen classes without ``__post_init__`` and class variables, of
        which all fields are their own.

        ``eq``: objects are compared and hashed by their fields, else by their identity.
        """
        if not frozen:
            raise TypeError("for frozen classes only")
        methods = _METHODS | (_BY_VALUE if eq else {}) | {"__dataclass_params__": _PARAMS}

        def declare(kind: type[T]) -> type[T]:
            if dataclasses.is_dataclass(kind):
                raise TypeError(f"{kind.__name__} inherits fields")
            known = {name: _field(kind, name, of) for name, of in kind.__annotations__.items()}
            made = {"__dataclass_fields__": known, "__match_args__": tuple(known)}
            for name, value in (made | methods).items():
                if kind.__dict__.get(name) is None:
                    setattr(kind, name, value)
            return kind

        return declare


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Prototype:
    field: int


_PARAMS = _Prototype.__dataclass_params__  # type: ignore[attr-defined]
_FIELD = dataclasses.fields(_Prototype)[0]._field_type  # type: ignore[attr-defined]


def _field(kind: type, name: str, annotation: Any) -> Any:
    """What the standard library knows of a field, without its search for class variables."""
    default = kind.__dict__.get(name, dataclasses.MISSING)
    field: Any = default
    if not isinstance(default, dataclasses.Field):
        field = dataclasses.field(default=default)
    elif field.default is dataclasses.MISSING:
        delattr(kind, name)
    else:
        setattr(kind, name, field.default)
    if field.default.__class__.__hash__ is None:
        raise ValueError(f"{kind.__name__}.{name}: all objects would share this default")
    field.name, field.type, field.kw_only, field._field_type = name, annotation, False, _FIELD
    return field


def _init(self: Any, /, *values: Any, **named: Any) -> None:
    kind = type(self)
    names, known = kind.__match_args__, kind.__dataclass_fields__
    given = dict(zip(names, values, strict=False)) if values else named
    if named and values:
        given |= named
    if len(given) != len(values) + len(named) or not given.keys() <= known.keys():
        raise TypeError(f"{kind.__name__}: {', '.join(named) or 'more values than fields'}")
    if len(given) < len(names):
        given = {name: given[name] if name in given else _default(known[name]) for name in names}
    self.__dict__.update(given)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    raise TypeError(f"a value for {field.name} is needed")


def _repr(self: Any) -> str:
    shown = (f.name for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in type(self).__match_args__])


def _eq(self: Any, other: Any) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


_METHODS = {"__init__": _init, "__repr__": _repr, "__setattr__": _refuse, "__delattr__": _refuse}
_BY_VALUE = {"__eq__": _eq, "__hash__": _hash}
