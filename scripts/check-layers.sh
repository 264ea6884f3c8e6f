#!/bin/sh
# Checks that a file in src/ includes files of its own layer and of lower layers only. Prints how many includes lead from
# each layer to each other layer.
set -eu

cd "$(dirname "$0")/.."
git ls-files src | grep -E '\.(h|hxx|cxx|cu|cuh|in)$' | xargs grep -E '^#include "' | awk -F'[/:"]' '
BEGIN {
  count = split("primitives executors algorithms engine filters plugin tool", names, " ")
  for (i = 1; i <= count; ++i)
    layer[names[i]] = i
  # The public headers, and the layer that implements each of them.
  public["itkCudaConnectedComponentError.h"] = public["itkCudaConnectedComponentsEnums.h"] = "primitives"
  public["itkCudaConnectedComponentSelection.h"] = public["itkCudaConnectedComponentTable.h"] = "primitives"
  public["itkCudaConnectedComponentIntensities.h"] = public["itkCudaConnectedComponentImageView.h"] = "primitives"
  public["itkCudaConnectedComponentDeviceCall.h"] = public["itkCudaConnectedComponentValueSummary.h"] = "primitives"
  public["itkCudaConnectedComponentAllocator.h"] = public["itkCudaConnectedComponentForeground.h"] = "primitives"
  public["itkCudaConnectedComponentBlock.h"] = "primitives"
  public["itkCudaConnectedComponentBlocks.h"] = "engine"
  public["itkCudaConnectedComponentLabeler.h"] = public["itkCudaConnectedComponentAlgorithms.h"] = "engine"
  public["itkCudaBinaryFillholeImageFilter.h"] = public["itkCudaBinaryKeepNObjectsImageFilter.h"] = "filters"
  public["itkCudaBinaryShapeKeepNObjectsImageFilter.h"] = public["itkCudaBinaryShapeOpeningImageFilter.h"] = "filters"
  public["itkCudaBinaryGrindPeakImageFilter.h"] = public["itkCudaLabelImageToLabelMapFilter.h"] = "filters"
  public["itkCudaBinaryImageToLabelMapFilter.h"] = public["itkCudaConnectedComponentImageFilter.h"] = "filters"
  public["itkCudaConnectedComponentsFactory.h"] = public["itkCudaConnectedComponentStatistics.h"] = "filters"
  public["itkCudaRelabelComponentImageFilter.h"] = public["itkCudaConnectedComponentsFilterBase.h"] = "filters"
  public["itkCudaConnectedThresholdImageFilter.h"] = public["itkCudaIsolatedConnectedImageFilter.h"] = "filters"
  public["itkCudaThresholdMaximumConnectedComponentsImageFilter.h"] = "filters"
  public["CudaConnectedComponentsDetail"] = "filters"
  public["itkCudaConnectedComponentsPlugin.h"] = "plugin"
}
$2 in layer {
  from = $2
  line = $0
  sub(/^[^:]*:#include "/, "", line)
  split(line, path, /[\/"]/)
  to = path[1] in layer ? path[1] : path[1] in public ? public[path[1]] : ""
  if (to == "") {
    if (path[1] ~ /^itkCuda/) {
      print "a public header without a layer; give it one in scripts/check-layers.sh: " $0
      failed = 1
    }
    next
  }
  ++includes[from " -> " to]
  if (layer[to] > layer[from]) {
    print "a lower layer includes a higher one: " $0
    failed = 1
  }
}
END {
  for (i = 1; i <= count; ++i)
    for (j = 1; j <= count; ++j)
      if (names[i] " -> " names[j] in includes && i != j)
        printf "%s -> %s: %d includes\n", names[i], names[j], includes[names[i] " -> " names[j]]
  exit failed
}'
