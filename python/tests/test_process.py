"""Threads, processes, signals and memory."""

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest
from conftest import label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import _core, _settings


def run(code, **arguments):
    """Run Python code in a new process, and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **arguments
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_threads():
    image = noise((70, 65, 66), 0.3, 1)
    expected = label_by_scipy(image, True)[0]
    for threads in (1, 2, 3, 64):
        np.testing.assert_array_equal(ccc.label(image, threads=threads), expected)
    ccc.set_num_threads(3)
    assert ccc.backend_info()["threads"] == 3
    np.testing.assert_array_equal(ccc.label(image), expected)
    ccc.set_num_threads(None)
    assert 1 <= ccc.backend_info()["threads"] <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    "variables, torch_threads, expected",
    [
        ({}, None, 4),
        ({"OMP_NUM_THREADS": "3"}, None, 3),
        ({"OMP_NUM_THREADS": "2,1"}, None, 2),
        ({"OMP_NUM_THREADS": "many"}, None, 4),
        ({"OMP_NUM_THREADS": "64"}, None, 4),
        ({"OMP_NUM_THREADS": "9" * 5000}, None, 4),
        ({"CUDA_CONNECTED_COMPONENTS_THREADS": "9" * 5000}, None, 4096),
        ({"OMP_NUM_THREADS": "3"}, 2, 2),
        ({}, 64, 4),
        ({"CUDA_CONNECTED_COMPONENTS_THREADS": "7", "OMP_NUM_THREADS": "3"}, 2, 7),
    ],
)
def test_threads_of_the_environment(monkeypatch, variables, torch_threads, expected):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(_settings, "_processors", lambda: 4)
    torch = types.SimpleNamespace(get_num_threads=lambda: torch_threads)
    monkeypatch.setitem(sys.modules, "torch", torch if torch_threads else None)
    assert ccc.backend_info()["threads"] == expected
    ccc.set_num_threads(5)
    assert ccc.backend_info()["threads"] == 5


def test_memory_limit_of_the_environment():
    code = """
import cuda_connected_components as ccc

for limit in (None, 2**40, None):
    ccc.set_device_memory_limit(limit)
    print(ccc.backend_info()["device_memory_limit"])
"""
    name = "CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT"
    expected = [str(2**30), str(2**40), str(2**30)]
    assert run(code, env={**os.environ, name: "1GiB"}).split() == expected
    code = """
import cuda_connected_components as ccc

try:
    ccc.backend_info()
except ValueError as error:
    print(error)
