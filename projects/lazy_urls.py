"""URL patterns whose views are imported on the first request for one of them.

Results need pandas, scipy and altair: 120 MB and seconds of start time, which other processes save.
"""

from functools import partial
from importlib import import_module
from typing import Any

from django.core.checks import CheckMessage
from django.urls import ResolverMatch, URLPattern
from django.urls.resolvers import RegexPattern, RoutePattern


class LazyView:
    """A view that is not imported yet; for a class, with the arguments of `as_view`."""

    def __init__(self, module: str, name: str, initkwargs: dict[str, Any] | None = None):
        self.__module__, self._name, self._initkwargs = module, name, initkwargs

    def as_view(self, **initkwargs: Any) -> "LazyView":
        return LazyView(self.__module__, self._name, initkwargs)

    def load(self) -> Any:
        view = getattr(import_module(self.__module__), self._name)
        return view if self._initkwargs is None else view.as_view(**self._initkwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.load()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """For code that inspects all views, such as the API schema."""
        return getattr(self.load(), name)


class LazyViews:
    """Replaces a module of views in a list of URL patterns."""

    def __init__(self, module: str):
        self._module = module

    def __getattr__(self, name: str) -> LazyView:
        return LazyView(self._module, name)


class LazyPattern(URLPattern):
    """Imports its view when it matches; `reverse` needs none."""

    @property
    def lookup_str(self) -> str:
        return f"{self.callback.__module__}.{self.name}"

    def resolve(self, path: str) -> ResolverMatch | None:
        if isinstance(self.callback, LazyView) and self.pattern.match(path):
            self.callback = self.callback.load()
        return super().resolve(path)

    def check(self) -> list[CheckMessage]:
        if isinstance(self.callback, LazyView):
            self.callback = self.callback.load()
        return super().check()


def _make(kind: type[RoutePattern | RegexPattern], route: str, view: LazyView, name: str) -> LazyPattern:
    return LazyPattern(kind(route, name=name, is_endpoint=True), view, name=name)


path = partial(_make, RoutePattern)
re_path = partial(_make, RegexPattern)
