# SPDX-License-Identifier: Apache-2.0
"""The effect "Islands (GPU)" of the Segment Editor. islands.py does the work."""

import logging
import os

import qt
import slicer
import vtk
from CudaIslandsLib import islands, package
from SegmentEditorEffects import AbstractScriptedSegmentEditorEffect
from slicer.i18n import tr as _

# The names and the parameters are those of Slicer's effect Islands, so that scripts need another name of the effect only.
APPLIED = {
    "KEEP_LARGEST_ISLAND": (
        islands.keep_largest,
        _("Keep largest island"),
        _("Keep the largest island, if it has the minimum size."),
    ),
    "REMOVE_SMALL_ISLANDS": (islands.remove_small, _("Remove small islands"), _("Remove the islands below the minimum size.")),
    "SPLIT_ISLANDS_TO_SEGMENTS": (
        islands.split,
        _("Split islands to segments"),
        _("Make a segment of each island, the largest first. Islands below the minimum size are removed."),
    ),
    "FILL_HOLES": (
        lambda target, minimumSize: islands.fill_holes(target),
        _("Fill holes"),
        _("Add the background that the segment encloses."),
    ),
}
CLICKED = {
    "KEEP_SELECTED_ISLAND": (
        islands.keep_selected,
        _("Keep selected island"),
        _("Click on the island to keep. The others are removed."),
    ),
    "REMOVE_SELECTED_ISLAND": (islands.remove_selected, _("Remove selected island"), _("Click on the island to remove.")),
    "ADD_SELECTED_ISLAND": (
        islands.add_selected,
        _("Add selected island"),
        _("Click on a region of visible segments, or of the background. It is added to the segment."),
    ),
}


class EffectEditor:
    """The functions of vtkSlicerSegmentEditorLogic that the operations call. An effect does not show its logic to Python."""

    ModificationModeSet = slicer.qSlicerSegmentEditorAbstractEffect.ModificationModeSet
    ModificationModeAdd = slicer.qSlicerSegmentEditorAbstractEffect.ModificationModeAdd
    ModificationModeRemove = slicer.qSlicerSegmentEditorAbstractEffect.ModificationModeRemove

    def __init__(self, effect):
        self.effect = effect
        self.selected = None

    def GetSegmentEditorNode(self):
        return self.effect.parameterSetNode()

    def UpdateSelectedSegmentLabelmap(self):
        self.selected = self.effect.selectedSegmentLabelmap()
        return self.selected is not None

    def GetSelectedSegmentLabelmap(self):
        return self.selected

    def SaveStateForUndo(self):
        self.effect.saveStateForUndo()

    def ModifySegmentByLabelmap(self, node, segment_id, image, mode, per_segment, bypass_masking):
        self.effect.modifySegmentByLabelmap(node, segment_id, image, mode, bypass_masking)