"""
    assert 'DEVICE_MEMORY_LIMIT is "much"' in run(code, env={**os.environ, name: "much"})


def test_device_of_the_environment(monkeypatch):
    image = noise((200, 200), 0.3, 5)
    for device in ("", "cpu"):
        monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", device)
        ccc.label(image)
        assert (ccc.backend_info()["last_reason"] == "as asked for") == bool(device)
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cuda:99")
    with pytest.raises(ccc.CudaError):
        ccc.label(image)
    ccc.label(image, device="cpu")
    for name, value in (("DEVICE", "gpu"), ("THREADS", "0"), ("THREADS", "all")):
        monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cpu")
        monkeypatch.setenv(f"CUDA_CONNECTED_COMPONENTS_{name}", value)
        with pytest.raises(ValueError, match=f"CUDA_CONNECTED_COMPONENTS_{name} must be .*{value}"):
            ccc.label(image)


@pytest.mark.parametrize(
    "groups, files, expected",
    [
        ("0::/\n", {"cpu.max": "250000 100000"}, 3),
        ("0::/\n", {"cpu.max": "max 100000"}, 4096),
        ("0::/\n", {"cpu.max": "1000 100000"}, 1),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "max 100000"}, 2),
        ("0::/../c\n", {"cpu.max": "200000 100000"}, 2),
        (
            "5:cpuset:/\n4:cpu,cpuacct:/docker/1\n",
            {"cpu,cpuacct/cpu.cfs_quota_us": "300000", "cpu,cpuacct/cpu.cfs_period_us": "100000"},
            3,
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 4096),
        ("0::/\n", {}, 4096),
    ],
)
def test_the_quota_of_a_container(tmp_path, monkeypatch, groups, files, expected):
    (tmp_path / "groups").write_text(groups)
    for name, text in files.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(text + "\n")
    quota = _settings.quota_of(str(tmp_path / "groups"), str(tmp_path / "root"))
    assert quota == expected
    monkeypatch.setattr(_settings, "quota_of", lambda: quota)
    assert _settings._processors() == min(quota, len(os.sched_getaffinity(0)))


def test_the_affinity_is_the_default():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "import cuda_connected_components as ccc; print(ccc.backend_info()['threads'])"
    )
    assert run(code).strip() == "1"


def test_the_gil_is_released():
    image = noise((300, 300, 300), 0.1, 2, granularity=8)
    counted = 0
    has_ended = threading.Event()

    def work():
        for _ in range(5):
            ccc.label(image, device="cpu", threads=1)
        has_ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not has_ended.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 20


def label_in_child(image, device):
    return ccc.label(image, device=device), ccc.backend_info()


def with_pool(method, *arguments):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.starmap(label_in_child, arguments)


def with_joblib(*arguments):
    joblib = pytest.importorskip("joblib")
    return joblib.Parallel(2)(joblib.delayed(label_in_child)(*each) for each in arguments)


@pytest.mark.parametrize(
    "start",
    [functools.partial(with_pool, "fork"), functools.partial(with_pool, "spawn"), with_joblib],
)
def test_children_use_the_cpu_and_say_why(start):
    image = noise((70, 65, 66), 0.3, 3) != 0
    ccc.label(image)
    (labels, info), (_, other) = start((image, None), (image, "cpu"))
    np.testing.assert_array_equal(labels, label_by_scipy(image, True)[0])
    assert info["last_backend"] == other["last_backend"] == "cpu"
    assert info["last_reason"] == info["cuda_reason"] == _core.CHILD_REASON
    assert other["last_reason"] == "as asked for"


def test_a_forked_child_cannot_use_the_gpu_and_says_why(monkeypatch):
    if ccc.backend_info()["cuda_reason"]:
        pytest.skip("there is no GPU: " + ccc.backend_info()["cuda_reason"])
    image = noise((70, 65, 66), 0.3, 3)
    ccc.label(image)
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cuda")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(ccc.CudaError, match="fork"):
            pool.apply(ccc.label, [image])
        assert "fork" in pool.apply(ccc.backend_info)["cuda_reason"]


def count_threads(callers, threads):
    """Return the mean and the maximum number of threads while several threads call at once."""
    image = noise((120, 120, 120), 0.3, 1)
    before, counts, has_ended = len(os.listdir("/proc/self/task")), [], threading.Event()

    def work():
        while not has_ended.is_set():
            ccc.label(image, device="cpu", threads=threads)

    calls = [threading.Thread(target=work, daemon=True) for _ in range(callers)]
    for call in calls:
        call.start()
    for _ in range(60):
        counts.append(len(os.listdir("/proc/self/task")) - before)
        time.sleep(0.005)
    has_ended.set()
    for call in calls:
        call.join()
    return np.mean(counts), max(counts)


def test_calls_at_the_same_time_share_the_threads():
    assert count_threads(1, 8)[1] == 8
    assert count_threads(4, 8)[0] < 24  # 32 without sharing; under load, threads end late
    image, has_ended = noise((120, 120, 120), 0.3, 1), threading.Event()

    def work():
        while not has_ended.is_set():
            ccc.label(image, device="cpu", threads=64)

    call = threading.Thread(target=work, daemon=True)
    call.start()
    # The other call is not in the child.
    with multiprocessing.get_context("fork").Pool(1) as pool:
        count = pool.apply(count_threads, (1, 8))[1]
    has_ended.set()
    call.join()
    assert count == 8


def test_control_c_ends_a_call():
    code = """
