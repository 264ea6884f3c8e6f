# SPDX-License-Identifier: Apache-2.0
"""The command-line tool as a module of 3D Slicer.

The calls are made by the logic of 3D Slicer for command-line modules, in the package slicer_core. It writes the nodes
to files, calls the tool as a program, and reads the results back into nodes.

    CUDA_CONNECTED_COMPONENTS_TOOL=build/.../cuda-connected-components python -m pytest test/slicer/test_command_line_module.py
"""

import ctypes
import logging
import os
import pathlib
import subprocess

import numpy as np
import pytest
import SimpleITK as sitk
import slicer_core
from vtkmodules.util.numpy_support import get_vtk_array_type
from vtkmodules.vtkCommonMath import vtkMatrix4x4

from support import array_of, image_of

TOOL = os.environ.get("CUDA_CONNECTED_COMPONENTS_TOOL", "")
pytestmark = pytest.mark.skipif(
    not os.access(TOOL, os.X_OK), reason="CUDA_CONNECTED_COMPONENTS_TOOL does not name the tool"
)

SHAPE = (17, 23, 29)  # z, y, x
RESULTS = {"count", "backend_used", "milliseconds"}


def describe():
    return subprocess.run([TOOL, "--xml"], check=True, capture_output=True, text=True).stdout


def register(xml):
    """Register a module as the application does. Python has no access to these functions of slicer_core, which take
    std::string in the ABI before C++11."""
    folder = pathlib.Path(slicer_core.__file__).parent
    standard = ctypes.CDLL("libstdc++.so.6")
    parser = ctypes.CDLL(str(folder / "third_party.libs" / "libModuleDescriptionParser.so"))
    logic = ctypes.CDLL(str(folder / "libMRMLCLI.so"))

    def text(value):
        string = ctypes.c_void_p()
        standard._ZNSsC1EPKcRKSaIcE(ctypes.byref(string), value.encode(), ctypes.byref(ctypes.c_char()))
        return ctypes.byref(string)

    description = ctypes.create_string_buffer(1 << 16)
    parser._ZN17ModuleDescriptionC1Ev(description)
    failed = parser._ZN23ModuleDescriptionParser5ParseERKSsR17ModuleDescription(
        ctypes.create_string_buffer(64), text(xml), description
    )
    assert not failed, "the parser of 3D Slicer rejects the description"
    parser._ZN17ModuleDescription9SetTargetERKSs(description, text(TOOL))
    parser._ZN17ModuleDescription11SetLocationERKSs(description, text(TOOL))
    parser._ZN17ModuleDescription7SetTypeERKSs(description, text("CommandLineModule"))
    logic._ZN28vtkMRMLCommandLineModuleNode25RegisterModuleDescriptionE17ModuleDescription(description)


@pytest.fixture(scope="module")
def registered():
    try:
        register(describe())
    except (AttributeError, OSError) as error:
        pytest.skip(f"this slicer_core has another ABI: {error}")
    return "CUDA Connected Components"


class Application:
    """A scene, and the logic that runs modules."""

    def __init__(self, module, folder):
        self.folder = folder
        self.scene = slicer_core.vtkMRMLScene()
        self.cache = slicer_core.vtkCacheManager()
        self.scene.SetCacheManager(self.cache)
        self.application_logic = slicer_core.vtkSlicerApplicationLogic()
        self.application_logic.SetMRMLScene(self.scene)
        self.application_logic.SetTemporaryPath(str(folder))
        self.application_logic.CreateProcessingThread()
        self.logic = slicer_core.vtkSlicerCLIModuleLogic()
        self.logic.SetMRMLScene(self.scene)
        self.logic.SetMRMLApplicationLogic(self.application_logic)
        self.node = slicer_core.vtkMRMLCommandLineModuleNode()
        self.node.SetModuleDescription(module)
        self.scene.AddNode(self.node)

    def add_volume(self, array, node_class="vtkMRMLScalarVolumeNode"):
        """Add a volume with a direction that is neither LPS nor RAS."""
        node = getattr(slicer_core, node_class)()
        node.SetAndObserveImageData(image_of(array, get_vtk_array_type(array.dtype)))
        node.SetSpacing(0.5, 0.75, 2.0)
        node.SetOrigin(-12.5, 40.0, 7.25)
        node.SetIJKToRASDirections(0, -1, 0, 0.6, 0, 0.8, -0.8, 0, 0.6)
        self.scene.AddNode(node)
        return node

    def add(self, node_class):
        node = getattr(slicer_core, node_class)()
        self.scene.AddNode(node)
        return node

    def run(self, **parameters):
        for name, value in parameters.items():
            if isinstance(value, slicer_core.vtkMRMLNode):
                self.node.SetParameterAsNode(name, value)
            else:
                self.node.SetParameterAsString(name, str(value).lower() if isinstance(value, bool) else str(value))
        self.logic.ApplyAndWait(self.node, False)
        return self.node