class SegmentEditorEffect(AbstractScriptedSegmentEditorEffect):
    def __init__(self, scriptedEffect):
        scriptedEffect.name = "Islands (GPU)"  # not translated: scripts find effects by name
        scriptedEffect.title = _("Islands (GPU)")
        AbstractScriptedSegmentEditorEffect.__init__(self, scriptedEffect)

    def clone(self):
        import qSlicerSegmentationsEditorEffectsPythonQt as effects

        effect = effects.qSlicerSegmentEditorScriptedEffect(None)
        effect.setPythonSource(__file__.replace("\\", "/"))
        return effect

    def icon(self):
        return qt.QIcon(os.path.join(os.path.dirname(__file__), "../Resources/Icons/CudaIslands.png"))

    def helpText(self):
        return _("Edit the islands (connected components) of a segment. The work is done on the GPU, or on all processors.")

    def setupOptionsFrame(self):
        self.buttons = {}
        layout = qt.QGridLayout()
        for column, operations in enumerate((APPLIED, CLICKED)):
            for row, (operation, (function, text, toolTip)) in enumerate(operations.items()):
                button = self.buttons[operation] = qt.QRadioButton(text)
                button.setToolTip(toolTip)
                button.connect("toggled(bool)", lambda on, operation=operation: self.onOperation(operation, on))
                layout.addWidget(button, row, column)
        self.scriptedEffect.addOptionsWidget(layout)

        self.minimumSize = qt.QSpinBox()
        self.minimumSize.setRange(0, vtk.VTK_INT_MAX)
        self.minimumSize.connect("valueChanged(int)", self.updateMRMLFromGUI)
        self.unit = qt.QComboBox()
        self.unit.addItems(["voxels", "mm3"])
        self.unit.connect("currentIndexChanged(int)", self.updateMRMLFromGUI)
        layout = qt.QHBoxLayout()
        layout.addWidget(self.minimumSize)
        layout.addWidget(self.unit)
        self.minimumSizeLabel = self.scriptedEffect.addLabeledOptionsWidget(_("Minimum size:"), layout)

        self.applyButton = qt.QPushButton(_("Apply"))
        self.applyButton.connect("clicked()", self.onApply)
        self.scriptedEffect.addOptionsWidget(self.applyButton)
        self.report = qt.QLabel()
        self.report.wordWrap = True
        self.scriptedEffect.addOptionsWidget(self.report)

    def setMRMLDefaults(self):
        self.scriptedEffect.setParameterDefault("Operation", "KEEP_LARGEST_ISLAND")
        self.scriptedEffect.setParameterDefault("MinimumSize", 1000)
        self.scriptedEffect.setParameterDefault("MinimumSizeUnit", "voxels")

    def updateGUIFromMRML(self):
        operation = self.scriptedEffect.parameter("Operation")
        for widget, update in (
            (self.buttons[operation], lambda: self.buttons[operation].setChecked(True)),
            (self.minimumSize, lambda: self.minimumSize.setValue(self.scriptedEffect.integerParameter("MinimumSize"))),
            (self.unit, lambda: self.unit.setCurrentText(self.scriptedEffect.parameter("MinimumSizeUnit"))),
        ):
            blocked = widget.blockSignals(True)
            update()
            widget.blockSignals(blocked)
        self.applyButton.setEnabled(operation in APPLIED)
        self.applyButton.setToolTip("" if operation in APPLIED else _("Click on an island in a slice view."))
        for widget in (self.minimumSizeLabel, self.minimumSize, self.unit):
            widget.setEnabled(operation in APPLIED and operation != "FILL_HOLES")

    def updateMRMLFromGUI(self):
        size, unit = self.minimumSize.value, self.unit.currentText  # setParameter() updates the widgets
        self.scriptedEffect.setParameter("MinimumSize", size)
        self.scriptedEffect.setParameter("MinimumSizeUnit", unit)

    def onOperation(self, operation, on):
        if on:
            self.scriptedEffect.setParameter("Operation", operation)

    def onApply(self):
        # The question about an invisible segment is Slicer's.
        if not self.scriptedEffect.confirmCurrentSegmentVisible():
            return

        def apply(target):
            size = self.scriptedEffect.integerParameter("MinimumSize")
            if self.scriptedEffect.parameter("MinimumSizeUnit") == "mm3":
                size = islands.voxels_in(size, target.node, target.image())
            APPLIED[self.scriptedEffect.parameter("Operation")][0](target, size)

        self.run(apply)

    def processInteractionEvents(self, callerInteractor, eventId, viewWidget):
        operation = self.scriptedEffect.parameter("Operation")
        modifiers = (callerInteractor.GetShiftKey(), callerInteractor.GetControlKey(), callerInteractor.GetAltKey())
        if (
            operation not in CLICKED
            or viewWidget.className() != "qMRMLSliceWidget"
            or eventId != vtk.vtkCommand.LeftButtonPressEvent
            or any(modifiers)
        ):
            return False
        # After the question, the user sees the segment for the first time, and shall click again.
        if self.scriptedEffect.confirmCurrentSegmentVisible() != self.scriptedEffect.ConfirmedWithoutDialog:
            return True

        def click(target):
            image = target.visible_image() if operation == "ADD_SELECTED_ISLAND" else target.image()
            ijk = self.xyToIjk(callerInteractor.GetEventPosition(), viewWidget, image, target.node.GetParentTransformNode())
            CLICKED[operation][0](target, ijk)

        try:
            self.run(click)
        except Exception:  # The user has seen it. The view must not see the click, because a window may have got the release.
            logging.exception("Islands (GPU) failed")
        return True

    def run(self, operation):
        message = _("The segmentation was not changed.")
        with slicer.util.tryWithErrorDisplay(message):
            package.ensure(slicer.util.settingsValue(package.SETTING, ""))
        with slicer.util.tryWithErrorDisplay(message, waitCursor=True):
            operation(islands.SegmentTarget(EffectEditor(self.scriptedEffect)))
        self.report.text = islands.backend()
