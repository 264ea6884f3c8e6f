// SPDX-License-Identifier: Apache-2.0
#include "Report.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <ostream>
#include <sstream>

void
PrintText(const Report & report, std::ostream & out)
{
  std::ostringstream text;
  text << std::fixed << "size: ";
  for (std::size_t axis = 0; axis < report.size.size(); ++axis)
  {
    text << (axis > 0 ? " x " : "") << report.size[axis];
  }
  text << " pixels of " << report.pixelType << '\n';
  text << std::setprecision(2) << "foreground: " << 100.0 * report.foreground << " %";
  if (report.otsuThreshold)
  {
    text << " (above Otsu's threshold, " << std::defaultfloat << std::setprecision(6) << *report.otsuThreshold << ')'
         << std::fixed;
  }
  text << (report.masked ? ", before masking\n" : "\n");
  text << "connectivity: " << report.connectivity << '\n';
  text << "backend: " << report.backend << (report.reason.empty() ? "" : " (" + report.reason + ")") << '\n';
  text << "objects: " << report.objectCount << '\n';
  text << std::setprecision(1) << "milliseconds: reading " << report.readingMilliseconds << ", labeling "
       << report.labelingMilliseconds << ", writing " << report.writingMilliseconds << '\n';
  out << text.str();
}

void
PrintJson(const Report & report, std::ostream & out)
{
  const auto orNull = [](const std::string & text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json json;
  json["input"] = report.input;
  json["output"] = report.output;
  json["preview"] = orNull(report.preview);
  json["size"] = report.size;
  json["pixelType"] = report.pixelType;
  json["outputType"] = report.outputType;
  json["foreground"] = report.foreground;
  json["otsuThreshold"] =
    report.otsuThreshold ? nlohmann::ordered_json(*report.otsuThreshold) : nlohmann::ordered_json();
  json["masked"] = report.masked;
  json["connectivity"] = report.connectivity;
  json["backend"] = report.backend;
  json["reason"] = orNull(report.reason);
  json["objects"] = report.objectCount;
  json["milliseconds"] = { { "reading", report.readingMilliseconds },
                           { "labeling", report.labelingMilliseconds },
                           { "writing", report.writingMilliseconds } };
  // The bytes of a file name can be invalid in a JSON string. Invalid bytes are replaced.
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}
