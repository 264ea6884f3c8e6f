"""`backend_info` without a usable GPU. A fake libcuda.so.1 stands for the NVIDIA driver."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import cuda_connected_components as ccc

COMPILER = shutil.which("cc")
RUNTIME = ccc.backend_info()["cuda_runtime"]
BEGIN = "no CUDA device: "

# CUDA's runtime asks cuGetProcAddress_v2 for all functions of the driver.
DRIVER = """
#include <string.h>
static int initialize(unsigned flags) { return RESULT; }
static int get_version(int *version) { *version = VERSION; return 0; }
static int fail(void) { return 801; } /* CUDA_ERROR_NOT_SUPPORTED */
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags,
                        int *found) {
  *function = strcmp(name, "cuInit") == 0             ? (void *)initialize
            : strcmp(name, "cuDriverGetVersion") == 0 ? (void *)get_version
            : strcmp(name, "cuGetProcAddress") == 0   ? (void *)cuGetProcAddress_v2
                                                      : (void *)fail;
  return 0;
}
"""

LABEL = """
import json
import numpy as np
import cuda_connected_components as ccc
labels = ccc.label(np.ones((200, 200), np.uint8))
print(json.dumps([ccc.backend_info(), int(labels.max())]))
"""

needs_cuda = pytest.mark.skipif(RUNTIME is None, reason="the package was built without CUDA")


def info_with(folder, **variables):
    """Return `backend_info` of a new process that finds libcuda.so.1 in a folder."""
    environment = {n: v for n, v in os.environ.items() if not n.startswith("CUDA_")}
    others = environment.get("LD_LIBRARY_PATH", "")
    environment["LD_LIBRARY_PATH"] = f"{folder}:{others}"
    result = subprocess.run(
        [sys.executable, "-c", LABEL],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment | variables,
    )
    assert result.returncode == 0, result.stderr
    info, largest = json.loads(result.stdout)
    assert info["cuda_runtime"] == RUNTIME
    assert (info["last_backend"], largest) == ("cpu", 1)
    assert info["last_reason"] == info["cuda_reason"]
    return info


def info_with_fake(folder, version, result, **variables):
    """Return `backend_info` with a driver of a version of CUDA, whose cuInit returns `result`."""
    if COMPILER is None:
        pytest.skip("there is no C compiler (cc)")
    definitions = [f"-DVERSION={version}", f"-DRESULT={result}"]
    library = ["-shared", "-fPIC", "-x", "c", "-", "-o", str(folder / "libcuda.so.1")]
    subprocess.run([COMPILER, *definitions, *library], input=DRIVER, text=True, check=True)
    return info_with(folder, **variables)


CONTEXTS = """
int driver_status = 3; /* CUDA_ERROR_NOT_INITIALIZED */
int active_device = -1;
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) {
  *is_active = device == active_device;
  return device < 2 ? driver_status : 101; /* CUDA_ERROR_INVALID_DEVICE */
}
"""

CHILDREN = """
import ctypes, multiprocessing, sys
from cuda_connected_components import _settings

def describe():
    return _settings.has_started_cuda(), _settings.prefers_cpu()

def describe_all():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(describe(), pool.apply(describe))

describe_all()
driver = ctypes.CDLL(sys.argv[1])
describe_all()
ctypes.c_int.in_dll(driver, "driver_status").value = 0
for device in (-1, 0, 1):
    ctypes.c_int.in_dll(driver, "active_device").value = device
    describe_all()
