"""The examples of the docstrings."""

import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import noise

import cuda_connected_components as ccc


@pytest.mark.parametrize("name", ["", *(name for name in ccc.__all__ if name != "__version__")])
def test_docstring(name):
    finder = doctest.DocTestFinder(recurse=False)
    thing = getattr(ccc, name) if name else ccc
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in finder.find(thing, name or "package", globs={}):
        result = runner.run(test)
        assert result.failed == 0
        settings = ("backend_info", "set_device_memory_limit", "set_num_threads", "trim_memory")
        assert result.attempted or name in settings


def test_docstrings_of_the_dropins():
    from cuda_connected_components import cc3d, dask, dask_image, measure, ndimage, nnunet, totalsegmentator

    for module in (cc3d, dask, dask_image, measure, ndimage, nnunet, totalsegmentator):
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert result.attempted and not result.failed


ROOT = pathlib.Path(__file__).parents[2]
DATA = pathlib.Path("/usr/share/doc/insighttoolkit5-examples/examples/Data")
HEAD = DATA / "KmeansTest_T1UCharRaw.nii.gz"
PAGES = [ROOT / "doc" / "python.md", ROOT / "doc" / "dask.md", ROOT / "python" / "README.md", ROOT / "README.md"]


def blocks():
    """Return the Python code of the pages. Code for other libraries is left out."""
    for page in PAGES:
        if page.exists():
            for number, code in enumerate(
                re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
            ):
                if "import torch" not in code and "itk.cuda_" not in code:
                    yield pytest.param(code, id=f"{page.relative_to(ROOT)}-{number}")


def test_signatures_of_the_page():
    page = PAGES[0].read_text()
    text = " ".join(re.search(r"```\n(label\(.*?)```", page, re.S)[1].split())
    names = re.findall(r"(\w+)\([^()]*(?:\([^()]*\))?[^()]*\)", text)
    assert sorted(names) == sorted(
        name for name in ccc.__all__ if name[0].islower() and name[0] != "_"
    )
    for name in names:
        signature = str(inspect.signature(getattr(ccc, name))).replace("'", '"')
        assert name + signature in text


@pytest.mark.parametrize("code", blocks())
def test_page(code, tmp_path):
    nibabel = pytest.importorskip("nibabel")
    pytest.importorskip("SimpleITK")
    mask = nibabel.Nifti1Image(noise((20, 21, 22), 0.1, 1), np.diag([2.0, 1.0, 0.5, 1.0]))
    nibabel.save(mask, tmp_path / "mask.nii.gz")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_head(tmp_path):
    example = ROOT / "examples" / "python" / "label_head.py"
    if not example.exists():
        pytest.skip("the source distribution has no examples")
    pytest.importorskip("matplotlib")
    if not HEAD.exists():
        pytest.skip(f"there is no {HEAD}: install Debian's package insighttoolkit5-examples")
    picture = tmp_path / "head.png"
    result = subprocess.run(
        [sys.executable, example, "--output", picture], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert "6672.0" in result.stdout
    assert picture.read_bytes()[:4] == b"\x89PNG"
