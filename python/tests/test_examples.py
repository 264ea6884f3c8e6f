"""The examples of the docstrings."""

import doctest

import pytest

import cuda_connected_components as ccc


@pytest.mark.parametrize("name", ["", *(name for name in ccc.__all__ if name != "__version__")])
def test_docstring(name):
    finder = doctest.DocTestFinder(recurse=False)
    thing = getattr(ccc, name) if name else ccc
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in finder.find(thing, name or "package", globs={}):
        assert runner.run(test).failed == 0
