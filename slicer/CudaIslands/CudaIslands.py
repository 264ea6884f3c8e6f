# SPDX-License-Identifier: Apache-2.0
"""The module Islands (GPU): a table of components, islands of label map volumes, and the registration of the effect."""

import os

import ctk
import numpy as np
import qt
import slicer
from CudaIslandsLib import component_table, islands, package
from slicer.i18n import tr as _
from slicer.i18n import translate
from slicer.ScriptedLoadableModule import ScriptedLoadableModule, ScriptedLoadableModuleTest, ScriptedLoadableModuleWidget

HOMEPAGE = "https://github.com/InsightSoftwareConsortium/SlicerCudaConnectedComponents"


class CudaIslands(ScriptedLoadableModule):
    def __init__(self, parent):
        ScriptedLoadableModule.__init__(self, parent)
        parent.title = _("Islands (GPU)")
        parent.categories = [translate("qSlicerAbstractCoreModule", "Segmentation")]
        parent.dependencies = ["Segmentations"]
        parent.contributors = ["The ITKCudaConnectedComponents authors"]
        parent.helpText = _(
            "A table of the connected components of a segment, and operations on the islands of label map volumes."
        )
        parent.helpText += f' <a href="{HOMEPAGE}">{_("Tutorial")}</a>'
        slicer.app.connect("startupCompleted()", self.registerEffect)

    def registerEffect(self):
        import CudaIslandsEffect
        import qSlicerSegmentationsEditorEffectsPythonQt as effects

        effect = effects.qSlicerSegmentEditorScriptedEffect(None)
        effect.setPythonSource(os.path.join(CudaIslandsEffect.__path__[0], "SegmentEditorEffect.py").replace("\\", "/"))
        effect.self().register()


class CudaIslandsWidget(ScriptedLoadableModuleWidget):
    LABEL_MAP_OPERATIONS = {
        "Keep largest island": islands.keep_largest,
        "Remove small islands": islands.remove_small,
        "Split islands to labels": islands.split,
        "Fill holes": islands.fill_holes,
    }

    def setup(self):
        ScriptedLoadableModuleWidget.setup(self)
        self.target = None
        self.descending = False

        form = self.addSection(_("Segment or label"))
        self.nodeSelector = self.addSelector(form, _("Node:"), ["vtkMRMLSegmentationNode", "vtkMRMLLabelMapVolumeNode"])
        self.nodeSelector.connect("currentNodeChanged(vtkMRMLNode*)", self.onNode)
        self.segmentSelector = slicer.qMRMLSegmentSelectorWidget()
        self.segmentSelector.segmentationNodeSelectorVisible = False
        self.segmentSelector.setMRMLScene(slicer.mrmlScene)
        form.addRow(_("Segment:"), self.segmentSelector)
        self.label = qt.QSpinBox()
        self.label.setRange(1, 2**31 - 1)
        form.addRow(_("Label:"), self.label)

        form = self.addSection(_("Table"))
        self.volumeSelector = self.addSelector(form, _("Mean and maximum of:"), ["vtkMRMLScalarVolumeNode"])
        self.tableSelector = self.addSelector(form, _("Table:"), ["vtkMRMLTableNode"])
        self.tableSelector.addEnabled = self.tableSelector.renameEnabled = self.tableSelector.removeEnabled = True
        self.tableSelector.connect("currentNodeChanged(vtkMRMLNode*)", self.onTable)
        form.addRow(self.addButton(_("Make table"), self.onMakeTable))
        self.tableView = slicer.qMRMLTableView()
        self.tableView.setMinimumHeight(300)
        self.tableView.setToolTip(_("Click on a row to see the component, and on a header to sort."))
        self.tableView.setSelectionBehavior(qt.QAbstractItemView.SelectRows)
        self.tableView.connect("clicked(QModelIndex)", self.onRow)
        self.tableView.horizontalHeader().setSectionsClickable(True)
        self.tableView.horizontalHeader().connect("sectionClicked(int)", self.onHeader)
        form.addRow(self.tableView)

        form = self.labelMapForm = self.addSection(_("Islands of the label"))
        self.operation = qt.QComboBox()
        self.operation.addItems(list(self.LABEL_MAP_OPERATIONS))
        form.addRow(_("Operation:"), self.operation)
        self.minimumSize = qt.QSpinBox()
        self.minimumSize.setRange(0, 2**31 - 1)
        self.minimumSize.setValue(1000)
        self.minimumSize.setSuffix(_(" voxels"))
        form.addRow(_("Minimum size:"), self.minimumSize)
        form.addRow(self.addButton(_("Apply"), self.onApply))
        form.addRow(self.addButton(_("Undo"), self.onUndo))

        form = self.addSection(_("Python package"))
        self.wheel = ctk.ctkPathLineEdit()
        self.wheel.setToolTip(
            _("The wheel of cuda-connected-components, or a folder with wheels. It is installed at the first use.")
        )
        self.wheel.setCurrentPath(slicer.util.settingsValue(package.SETTING, ""))
        self.wheel.connect("currentPathChanged(QString)", lambda path: qt.QSettings().setValue(package.SETTING, path))
        form.addRow(_("Wheel:"), self.wheel)
        self.report = qt.QLabel()
        self.report.wordWrap = True
        self.layout.addWidget(self.report)
        self.layout.addStretch(1)
        self.onNode(self.nodeSelector.currentNode())

    def addSection(self, title):
        section = ctk.ctkCollapsibleButton()
        section.text = title
        self.layout.addWidget(section)
        return qt.QFormLayout(section)

    def addSelector(self, form, text, nodeTypes):
        selector = slicer.qMRMLNodeComboBox()
        selector.nodeTypes = nodeTypes
        selector.noneEnabled = True
        selector.addEnabled = selector.removeEnabled = False
        selector.setMRMLScene(slicer.mrmlScene)
        form.addRow(text, selector)
        return selector

    def addButton(self, text, function):
        button = qt.QPushButton(text)
        button.connect("clicked()", function)
        return button

    def onNode(self, node):
        isSegmentation = bool(node) and node.IsA("vtkMRMLSegmentationNode")
        self.segmentSelector.setCurrentNode(node if isSegmentation else None)
        self.segmentSelector.setEnabled(isSegmentation)
        self.label.setEnabled(bool(node) and not isSegmentation)
        self.labelMapForm.parentWidget().setEnabled(bool(node) and not isSegmentation)

    def onTable(self, table):
        self.tableView.setMRMLTableNode(table)

    def onMakeTable(self):
        def make():
            node = self.selectedNode()
            isSegmentation = node.IsA("vtkMRMLSegmentationNode")
            target = self.segmentSelector.currentSegmentID() if isSegmentation else self.label.value
            chosen = self.tableSelector.currentNode()
            table = chosen or slicer.mrmlScene.AddNewNodeByClass(
                "vtkMRMLTableNode", f"Components of {node.GetName()}"
            )
            try:
                component_table.fill_table(table, node, target, self.volumeSelector.currentNode())
            except Exception:
                if not chosen:
                    slicer.mrmlScene.RemoveNode(table)
                raise
            self.tableSelector.setCurrentNode(table)

        self.run(make)

    def onRow(self, index):
        if component_table.is_component_table(self.tableView.mrmlTableNode()):
            component_table.jump_to(self.tableView.mrmlTableNode(), index.row())

    def onHeader(self, column):
        if component_table.is_component_table(self.tableView.mrmlTableNode()):
            self.descending = not self.descending
            component_table.sort_table(self.tableView.mrmlTableNode(), column, self.descending)

    def onApply(self):
        def apply():
            target = islands.LabelMapTarget(self.selectedNode(), self.label.value)
            operation = self.LABEL_MAP_OPERATIONS[self.operation.currentText]
            operation(target, *([] if operation is islands.fill_holes else [self.minimumSize.value]))
            self.target = target

        self.run(apply)

    def onUndo(self):
        if self.target:
            self.target.undo()

    def selectedNode(self):
        if self.nodeSelector.currentNode() is None:
            raise ValueError(_("No node is selected. Select a segmentation or a label map volume."))
        return self.nodeSelector.currentNode()

    def run(self, function):
        with slicer.util.tryWithErrorDisplay(_("Nothing was changed.")):
            package.ensure(self.wheel.currentPath)
        with slicer.util.tryWithErrorDisplay(_("Nothing was changed."), waitCursor=True):
            function()
        self.report.text = islands.backend()


