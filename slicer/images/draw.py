#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the icon and the pictures of the extension's README: slice views by slicer_core and VTK, without a window.

Prints the rows of the table, too. Needs slicer_core, cuda_connected_components, Pillow, and Debian's package
insighttoolkit5-examples.
"""

import pathlib
import sys

import numpy as np
from PIL import Image, ImageDraw

SLICER = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SLICER / "CudaIslands"), str(SLICER / "Testing")]

import slicer  # noqa: E402
import vtk  # noqa: E402
from CudaIslandsLib import component_table, islands  # noqa: E402
from scenes import Scene, add_node, oriented  # noqa: E402

HEAD = "/usr/share/doc/insighttoolkit5-examples/examples/Data/KmeansTest_T1UCharRaw.nii.gz"
RANGE = 80, 140  # of the segment's values
MINIMUM_MM3 = 1000
SIZE = 360
COLORS = (230, 60, 60), (60, 170, 75), (65, 105, 225), (245, 170, 50), (170, 80, 200)


def draw_icon():
    """Draw islands of four colors."""
    icon = Image.new("RGBA", (128, 128))
    draw = ImageDraw.Draw(icon)
    places = ((6, 10, 84, 74), (88, 22, 122, 56), (14, 82, 48, 116), (58, 78, 116, 120))
    for box, color in zip(places, COLORS):
        draw.rounded_rectangle(box, 16, fill=(*color, 255))
    icon.save(SLICER / "CudaIslands/Resources/Icons/CudaIslands.png", optimize=True)


def make_scene():
    """Return a scene with the head, and a segment of a range of its values."""
    reader = slicer.vtkMRMLVolumeArchetypeStorageNode()
    reader.SetFileName(HEAD)
    head = slicer.vtkMRMLScalarVolumeNode()
    if not reader.ReadData(head):
        sys.exit(f"{HEAD} cannot be read.")
    matrix = vtk.vtkMatrix4x4()
    head.GetIJKToRASMatrix(matrix)
    values = islands.array_of(head.GetImageData())
    segment = ((values >= RANGE[0]) & (values <= RANGE[1])).astype(np.uint8)
    scene = Scene(np.random.default_rng(0), [oriented(segment, matrix)], volume=False)
    scene.volume = scene.scene.AddNode(head)
    grey = add_node(scene.scene, "ColorTable", "Grey")
    grey.SetTypeToGrey()
    head.CreateDefaultDisplayNodes()
    head.GetDisplayNode().SetAndObserveColorNodeID(grey.GetID())
    head.GetDisplayNode().SetAutoWindowLevel(True)
    scene.node.GetDisplayNode().SetOpacity2DFill(0.5)
    scene.node.SetReferenceImageGeometryParameterFromVolumeNode(head)
    scene.parameters.SetAndObserveSourceVolumeNode(head)
    scene.segmentation.GetSegment("id0").SetColor(*np.array(COLORS[1]) / 255)
    return scene


def draw_slice(scene, table, row, orientation="Sagittal", part=1):
    """Return the picture of a slice view at a row of the table, with the segments. `part` is the part of the field of view."""
    slicer.vtkMRMLSliceNode.AddDefaultSliceOrientationPresets(scene.scene)
    logic = slicer.vtkMRMLSliceLogic()
    logic.SetMRMLScene(scene.scene)
    view = logic.AddSliceNode(f"{orientation} {scene.scene.GetNumberOfNodes()}")
    view.SetOrientation(orientation)
    view.SetDimensions(SIZE, SIZE, 1)
    logic.GetSliceCompositeNode().SetBackgroundVolumeID(scene.volume.GetID())
    logic.FitSliceToAll()
    if part < 1:
        component_table.jump_to(table, row)
        view.SetFieldOfView(*[at * part for at in view.GetFieldOfView()[:2]], view.GetFieldOfView()[2])
    else:
        view.JumpSliceByOffsetting(*[table.GetTable().GetColumnByName(name).GetValue(row) for name in component_table.CENTROID])

    window, renderer = vtk.vtkRenderWindow(), vtk.vtkRenderer()
    window.SetOffScreenRendering(True)
    window.SetSize(SIZE, SIZE)
    window.AddRenderer(renderer)
    renderer.GetActiveCamera().ParallelProjectionOn()
    mapper, actor = vtk.vtkImageMapper(), vtk.vtkActor2D()
    mapper.SetInputConnection(logic.GetImageDataConnection())
    mapper.SetColorWindow(255)
    mapper.SetColorLevel(127.5)
    actor.SetMapper(mapper)
    renderer.AddViewProp(actor)
    manager = slicer.vtkMRMLSegmentationsDisplayableManager2D()
    group = slicer.vtkMRMLDisplayableManagerGroup()
    application = slicer.vtkMRMLApplicationLogic()
    application.SetMRMLScene(scene.scene)
    interactor = vtk.vtkGenericRenderWindowInteractor()
    interactor.SetRenderWindow(window)
    manager.SetMRMLApplicationLogic(application)
    group.SetRenderer(renderer)
    group.AddDisplayableManager(manager)
    group.SetMRMLDisplayableNode(view)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    image = grab.GetOutput()
    pixels = vtk.util.numpy_support.vtk_to_numpy(image.GetPointData().GetScalars())
    return pixels.reshape(SIZE, SIZE, 3)[::-1].copy()


def save(name, *panes):
    gap = np.full((SIZE, 6, 3), 255, np.uint8)
    row = [part for pane in panes for part in (gap, pane)][1:]
    Image.fromarray(np.hstack(row)).quantize(128).save(SLICER / "images" / name, optimize=True)


def main():
    """Draw the pictures."""
    draw_icon()
    scene = make_scene()
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0", scene.volume)
    content = table.GetTable()
    for row in (-1, *range(5)):
        names = [content.GetColumnName(at) for at in range(content.GetNumberOfColumns())]
        print(names if row < 0 else [content.GetValue(row, at).ToString() for at in range(len(names))])
    print(content.GetNumberOfRows(), "components")
    before = draw_slice(scene, table, 0)
    target = islands.SegmentTarget(scene.editor)
    minimum = islands.voxels_in(MINIMUM_MM3, target.node, target.image())
    islands.remove_small(target, minimum)
    large = draw_slice(scene, table, 0)
    islands.split(target, minimum)
    for number in range(scene.segmentation.GetNumberOfSegments()):
        color = np.array(COLORS[(number + 1) % len(COLORS)]) / 255
        scene.segmentation.GetNthSegment(number).SetColor(*color)
    parts = draw_slice(scene, table, 0)
    print(scene.segmentation.GetNumberOfSegments(), "segments")
    save("split.png", before, large, parts)
    save("jump.png", *[draw_slice(scene, table, 4, name, 0.5) for name in ("Axial", "Coronal", "Sagittal")])


if __name__ == "__main__":
    main()
