"""The device and the number of threads of calls that do not name them."""

import ctypes
import functools
import math
import os
import sys

from . import _arguments, _core

DEVICE_VARIABLE = "CUDA_CONNECTED_COMPONENTS_DEVICE"
THREADS_VARIABLE = "CUDA_CONNECTED_COMPONENTS_THREADS"
_MOST_THREADS = 4096

_threads = None  # of set_num_threads

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_other_calls)


def backend(device):
    """Return the number of a backend for `device`, or for the default if it is None."""
    if device is not None:
        return _arguments.backend_of(device, "device")
    device = os.environ.get(DEVICE_VARIABLE)
    if device:
        return _arguments.backend_of(device, DEVICE_VARIABLE)
    return _core.CHILD_BACKEND if prefers_cpu() else _core.ANY_BACKEND


def prefers_cpu():
    """Return whether the CPU is the default, because the process is a child without GPU memory.

    DataLoaders, joblib and Dask start their processes by multiprocessing.
    """
    parent_process = getattr(sys.modules.get("multiprocessing.process"), "parent_process", None)
    return parent_process is not None and parent_process() is not None and not has_started_cuda()


def has_started_cuda():
    """Return whether PyTorch, CuPy or another library uses a GPU in this process."""
    try:
        driver = ctypes.CDLL("libcuda.so.1", os.RTLD_NOLOAD)
    except (AttributeError, OSError):  # not Linux, or nobody has loaded the driver
        return False
    flags, is_active, device = ctypes.c_uint(), ctypes.c_int(), 0
    # Fails after the last device, and if nobody has started CUDA.
    while not driver.cuDevicePrimaryCtxGetState(
        device, ctypes.byref(flags), ctypes.byref(is_active)
    ):
        if is_active.value:
            return True
        device += 1
    return False


def threads(number):
    """Return a number of threads for `threads=`, or the default if it is None."""
    if number is not None:
        return min(_arguments.integer_of("threads", number, 1), _MOST_THREADS)
    if _threads is not None:
        return _threads
    text = os.environ.get(THREADS_VARIABLE)
    if text:
        number = _threads_in(text)
        if number == 0:
            raise ValueError(f"{THREADS_VARIABLE} must be a positive integer, not {text!r}")
        return number
    return 1 if _is_in_worker() else min(_wanted_threads(), _processors())


def are_default():
    """Return whether no variable and no kind of process chooses the device or the threads."""
    variables = os.environ.get(DEVICE_VARIABLE) or os.environ.get(THREADS_VARIABLE)
    return not variables and not prefers_cpu()


def set_threads(number):
    """Set the default number of threads. None stands for no setting."""
    global _threads
    _threads = None if number is None else min(_arguments.integer_of("n", number, 1), _MOST_THREADS)


def _is_in_worker():
    """Return whether this process is a worker of a DataLoader of PyTorch."""
    get_worker_info = getattr(sys.modules.get("torch.utils.data"), "get_worker_info", None)
    return get_worker_info is not None and get_worker_info() is not None


def _wanted_threads():
    """Return the number of threads that PyTorch or OpenMP is to use."""
    get_num_threads = getattr(sys.modules.get("torch"), "get_num_threads", None)
    if get_num_threads is not None:  # PyTorch reads the variable of OpenMP, too
        return max(1, get_num_threads())
    text = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return _threads_in(text) or _MOST_THREADS


def _threads_in(text):
    """Return the number of threads in a text, or 0 if it has no positive integer."""
    digits = text.strip()
    if not digits.isdecimal():
        return 0
    # Python does not convert thousands of digits.
    return min(int(digits), _MOST_THREADS) if len(digits) < 1000 else _MOST_THREADS


def _processors():
    """Return the number of processors that the process may use: its affinity and its quota."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return min(count, quota_of())


@functools.lru_cache
def quota_of(groups="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """Return the number of processors that the control groups of a container allow."""
    try:
        lines = _read(groups).splitlines()
    except OSError:
        return _MOST_THREADS
    quota = math.inf
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        # The folder of a group is not visible in its container, where the root has its files.
        names = [name for name in path.split("/") if name not in ("", "..")]
        for folder in {controllers, "cpu"} if controllers else {""}:
            for depth in range(len(names) + 1):
                quota = min(quota, _quota_in(os.path.join(root, folder, *names[:depth])))
    return max(1, math.ceil(min(quota, _MOST_THREADS)))


def _read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def _quota_in(folder):
    """Return the quota in the files of a control group, of version 2 or 1."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            quota, period = " ".join(_read(folder, name) for name in names).split()
            return math.inf if quota in ("max", "-1") else int(quota) / int(period)
        except (OSError, ValueError):
            pass
    return math.inf