"""


def test_a_child_that_has_started_cuda_keeps_the_gpu(tmp_path):
    if COMPILER is None:
        pytest.skip("there is no C compiler (cc)")
    driver = str(tmp_path / "libcuda.so.1")
    options = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", driver]
    subprocess.run([COMPILER, *options], input=CONTEXTS, text=True, check=True)
    command = [sys.executable, "-c", CHILDREN, driver]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    not_started, started = "(False, False) (False, True)", "(True, False) (True, False)"
    expected = [not_started] * 3 + [started] * 2
    assert result.stdout.splitlines() == expected, result.stderr


@needs_cuda
def test_no_driver(tmp_path):
    (tmp_path / "libcuda.so.1").write_bytes(b"")  # hides the driver of this machine
    info = info_with(tmp_path)
    assert info["cuda_driver"] is None
    assert info["cuda_reason"] == (
        BEGIN + "the NVIDIA driver (libcuda.so.1) cannot be loaded: install it, "
        "or start the container with docker run --gpus all or apptainer --nv"
    )


@needs_cuda
def test_a_driver_that_is_too_old(tmp_path):
    info = info_with_fake(tmp_path, 11040, 0)
    assert info["cuda_driver"] == "11.4"
    major = RUNTIME.partition(".")[0]
    release = {"12": " to 525 or later", "13": " to 580 or later"}.get(major, "")
    assert info["cuda_reason"] == (
        BEGIN + f"the NVIDIA driver supports CUDA 11.4, and this build needs {major}.0 or later: "
        f"update the driver{release}"
    )


@needs_cuda
def test_the_first_driver_of_the_major_version_is_not_too_old(tmp_path):
    major = int(RUNTIME.partition(".")[0])
    info = info_with_fake(tmp_path, major * 1000, 100)
    assert info["cuda_driver"] == f"{major}.0"
    assert "shows no GPU" in info["cuda_reason"]


@needs_cuda
@pytest.mark.parametrize(
    "variables, reason",
    [
        ({}, "the NVIDIA driver shows no GPU: run nvidia-smi, .*docker run --gpus all.*"),
        ({"CUDA_VISIBLE_DEVICES": "7"}, 'CUDA_VISIBLE_DEVICES is "7", and .* name GPUs .*'),
        ({"CUDA_VISIBLE_DEVICES": "MIG-x"}, 'CUDA_VISIBLE_DEVICES is "MIG-x", and .* name GPUs .*'),
        ({"CUDA_VISIBLE_DEVICES": ""}, 'CUDA_VISIBLE_DEVICES is "", which hides all GPUs: .*'),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, 'CUDA_VISIBLE_DEVICES is "-1", which hides all GPUs: .*'),
    ],
)
def test_no_device(tmp_path, variables, reason):
    info = info_with_fake(tmp_path, 13000, 100, **variables)
    assert re.fullmatch(BEGIN + reason, info["cuda_reason"])


@needs_cuda
@pytest.mark.parametrize(
    "result, name, remedy",
    [
        (2, "cudaErrorMemoryAllocation", "end programs that use GPU memory"),
        (3, "cudaErrorInitializationError", "if the process was forked .* spawn"),
        (34, "cudaErrorStubLibrary", "remove the folder stubs, .*from LD_LIBRARY_PATH"),
        (46, "cudaErrorDevicesUnavailable", "end the program that has the GPU"),
        (802, "cudaErrorSystemNotReady", "start NVIDIA's service nvidia-fabricmanager"),
        (803, "cudaErrorSystemDriverMismatch", "remove the folder compat, .*restart the machine"),
        (804, "cudaErrorCompatNotSupportedOnDevice", "remove the folder compat, .*from"),
        (999, "cudaErrorUnknown", "run nvidia-smi"),
    ],
)
def test_a_start_that_fails(tmp_path, result, name, remedy):
    reason = info_with_fake(tmp_path, 13000, result)["cuda_reason"]
    text = rf'CUDA does not start, because of "[^"]+" \({name}\): {remedy}.*'
    assert re.fullmatch(BEGIN + text, reason), reason


def test_a_build_without_cuda():
    if RUNTIME is not None:
        pytest.skip("the package was built with CUDA")
    info = ccc.backend_info()
    assert not info["cuda_built"] and info["cuda_driver"] is None
    assert info["cuda_reason"].startswith(BEGIN + "this build of CudaConnectedComponents has no")
