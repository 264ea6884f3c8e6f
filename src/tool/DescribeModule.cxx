// SPDX-License-Identifier: Apache-2.0
#include "DescribeModule.h"

#include "OptionTable.h"
#include "Report.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace
{

constexpr std::uint64_t LargestSlider = 1000;

/** A group of parameters in a dialog. */
struct Group
{
  std::string heading; // of the options in the help
  std::string label;
  std::string help;
  bool        isAdvanced;
};

const std::string ForScripts = "For scripts";

const std::vector<Group> Groups{
  { "", "IO", "Images", false },
  { "Foreground", "Foreground", "The pixels that make components", false },
  { "Components", "Components", "Connectivity, selection and order of the components", false },
  { "Outputs", "Outputs", "Values of the output, table and picture", false },
  { "GPU and CPU", "GPU and CPU", "The results do not depend on these options", true },
  { ForScripts, ForScripts, "Options that help scripts more than dialogs", true },
};

std::string
HeadingOf(const Option & option)
{
  const std::vector<std::string> names{ "--seed", "--seed-point", "--json", "--quiet" };
  return std::find(names.begin(), names.end(), option.name) != names.end() ? ForScripts : option.group;
}

/** A type of parameters, as far as the option decides it. */
struct Type
{
  std::string tag;
  std::string attributes = "";
  std::string channel = "";
};

// TypeOf() returns the type of an option whose member has this type.

Type
TypeOf(const Option & /*option*/, bool Options::* /*member*/)
{
  return { "boolean" };
}

Type
TypeOf(const Option & option, std::string Options::* member)
{
  const auto & choices = option.constraint.choices;
  if (member == &Options::output)
  {
    return { "image", R"( type="label" reference="input")", "output" };
  }
  if (choices.empty() && option.value == "NAME")
  {
    return { "string" };
  }
  if (choices.empty())
  {
    return { "image", "", "input" };
  }
  if (choices[0][0] != '.')
  {
    return { "string-enumeration" };
  }
  std::string endings;
  for (const std::string & ending : choices)
  {
    endings += (endings.empty() ? "" : ",") + ending;
  }
  return { member == &Options::table || member == &Options::labelTable ? "table" : "file",
           " fileExtensions=\"" + endings + '"',
           "output" };
}

Type
TypeOf(const Option & /*option*/, std::int64_t Options::* /*member*/)
{
  return { "integer" };
}

Type
TypeOf(const Option & /*option*/, std::optional<std::uint64_t> Options::* /*member*/)
{
  return { "integer" };
}

Type
TypeOf(const Option & option, std::vector<SeedPoint> Options::* /*member*/)
{
  const std::string system = option.name == "--seed-ras" ? "ras" : "lps";
  return { "point", R"( multiple="true" coordinateSystem=")" + system + '"' };
}

/** Other values can be absent, which a dialog has for texts only. */
template <typename T>
Type
TypeOf(const Option & /*option*/, T Options::* /*member*/)
{
  return { "string" };
}

Type
TypeOf(const Option & /*option*/, std::monostate /*member*/)
{
  return {};
}

std::string
Escape(const std::string & text)
{
  std::string escaped;
  for (const char character : text)
  {
    escaped += character == '&'   ? "&amp;"
               : character == '<' ? "&lt;"
               : character == '>' ? "&gt;"
                                  : std::string{ character };
  }
  return escaped;
}

void
Write(const std::string & indent, const std::string & tag, const std::string & text, std::ostream & xml)
{
  xml << indent << '<' << tag << '>' << Escape(text) << "</" << tag << ">\n";
}

void
WriteOption(const Option & option, int & index, std::ostream & xml)
{
  const std::string indent = "      ";
  const Type        type = std::visit([&](auto member) { return TypeOf(option, member); }, option.member);
  const bool        isArgument = option.name[0] != '-';
  std::string       name = isArgument ? option.name : option.name.substr(2);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char character) {
    return character == '-' ? '_' : static_cast<char>(std::tolower(character)); // 3D Slicer allows no hyphens
  });
  std::string label = name;
  std::replace(label.begin(), label.end(), '_', ' ');
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  const std::string value = DefaultOfDialogs(option);
  const bool        hasNoChoiceValue = value != option.defaultValue; // which stands for an option that is absent

  xml << "    <" << type.tag << type.attributes << ">\n";
  Write(indent, "name", name, xml);
  Write(indent, "label", label, xml);
  Write(indent, "description", option.help + (hasNoChoiceValue ? "; " + value + " means: not set" : ""), xml);
  if (!type.channel.empty())
  {
    Write(indent, "channel", type.channel, xml);
  }
  if (isArgument)
  {
    Write(indent, "index", std::to_string(index++), xml);
  }
  else
  {
    Write(indent, "longflag", "--" + name, xml);
  }
  if (type.tag == "boolean" || !value.empty())
  {
    Write(indent, "default", type.tag == "boolean" ? "false" : value, xml);
  }
  // 3D Slicer makes a slider of a range. A step of a slider over a large range is too large.
  if (hasNoChoiceValue && option.constraint.maximum <= LargestSlider)
  {
    xml << indent << "<constraints>\n";
    Write(indent + "  ", "minimum", value, xml);
    Write(indent + "  ", "maximum", std::to_string(option.constraint.maximum), xml);
    Write(indent + "  ", "step", "1", xml);
    xml << indent << "</constraints>\n";
  }
  if (type.tag == "string-enumeration")
  {
    for (const std::string & choice : option.constraint.choices)
    {
      Write(indent, "element", choice, xml);
    }
  }
  xml << "    </" << type.tag << ">\n";
}

} // namespace

std::string
DescribeModule()
{
  std::ostringstream xml;
  xml << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<executable>\n";
  Write("  ", "category", "Segmentation", xml);
  Write("  ", "title", "CUDA Connected Components", xml);
  Write("  ",
        "description",
        "Labels, selects and measures the connected components of an image, on an NVIDIA GPU if there is one, else on "
        "the CPU. The labels are the labels of ITK.",
        xml);
  Write("  ", "version", CUDA_CONNECTED_COMPONENTS_VERSION, xml);
  Write("  ", "documentation-url", "https://github.com/InsightSoftwareConsortium/ITKCudaConnectedComponents", xml);
  Write("  ", "license", "Apache-2.0", xml);
  Write("  ", "contributor", "The ITKCudaConnectedComponents authors", xml);
  int index = 0;
  for (const Group & group : Groups)
  {
    xml << "  <parameters" << (group.isAdvanced ? " advanced=\"true\"" : "") << ">\n";
    Write("    ", "label", group.label, xml);
    Write("    ", "description", group.help, xml);
    for (const Option & option : OptionTable())
    {
      if (HeadingOf(option) == group.heading)
      {
        WriteOption(option, index, xml);
      }
    }
    xml << "  </parameters>\n";
  }
  xml << "  <parameters>\n";
  Write("    ", "label", "Results", xml);
  Write("    ", "description", "Results of the last run", xml);
  for (const ReturnParameter & parameter : ReturnParametersOf(Report()))
  {
    xml << "    <" << parameter.type << ">\n";
    Write("      ", "name", parameter.name, xml);
    Write("      ", "label", parameter.label, xml);
    Write("      ", "description", parameter.help, xml);
    Write("      ", "channel", "output", xml);
    Write("      ", "default", parameter.value, xml);
    xml << "    </" << parameter.type << ">\n";
  }
  xml << "  </parameters>\n</executable>";
  return xml.str();
}
