"""What belongs to the process rather than to a simulation: devices, and the engine's global settings."""

from __future__ import annotations

import ctypes
import functools
import sys
import warnings
from typing import TYPE_CHECKING

from ovread.errors import OptionError

if TYPE_CHECKING:
    import ovphysx


@functools.cache
def cuda_device_count() -> int:
    """Return how many CUDA devices the driver offers, 0 where there is no driver."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL(name)
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    except OSError:
        return 0
    return count.value


def check_device(device: str) -> None:
    """Refuse a device that is not there.

    Raises:
        OptionError: It is neither ``cpu`` nor a CUDA device of this machine.
    """
    kind, _, number = device.partition(":")
    if device == "cpu":
        return
    if kind != "cuda" or not number.isdecimal():
        raise OptionError(f"device={device!r}: backend 'physx' takes 'cpu' or 'cuda:0'.")
    count = cuda_device_count()
    if int(number) >= count:
        available = f"{count} CUDA device{'s' if count != 1 else ''}" if count else "no CUDA device"
        raise OptionError(f"device={device!r}: this machine has {available}. Use device='cpu'.")


def configure(device: str, num_threads: object) -> None:
    """Apply the process-wide settings that a simulation needs.

    Raises:
        OptionError: They cannot be changed any more.
    """
    from ovphysx import GlobalConfigKey

    if not isinstance(num_threads, int) or isinstance(num_threads, bool) or not 0 <= num_threads <= 255:
        raise OptionError(f"num_threads={num_threads!r}: the number of worker threads is an integer from 0 to 255.")
    _set(GlobalConfigKey.NUM_THREADS, num_threads, f"num_threads={num_threads}")
    if cuda_device_count():
        _set(GlobalConfigKey.CPU_ONLY, device == "cpu", f"device={device!r}")


def on_gpu(device: str) -> ovphysx.PhysX:
    """Return a new instance whose scenes keep their state on a CUDA device (DirectGPU).

    Without the override, scenes that compute on the GPU copy their state to the host each step and are read there.
    """
    import ovphysx

    config = ovphysx.PhysXConfig(carbonite_overrides={"/physics/suppressReadback": True})
    with warnings.catch_warnings():
        # The documentation names no other way than this deprecated one.
        warnings.simplefilter("ignore", DeprecationWarning)
        return ovphysx.PhysX(config=config, active_cuda_gpus=device.partition(":")[2])


def chosen_gpu(physx: ovphysx.PhysX) -> str:
    """Return the CUDA device that the owner of an instance has chosen, or the first."""
    from ovphysx.types import ConfigKey

    first = str(physx.get_config(ConfigKey.ACTIVE_CUDA_GPUS) or "").partition(",")[0]
    return f"cuda:{first}" if first.isdecimal() else "cuda:0"


def _set(key: object, value: int | bool, option: str) -> None:
    import ovphysx

    current = ovphysx.get_global_config(key)
    if current == value:
        return
    try:
        ovphysx.set_global_config(key, value)
    except (RuntimeError, ValueError) as error:
        raise OptionError(
            f"{option}: this is one setting for the whole process, now {current!r}, and PhysX refuses to change it "
            f"({error}). Close the other PhysX simulations, open them with the same value, or use a new process."
        ) from None
