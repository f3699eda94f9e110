"""Requests to the API: each operation is described once, and used by both clients.

A method marked with `operation` builds a `Request[T]`. On a `Lesart` calling it sends the request and returns a T; on
an `AsyncLesart` it returns an awaitable of a T. Type checkers see both.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    import httpx2
    import pandas as pd

    from lesart_client.clients import AsyncLesart, Lesart

T = TypeVar("T")
P = ParamSpec("P")


def read_json(response: httpx2.Response) -> Any:
    return response.json()


def read_bytes(response: httpx2.Response) -> bytes:
    return response.content


def read_results(response: httpx2.Response) -> Any:
    return response.json()["results"]


def read_nothing(response: httpx2.Response) -> None:
    return None


def read_frame(response: httpx2.Response) -> pd.DataFrame:
    """A CSV as a frame: an empty cell is undefined, and words such as NA or None stay words."""
    import pandas as pd

    return pd.read_csv(io.BytesIO(response.content), keep_default_na=False, na_values=[""])


@dataclass(frozen=True)
class Request(Generic[T]):
    """The request, and how its reply is read. A POST has an idempotency key, so that it can be repeated safely."""

    method: str
    address: str
    read: Callable[[httpx2.Response], T]
    json: Mapping[str, Any] | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] | None = None
    form: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False  # wait for the job that computes the result, if the server replies with one

    def as_arguments(self) -> dict[str, Any]:
        """The keyword arguments for httpx's `request`."""
        given = {"json": self.json, "params": self.query or None, "files": self.files, "data": self.form}
        return {"method": self.method, "url": self.address, "headers": dict(self.headers)} | {
            name: value for name, value in given.items() if value is not None
        }


def get(address: str, read: Callable[[httpx2.Response], T], *, waits: bool = False, **query: Any) -> Request[T]:
    return Request("GET", address, read, query=drop_empty(query), waits=waits)


def post(address: str, read: Callable[[httpx2.Response], T], body: Mapping[str, Any] | None = None) -> Request[T]:
    return Request("POST", address, read, json=drop_empty(body or {}), headers=make_key())


def send_file(address: str, read: Callable[[httpx2.Response], T], name: str, content: bytes, **form: Any) -> Request[T]:
    values = {key: str(value).lower() if isinstance(value, bool) else value for key, value in drop_empty(form).items()}
    return Request("POST", address, read, files={"file": (name, content)}, form=values, headers=make_key())


def make_key() -> dict[str, str]:
    return {"Idempotency-Key": secrets.token_urlsafe(16)}


def drop_empty(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


class operation(Generic[P, T]):
    """Marks a function that builds a request: calling it on a client sends the request."""

    def __init__(self, build: Callable[P, Request[T]]):
        self.build, self.__doc__ = build, build.__doc__

    @overload
    def __get__(self, client: None, owner: Any) -> Callable[P, Request[T]]: ...
    @overload
    def __get__(self, client: Lesart, owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncLesart, owner: Any) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        if client is None:
            return self.build

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.send(self.build(*args, **kwargs))

        call.__doc__, call.__name__ = self.__doc__, self.build.__name__
        return call


class listing(Generic[P, T]):
    """Marks a function that builds the request of a list: called on a client it iterates over all pages."""

    def __init__(self, build: Callable[P, Request[list[T]]]):
        self.build, self.__doc__ = build, build.__doc__

    @overload
    def __get__(self, client: None, owner: Any) -> Callable[P, Request[list[T]]]: ...
    @overload
    def __get__(self, client: Lesart, owner: Any) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncLesart, owner: Any) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        if client is None:
            return self.build

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.iterate(self.build(*args, **kwargs))

        call.__doc__, call.__name__ = self.__doc__, self.build.__name__
        return call