class CudaIslandsTest(ScriptedLoadableModuleTest):
    """Applies Slicer's effect Islands and this effect to equal segmentations. The button "Reload and Test" runs it."""

    def runTest(self):
        if not package.is_installed():
            self.delayDisplay(f"SKIPPED: {package.NAME} is not installed")
            return
        for operation in ("KEEP_LARGEST_ISLAND", "REMOVE_SMALL_ISLANDS", "SPLIT_ISLANDS_TO_SEGMENTS"):
            expected, found = self.apply("Islands", operation), self.apply("Islands (GPU)", operation)
            self.assertEqual(list(found), list(expected))
            for name in expected:
                np.testing.assert_array_equal(found[name], expected[name])
            self.delayDisplay(f"{operation}: {len(found)} segments, equal")

    def apply(self, effectName, operation):
        slicer.mrmlScene.Clear()
        mask = np.random.default_rng(0).random((40, 50, 60)) < 0.3
        volume = slicer.util.addVolumeFromArray(mask.astype(np.int16))
        node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode")
        node.CreateDefaultDisplayNodes()
        node.SetReferenceImageGeometryParameterFromVolumeNode(volume)
        segment = node.GetSegmentation().AddEmptySegment("segment")
        slicer.util.updateSegmentBinaryLabelmapFromArray(mask.astype(np.uint8), node, segment, volume)
        editor = slicer.qMRMLSegmentEditorWidget()
        editor.setMRMLScene(slicer.mrmlScene)
        editor.setMRMLSegmentEditorNode(slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentEditorNode"))
        editor.setSegmentationNode(node)
        editor.setSourceVolumeNode(volume)
        editor.setCurrentSegmentID(segment)
        editor.setActiveEffectByName(effectName)
        editor.activeEffect().setParameter("Operation", operation)
        editor.activeEffect().setParameter("MinimumSize", 40)
        editor.activeEffect().self().onApply()
        segmentation = node.GetSegmentation()
        ids = [segmentation.GetNthSegmentID(number) for number in range(segmentation.GetNumberOfSegments())]
        return {
            segmentation.GetSegment(each).GetName(): slicer.util.arrayFromSegmentBinaryLabelmap(node, each, volume)
            for each in ids
        }