@pytest.fixture
def application(registered, tmp_path):
    application = Application(registered, tmp_path)
    yield application
    application.application_logic.TerminateProcessingThread()


def random_mask(random, share=0.3):
    return (random.random(SHAPE) < share).astype(np.int16) * 7


def labels_of(mask, fully_connected=False):
    """The labels of ITK."""
    image = sitk.GetImageFromArray((mask != 0).astype(np.uint8))
    return sitk.GetArrayFromImage(sitk.ConnectedComponent(image, fully_connected))


def ras_of(node, i, j, k):
    matrix = vtkMatrix4x4()
    node.GetIJKToRASMatrix(matrix)
    return matrix.MultiplyPoint((i, j, k, 1))[:3]


def test_ctk_reads_the_description(caplog):
    ctk_cli = pytest.importorskip("ctk_cli")
    with caplog.at_level(logging.WARNING):
        module = ctk_cli.CLIModule(TOOL)
    # ctk_cli warns about references and results, which 3D Slicer has.
    known = ("'reference' attribute", *(f"Parameter {name} cannot be passed" for name in RESULTS))
    assert [text for text in caplog.messages if not text.startswith(known)] == []
    arguments, options, outputs = module.classifyParameters()
    assert [argument.name for argument in arguments] == ["input", "output"]
    assert {output.name for output in outputs} == RESULTS
    assert {"lower", "min_size", "seed_ras", "keep_largest", "output_type", "backend"} <= {o.name for o in options}
    assert {group.label for group in module if group.advanced} == {"GPU and CPU", "For scripts"}


def test_slicer_reads_the_description(application):
    node = application.node
    parameters = {
        node.GetParameterName(group, index): (group, index)
        for group in range(node.GetNumberOfParameterGroups())
        for index in range(node.GetNumberOfParametersInGroup(group))
    }
    assert node.GetParameterTag(*parameters["seed_ras"]) == "point"
    assert node.GetParameterCoordinateSystem(*parameters["seed_ras"]) == "ras"
    assert node.GetParameterFileExtensions(*parameters["table"]) == ".csv,.json"
    assert node.GetParameterType(*parameters["output"]) == "label"
    assert node.GetParameterMinimum(*parameters["threads"]) == "0"
    assert node.GetParameterAsString("output_type") == "uint32"
    assert node.GetParameterAsString("fully_connected") == "false"


@pytest.mark.parametrize("fully_connected", [False, True])
def test_labels(application, random, fully_connected):
    mask = random_mask(random)
    volume = application.add_volume(mask)
    output = application.add("vtkMRMLLabelMapVolumeNode")
    node = application.run(input=volume, output=output, fully_connected=fully_connected)
    assert node.GetStatusString() == "Completed", node.GetErrorText()
    assert node.GetErrorText() == ""
    expected = labels_of(mask, fully_connected)
    np.testing.assert_array_equal(array_of(output.GetImageData()), expected)
    matrices = [vtkMatrix4x4(), vtkMatrix4x4()]
    for matrix, image in zip(matrices, (volume, output)):
        image.GetIJKToRASMatrix(matrix)
    for row in range(4):
        for column in range(4):
            assert matrices[0].GetElement(row, column) == pytest.approx(matrices[1].GetElement(row, column), abs=1e-6)
    # The results come back, and the progress is not in the text.
    assert node.GetParameterAsString("count") == str(expected.max())
    assert node.GetParameterAsString("backend_used") in ("cuda", "cpu")
    assert float(node.GetParameterAsString("milliseconds")) > 0
    assert "<" not in node.GetOutputText()
    assert f"objects: {expected.max()}\n" in node.GetOutputText()
    assert list(application.folder.iterdir()) == []


# 3D Slicer changes the signs for LPS.
@pytest.mark.parametrize("parameter", ["seed_ras", "seed_point"])
def test_seeds_are_markups(application, random, parameter):
    mask = random_mask(random, 0.2)
    expected = labels_of(mask)
    chosen = [3, int(expected.max()) - 2]
    volume = application.add_volume(mask)
    markups = application.add("vtkMRMLMarkupsFiducialNode")
    for label in chosen:
        z, y, x = np.argwhere(expected == label)[-1]
        markups.AddControlPoint(ras_of(volume, x, y, z))
    output = application.add("vtkMRMLLabelMapVolumeNode")
    node = application.run(input=volume, output=output, **{parameter: markups})
    assert node.GetStatusString() == "Completed", node.GetErrorText()
    np.testing.assert_array_equal(
        array_of(output.GetImageData()), np.select([expected == chosen[0], expected == chosen[1]], [1, 2])
    )
    assert node.GetParameterAsString("count") == "2"


