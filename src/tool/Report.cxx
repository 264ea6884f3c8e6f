// SPDX-License-Identifier: Apache-2.0
#include "Report.h"

#include "Join.h"

#include "itkMultiThreaderBase.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace
{

/** Prints a size without an exponent, unless it is very small. */
std::string
SizeText(double size)
{
  std::ostringstream text;
  text << std::setprecision(std::max(6, static_cast<int>(std::floor(std::log10(std::max(size, 1.0)))) + 1)) << size;
  return text.str();
}

void
PrintLargest(const Report & report, std::ostream & out)
{
  if (report.largestObjects.empty())
  {
    return;
  }
  out << "largest objects:\n";
  for (const Report::Object & object : report.largestObjects)
  {
    out << "  label " << object.label << ": " << object.pixelCount << (object.pixelCount == 1 ? " pixel" : " pixels");
    if (!report.physicalUnit.empty())
    {
      out << ", " << SizeText(object.physicalSize) << ' ' << report.physicalUnit;
    }
    out << '\n';
  }
  if (const std::uint64_t more = report.objectCount - report.largestObjects.size())
  {
    out << "  (and " << more << " more)\n";
  }
}

} // namespace

std::vector<ReturnParameter>
ReturnParametersOf(const Report & report)
{
  std::ostringstream milliseconds;
  milliseconds << std::fixed << std::setprecision(3) << report.labelingMilliseconds;
  return {
    { "count", "integer", "Count", "number of components in the outputs", std::to_string(report.objectCount) },
    { "backend_used", "string", "Backend used", "cuda for the GPU, cpu for the CPU", report.backend },
    { "milliseconds",
      "double",
      "Milliseconds",
      "time of the labeling, without reading and writing",
      milliseconds.str() },
  };
}

void
PrintText(const Options & options, const Report & report, std::ostream & out)
{
  std::ostringstream text;
  text << "size: " << Join(report.size, " x ") << " pixels of " << report.pixelType << '\n';
  text << std::fixed << std::setprecision(2) << "foreground: " << 100.0 * report.foreground << " %";
  if (report.otsuThreshold)
  {
    text << " (above Otsu's threshold, " << std::defaultfloat << std::setprecision(6) << *report.otsuThreshold << ')'
         << std::fixed;
  }
  text << (options.mask.empty() ? "\n" : ", before masking\n");
  if (report.holes)
  {
    text << "holes: " << report.holes->count << " filled, " << report.holes->pixelCount
         << (report.holes->pixelCount == 1 ? " pixel\n" : " pixels\n");
  }
  text << "connectivity: " << report.connectivity << '\n';
  text << "backend: " << report.backend << (report.reason.empty() ? "" : " (" + report.reason + ")")
       << (report.slabCount > 1 ? " in " + std::to_string(report.slabCount) + " slabs" : "") << '\n';
  text << "objects: " << report.objectCount;
  if (report.objectCount != report.originalObjectCount)
  {
    text << " (of " << report.originalObjectCount << " found)";
  }
  text << '\n';
  PrintLargest(report, text);
  for (const std::string & note : report.notes)
  {
    text << "note: " << note << '\n';
  }
  text << std::setprecision(1) << "milliseconds: reading " << report.readingMilliseconds << ", labeling "
       << report.labelingMilliseconds << ", writing " << report.writingMilliseconds << '\n';
  out << text.str();
}

void
PrintJson(const Options & options, const Report & report, std::ostream & out)
{
  const auto orNull = [](const std::string & text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json json;
  json["input"] = options.input;
  json["output"] = orNull(options.output);
  json["table"] = orNull(options.table);
  json["labelTable"] = orNull(options.labelTable);
  json["intensity"] = orNull(options.intensity);
  json["preview"] = orNull(options.preview);
  json["size"] = report.size;
  json["pixelType"] = report.pixelType;
  json["outputType"] = orNull(report.outputType);
  json["outputIsMask"] = options.maskOutput;
  json["unit"] = report.hasUnit ? "mm" : "pixel";
  json["notes"] = report.notes;
  json["foreground"] = report.foreground;
  json["otsuThreshold"] =
    report.otsuThreshold ? nlohmann::ordered_json(*report.otsuThreshold) : nlohmann::ordered_json();
  json["masked"] = !options.mask.empty();
  json["holesFilled"] = report.holes ? nlohmann::ordered_json(report.holes->count) : nlohmann::ordered_json();
  json["pixelsFilled"] = report.holes ? nlohmann::ordered_json(report.holes->pixelCount) : nlohmann::ordered_json();
  json["connectivity"] = report.connectivity;
  json["backend"] = report.backend;
  json["reason"] = orNull(report.reason);
  json["slabs"] = report.slabCount;
  json["threads"] = itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads();
  json["objects"] = report.objectCount;
  json["objectsFound"] = report.originalObjectCount;
  json["milliseconds"] = { { "reading", report.readingMilliseconds },
                           { "labeling", report.labelingMilliseconds },
                           { "writing", report.writingMilliseconds } };
  // The bytes of a file name can be invalid in a JSON string. Invalid bytes are replaced.
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}