import os, signal, threading, time
import numpy as np
import cuda_connected_components as ccc
image = np.broadcast_to(np.random.default_rng(1).random((1, 256, 256)) < 0.3, (32768, 256, 256))
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore SIGINT in background jobs
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    while True:
        ccc.component_statistics(image, device="cpu", threads=1)
except KeyboardInterrupt:
    print(time.perf_counter() - start)
"""
    assert 0.9 < float(run(code)) < 2.0


@pytest.mark.slow
def test_errors_of_threads_reach_the_caller():
    code = """
import resource
import numpy as np
import cuda_connected_components as ccc
labels = np.random.default_rng(1).integers(2**40, 2**60, 2**23)
out = np.zeros(labels.size, np.int64)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (700 << 20), resource.RLIM_INFINITY))
try:
    ccc.relabel(labels, out=out, threads=4)
except MemoryError:
    print("MemoryError")
"""
    assert run(code).strip() == "MemoryError"


def test_small_calls_and_arrays_do_not_leak():
    import resource

    image = noise((64, 64), 0.3, 4)
    for _ in range(200):
        ccc.label(image)
        ccc.component_statistics(image)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3000):
        ccc.label(image, lower=1, mask=image)
        ccc.component_statistics(image)
        with pytest.raises(TypeError):
            ccc.label(image.astype(complex))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024  # KiB


def test_calls_while_another_thread_imports_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch._dynamo", types.ModuleType("torch._dynamo"))
    assert ccc.label(np.array([1, 0, 1])).tolist() == [1, 0, 2]


def test_import_imports_nothing_else():
    code = """
import sys
import numpy
before = set(sys.modules)
import cuda_connected_components
import cuda_connected_components.ndimage, cuda_connected_components.cc3d
names = {name.partition('.')[0] for name in set(sys.modules) - before}
print(sorted(names - set(sys.builtin_module_names)))
"""
    assert eval(run(code)) == ["cuda_connected_components"]


def test_backend_info():
    info = ccc.backend_info()
    assert set(info) == {
        "version",
        "cuda_built",
        "cuda_driver",
        "cuda_reason",
        "cuda_runtime",
        "threads",
        "device_memory_limit",
        "last_backend",
        "last_reason",
        "last_slabs",
        "held_device_bytes",
        "held_pinned_bytes",
    }
    assert info["cuda_built"] == (info["cuda_runtime"] is not None)
    if not info["cuda_reason"]:
        assert float(info["cuda_driver"]) >= int(float(info["cuda_runtime"]))
    image = noise((200, 200), 0.3, 5)
    ccc.label(image, device="cpu")
    info = ccc.backend_info()
    assert info["last_backend"] == "cpu" and info["last_reason"] == "as asked for"
    assert info["last_slabs"] == 0
    ccc.label(image)
    info = ccc.backend_info()
    assert info["last_backend"] == ("cpu" if info["cuda_reason"] else "cuda")
    assert bool(info["last_reason"]) == bool(info["cuda_reason"])
    assert info["last_slabs"] == (0 if info["cuda_reason"] else 1)
    ccc.trim_memory()
    assert ccc.backend_info()["held_device_bytes"] == 0


def test_cuda_errors_reach_the_caller():
    if not ccc.backend_info()["cuda_reason"]:
        pytest.skip("there is a GPU")
    for device in ("cuda", "cuda:0"):
        with pytest.raises(ccc.CudaError, match="."):
            ccc.label(noise((200, 200), 0.3, 6), device=device)


def test_signals_of_other_threads_do_not_matter():
    # Python handles signals on its main thread only.
    image = noise((100, 100, 100), 0.3, 7)
    with_handler = signal.getsignal(signal.SIGINT)
    results = []
    thread = threading.Thread(target=lambda: results.append(ccc.label(image, device="cpu")))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(results[0], label_by_scipy(image, True)[0])
    assert signal.getsignal(signal.SIGINT) is with_handler