def test_mask_table_and_second_volume(application, random):
    mask = random_mask(random)
    volume = application.add_volume(mask)
    keep = np.ones(SHAPE, np.uint8)
    keep[:, :, 15] = 0
    output = application.add("vtkMRMLLabelMapVolumeNode")
    table = application.add("vtkMRMLTableNode")
    node = application.run(
        input=volume,
        output=output,
        mask=application.add_volume(keep, "vtkMRMLLabelMapVolumeNode"),
        intensity=application.add_volume(np.full(SHAPE, 5.5, np.float32)),
        table=table,
        min_size="3",
        keep_largest=4,
        mask_output=True,
    )
    assert node.GetStatusString() == "Completed", node.GetErrorText()
    labels = labels_of(mask * keep)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    largest = np.argsort(-sizes, kind="stable")[:4]
    np.testing.assert_array_equal(array_of(output.GetImageData()), np.where(np.isin(labels, largest), 7, 0))
    assert table.GetNumberOfRows() == 4
    area, mean = (table.GetTable().GetColumnByName(name) for name in ("area", "intensity_mean"))
    rows = range(table.GetNumberOfRows())
    assert sorted(int(area.GetVariantValue(row).ToInt()) for row in rows) == sorted(sizes[largest])
    assert {mean.GetVariantValue(row).ToDouble() for row in rows} == {5.5}


def test_errors_reach_the_user(application, random):
    volume = application.add_volume(random_mask(random))
    output = application.add("vtkMRMLLabelMapVolumeNode")
    node = application.run(input=volume, output=output, lower="9", upper="8")
    assert node.GetStatusString() == "Completed with errors"
    assert "--lower 9 is above --upper 8" in node.GetErrorText()
    assert output.GetImageData() is None
    assert list(application.folder.iterdir()) == []


def test_segmentation_keeps_names(tmp_path):
    """A segmentation that 3D Slicer wrote keeps its names, colors and values in a mask."""
    scene = slicer_core.vtkMRMLScene()
    segments = {"Liver": (3, (0.5, 0.25, 0.75)), "Tumor": (8, (1.0, 0.0, 0.5))}
    array = np.zeros(SHAPE, np.uint8)
    array[2:5, 3:9, 4:20] = 3
    array[10:12, 3:5, 4:6] = 8
    array[14, 20, 27] = 8

    segmentation = slicer_core.vtkMRMLSegmentationNode()
    scene.AddNode(segmentation)
    shared = image_of(array, get_vtk_array_type(array.dtype), image=slicer_core.vtkOrientedImageData())
    shared.SetSpacing(0.5, 0.75, 2.0)
    shared.SetOrigin(-12.5, 40.0, 7.25)
    name_of_labels = slicer_core.vtkSegmentationConverter.GetSegmentationBinaryLabelmapRepresentationName()
    segmentation.GetSegmentation().SetSourceRepresentationName(name_of_labels)
    for name, (value, color) in segments.items():
        segment = slicer_core.vtkSegment()
        segment.SetName(name)
        segment.SetColor(*color)
        segment.SetLabelValue(value)
        segment.AddRepresentation(name_of_labels, shared)
        segmentation.GetSegmentation().AddSegment(segment, name.lower())
    storage = slicer_core.vtkMRMLSegmentationStorageNode()
    scene.AddNode(storage)
    before, after = tmp_path / "before.seg.nrrd", tmp_path / "after.seg.nrrd"
    storage.SetFileName(str(before))
    assert storage.WriteData(segmentation)
    subprocess.run([TOOL, "--quiet", "--mask-output", "--min-size", "2", before, after], check=True)

    read = slicer_core.vtkMRMLSegmentationNode()
    scene.AddNode(read)
    storage.SetFileName(str(after))
    assert storage.ReadData(read)
    array[14, 20, 27] = 0
    for name, (value, color) in segments.items():
        segment = read.GetSegmentation().GetSegment(name.lower())
        assert segment.GetName() == name
        assert segment.GetColor() == pytest.approx(color)
        assert segment.GetLabelValue() == value
        values = array_of(segment.GetRepresentation(name_of_labels))
        assert np.count_nonzero(values == value) == np.count_nonzero(array == value)
