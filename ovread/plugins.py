"""The plugin host: finds backends, loads each in isolation, and calls one of them."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import pluggy

from ovread import hookspecs
from ovread.backend import BackendInfo
from ovread.errors import (
    BackendBrokenError,
    BackendChoiceError,
    BackendConflictError,
    BackendNotInstalledError,
    OptionError,
    UnknownBackendError,
    did_you_mean,
)

_log = logging.getLogger("ovread.plugins")

ENVIRONMENT_VARIABLE = "OVREAD_BACKEND"

PUBLISHED = MappingProxyType({"physx": "ovread-physx", "newton": "ovread-newton"})
"""Backends that exist on the package index, so that one which is missing can be named with its remedy."""

_REQUIRED_HOOKS = ("ovread_describe_backend", "ovread_open", "ovread_objects", "ovread_bind_read")


@attrs.frozen
class _Loaded:
    info: BackendInfo
    plugin: Any = None
    conflict: bool = False


class Plugins:
    """The backends of this process.

    Args:
        entry_points: What to load; None for the installed entry points of the group ``ovread.backends``.
    """

    def __init__(self, entry_points: Iterable[importlib.metadata.EntryPoint] | None = None) -> None:
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        if entry_points is None:
            entry_points = importlib.metadata.entry_points(group=hookspecs.GROUP)
        self._loaded: dict[str, _Loaded] = {}
        for entry_point in sorted(entry_points, key=lambda point: point.name):
            self._load(entry_point)
        for name, distribution in PUBLISHED.items():
            if name not in self._loaded:
                reason = f"not installed: pip install {distribution}"
                info = BackendInfo(name=name, distribution=distribution, available=False, reason=reason)
                self._loaded[name] = _Loaded(info)

    def add(self, name: str, plugin: Any, *, distribution: str, version: str) -> None:
        """Add a backend that is at hand, such as a module with the hooks.

        Raises:
            BackendConflictError: There is one of that name.
            pluggy.PluginValidationError, TypeError: It does not meet the contract.
        """
        first = self._loaded[name].info.distribution if name in self._loaded else None
        if first not in (None, PUBLISHED.get(name)):
            raise BackendConflictError(f"Backend {name!r} is provided by {first} already, not only by {distribution}.")
        try:
            described = self._register(name, plugin)
        except Exception:
            if self._manager.has_plugin(name):
                self._manager.unregister(name=name)
            raise
        info = attrs.evolve(described, name=name, distribution=distribution, version=version)
        self._loaded[name] = _Loaded(info, plugin)

    def _register(self, name: str, plugin: Any) -> BackendInfo:
        self._manager.register(plugin, name=name)
        self._manager.check_pending()
        implemented = {caller.name for caller in self._manager.get_hookcallers(plugin) or ()}
        missing = [hook for hook in _REQUIRED_HOOKS if hook not in implemented]
        if missing:
            raise TypeError(f"it does not implement {', '.join(missing)}")
        described = Backend(self._manager, plugin, BackendInfo()).hooks.ovread_describe_backend()
        if not isinstance(described, BackendInfo):
            raise TypeError(f"ovread_describe_backend returned {type(described).__name__}, not BackendInfo")
        return described

    def _load(self, entry_point: importlib.metadata.EntryPoint) -> None:
        name = entry_point.name
        distribution, version = _origin(entry_point)
        if name in self._loaded:
            self._loaded[name] = self._in_conflict(name, distribution)
            return
        try:
            self.add(name, entry_point.load(), distribution=distribution, version=version)
        except (Exception, SystemExit) as error:  # a broken plugin breaks only itself
            reason = f"{distribution} {version} failed to load: {type(error).__name__}: {error}"
            info = BackendInfo(name=name, distribution=distribution, version=version, available=False, reason=reason)
            self._loaded[name] = _Loaded(info)

    def _in_conflict(self, name: str, distribution: str) -> _Loaded:
        first = self._loaded[name].info
        if self._manager.has_plugin(name):
            self._manager.unregister(name=name)
        both = f"{first.distribution} and {distribution}"
        reason = f"two backends are called {name!r}: {both} provide one each; uninstall one of them"
        info = BackendInfo(name=name, distribution=both, available=False, reason=reason)
        return _Loaded(info, conflict=True)

    def infos(self) -> dict[str, BackendInfo]:
        """Return all backends by name: installed, missing and broken."""
        return {name: loaded.info for name, loaded in sorted(self._loaded.items())}

    def get(self, name: str) -> Backend:
        """Return one backend by its name.

        Raises:
            BackendError: It is unknown, missing, broken or in conflict; each case is a class of its own.
        """
        loaded = self._loaded.get(name)
        if loaded is None:
            known = ", ".join(sorted(self._loaded))
            raise UnknownBackendError(f"Unknown backend {name!r}.{did_you_mean(name, self._loaded)} Known: {known}.")
        if loaded.plugin is not None:
            return Backend(self._manager, loaded.plugin, loaded.info)
        if loaded.conflict:
            raise BackendConflictError(f"Backend {name!r} is ambiguous: {loaded.info.reason}.")
        if not loaded.info.version:
            raise BackendNotInstalledError(f"Backend {name!r} is {loaded.info.reason}")
        raise BackendBrokenError(f"Backend {name!r} is broken: {loaded.info.reason}")

    def labelled(self, label: str | None = None) -> tuple[Backend, dict[str, Any]]:
        """Return the backend that a label such as ``newton:steel`` names, and the option that its variant means.

        Args:
            label: Name, or name and variant; None for ``$OVREAD_BACKEND``, else the only one installed.

        Raises:
            BackendError: As for :meth:`get`, or there is no backend to take, or several.
            OptionError: The backend has no such variant.
        """
        label = label or os.environ.get(ENVIRONMENT_VARIABLE) or self._only_one()
        name, _, variant = label.partition(":")
        backend = self.get(name)
        return backend, backend.option_of(variant) if variant else {}

    def _only_one(self) -> str:
        available = [name for name, loaded in self._loaded.items() if loaded.plugin is not None]
        if len(available) == 1:
            return available[0]
        if available:
            raise BackendChoiceError(
                f"Several backends are installed ({', '.join(sorted(available))}): name one (backend=, or "
                f"--backend) or set ${ENVIRONMENT_VARIABLE}."
            )
        remedies = " or ".join(f"pip install {distribution}" for distribution in PUBLISHED.values())
        raise BackendChoiceError(f"No backend is installed: {remedies}.")

    def all(self) -> list[Backend]:
        """Return every backend that loaded."""
        return [Backend(self._manager, loaded.plugin, loaded.info) for loaded in self._loaded.values() if loaded.plugin]

    def prepare_process(self) -> None:
        """Let each backend load what must be loaded before another engine's libraries.

        One that fails is left to fail again, with its own message, when it is opened.
        """
        for backend in self.all():
            try:
                backend.hooks.ovread_prepare_process()
            except Exception as error:
                _log.warning("%s could not prepare the process: %s", backend.info.name, error)

    def usd_schemas(self) -> list[Path]:
        """Return the USD schema folders of all backends, each once."""
        folders = [Path(folder) for found in self._manager.hook.ovread_usd_schemas() for folder in found]
        return list(dict.fromkeys(folders))


class Backend:
    """One backend: its description, and its hooks alone."""

    def __init__(self, manager: pluggy.PluginManager, plugin: Any, info: BackendInfo) -> None:
        self.info = info
        self._manager = manager
        self._plugin = plugin

    @functools.cached_property
    def hooks(self) -> pluggy.HookRelay:
        """The hook callers of this plugin, all others left out."""
        others = [plugin for plugin in self._manager.get_plugins() if plugin is not self._plugin]
        relay = pluggy.HookRelay()
        for name in dir(hookspecs):
            if name.startswith("ovread_"):
                setattr(relay, name, self._manager.subset_hook_caller(name, remove_plugins=others))
        return relay

    def option_of(self, variant: str) -> dict[str, Any]:
        """Return the option that a variant's name stands for.

        Raises:
            OptionError: The backend has no such variant.
        """
        for option in self.info.options:
            if variant in option.choices:
                return {option.name: variant}
        names = [str(choice) for option in self.info.options for choice in option.choices]
        raise OptionError(
            f"Backend {self.info.name!r} has no variant {variant!r}.{did_you_mean(variant, names)} "
            f"Variants: {', '.join(names) or 'none'}."
        )

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all of the backend's options, defaults filled in.

        Raises:
            OptionError: It has no such option, or does not take the value.
        """
        known = {option.name: option for option in self.info.options}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise OptionError(
                    f"Backend {self.info.name!r} has no option {name!r}.{did_you_mean(name, known)} Options: {names}."
                )
            choices = known[name].choices
            if choices and value not in choices:
                raise OptionError(f"{name}={value!r}: backend {self.info.name!r} takes {_listed(choices)}.")
        return {name: given.get(name, option.default) for name, option in known.items()}


def _listed(choices: Sequence[Any]) -> str:
    return " or ".join(repr(choice) for choice in choices)


def _origin(entry_point: importlib.metadata.EntryPoint) -> tuple[str, str]:
    distribution = entry_point.dist
    return (distribution.name, distribution.version) if distribution else (entry_point.value, "?")


@functools.cache
def installed() -> Plugins:
    """Return the plugins of this process, loaded on the first call."""
    return Plugins()


def backends() -> dict[str, BackendInfo]:
    """Return all backends by name: installed ones, known ones that are missing, and broken ones.

    No engine is imported. ``info.available`` says whether it can be opened, ``info.reason`` why not.
    """
    return installed().infos()
