// SPDX-License-Identifier: Apache-2.0
#include "Options.h"

#include "DescribeModule.h"
#include "Failure.h"
#include "Join.h"
#include "OptionTable.h"
#include "OutputTypes.h"
#include "PluginPath.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "itkVersion.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <type_traits>

namespace
{

constexpr int UsageError = 2;

const std::string VersionText = std::string("cuda-connected-components " CUDA_CONNECTED_COMPONENTS_VERSION "\nITK ") +
                                itk::Version::GetITKVersion() + "\n" CUDA_CONNECTED_COMPONENTS_CUDA;

/** Throws CLI::ValidationError if options contradict each other. */
void
RequireSensible(const Options & options)
{
  const auto require = [](bool condition, const std::string & message) {
    if (!condition)
    {
      throw CLI::ValidationError(message);
    }
  };
  const bool hasTable = !options.table.empty() || !options.labelTable.empty();
  require(!options.output.empty() || hasTable, "OUTPUT is required, except with --table or --label-table");
  require(!options.shapes || hasTable, "--shapes requires --table or --label-table");
  require(options.intensity.empty() || hasTable, "--intensity requires --table or --label-table");
  const bool choosesForeground = options.lower || options.upper || options.otsu || !options.mask.empty();
  require(
    !options.fillHoles || !options.byValue || !choosesForeground,
    "--fill-holes with --by-value fills the holes of all values but 0: leave out --lower, --upper, --otsu and --mask");
  if (options.lower && options.upper)
  {
    require(options.lower->number <= options.upper->number,
            "--lower " + options.lower->text + " is above --upper " + options.upper->text +
              ": no pixel would be foreground");
  }
  const auto & minimum = options.minimumSize;
  const auto & maximum = options.maximumSize;
  require(!maximum || maximum->pixelCount > 0 || maximum->physicalSize > 0.0,
          "--max-size is 0: no component would be left");
  require(!minimum || !maximum || minimum->unit != maximum->unit ||
            (minimum->pixelCount <= maximum->pixelCount && minimum->physicalSize <= maximum->physicalSize),
          "--min-size is above --max-size: no component would be left");
  const std::string background = "--background-value " + std::to_string(options.backgroundValue);
  const bool        isAuto = options.outputType == "auto";
  require(options.backgroundValue >= 0 || (!isAuto && HasValue(options.outputType, -1)),
          background + " needs a signed --output-type, such as int32");
  require(isAuto || HasValue(options.outputType, options.backgroundValue),
          background + " does not fit into --output-type " + options.outputType);
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    const bool isChosen = row.option == options.algorithm;
    const bool isFull = options.fullyConnected || options.connectivity == "8" || options.connectivity == "26";
    require(!isChosen || isFull || !row.needsFullConnectivity,
            "--algorithm " + options.algorithm + " labels with full connectivity only: add --fully-connected");
    require(!isChosen || !row.isPublished || (!options.byValue && options.connectivity != "18"),
            "--algorithm " + options.algorithm + " does not label by value or with 18 neighbors: leave it out");
  }
  const bool choosesGPU = options.device || options.gpuMemory || options.algorithm != "automatic";
  require(options.backend != "cpu" || !choosesGPU,
          "--device, --gpu-memory and --algorithm are for the GPU, but --backend cpu does not use it");
}

// Store() stores the value of an option that a text means. It throws Failure if the text has another meaning.

void
Store(const Option & option, const std::string & text, std::string & value)
{
  const auto & choices = option.constraint.choices;
  const bool   areEndings = !choices.empty() && choices[0][0] == '.';
  const auto   isMet = [&](const std::string & choice) {
    return areEndings ? std::filesystem::path(text).extension() == choice : text == choice;
  };
  if (!choices.empty() && std::none_of(choices.begin(), choices.end(), isMet))
  {
    throw Failure('"' + text + (areEndings ? "\" must end in " : "\" must be ") + Join(choices, " or "));
  }
  if (text.empty())
  {
    throw Failure(std::string("\"\" is not the name of a ") + (option.value == "NAME" ? "segment" : "file"));
  }
  value = text;
}

void
Store(const Option & /*option*/, const std::string & text, std::int64_t & value)
{
  const auto [parsed, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || parsed != text.data() + text.size())
  {
    throw Failure('"' + text + "\" is not a whole number from -2^63 to 2^63 - 1");
  }
}

void
Store(const Option & option, const std::string & text, std::optional<std::uint64_t> & value)
{
  value = ParseWholeNumber(text, option.constraint.minimum, option.constraint.maximum);
}

void
Store(const Option & /*option*/, const std::string & text, std::optional<Limit> & value)
{
  value = ParseLimit(text);
}

void
Store(const Option & /*option*/, const std::string & text, std::optional<ComponentSize> & value)
{
  value = ParseComponentSize(text);
}

void
Store(const Option & /*option*/, const std::string & text, std::optional<MemorySize> & value)
{
  value = ParseMemorySize(text);
}

void
Store(const Option & /*option*/, const std::string & text, std::vector<Seed> & value)
{
  value.push_back(ParseSeed(text));
}

void
Store(const Option & option, const std::string & text, std::vector<SeedPoint> & value)
{
  value.push_back(ParseSeedPoint(option.name, text));
}

/** Adds an option of the table to the parser, which stores the value of the option in `options`. */
CLI::Option *
Add(const Option & row, Options & options, CLI::App & app)
{
  return std::visit(
    [&](auto member) -> CLI::Option * {
      using MemberType = decltype(member);
      if constexpr (std::is_same_v<MemberType, std::monostate>)
      {
        const auto print = [&row] {
          std::cout << (row.name == "--version" ? VersionText
                        : row.name == "--xml"   ? DescribeModule()
                                                : FindPluginPath())
                    << '\n';
          throw CLI::Success();
        };
        return row.name == "-h,--help" ? app.set_help_flag(row.name, row.help)
                                       : app.add_flag_callback(row.name, print, row.help);
      }
      else if constexpr (std::is_same_v<MemberType, bool Options::*>)
      {
        return app.add_flag(row.name, options.*member, row.help);
      }
      else
      {
        const auto store = [&row, &value = options.*member](const CLI::results_t & texts) {
          try
          {
            std::for_each(texts.begin(), texts.end(), [&](const std::string & text) { Store(row, text, value); });
          }
          catch (const Failure & failure)
          {
            throw CLI::ValidationError(row.name + ' ' + failure.what());
          }
          return true;
        };
        if (!row.defaultValue.empty())
        {
          store({ row.defaultValue });
        }
        auto * const option = app.add_option(row.name, store, row.help)->type_name(row.value);
        option->default_str(row.defaultValue);
        if constexpr (std::is_same_v<MemberType, std::vector<Seed> Options::*> ||
                      std::is_same_v<MemberType, std::vector<SeedPoint> Options::*>)
        {
          option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
        }
        return option;
      }
    },
    row.member);
}

/** Returns the program and its arguments, with the names of the table. 3D Slicer writes --min_size for --min-size. It
 * passes options that its user left alone, too: they are left out, because options can exclude each other. */
std::vector<std::string>
ReadArguments(int argc, char ** argv)
{
  std::vector<std::string> arguments(argv, argv + argc);
  const auto               end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument)
  {
    if (argument->compare(0, 2, "--") == 0)
    {
      std::replace(argument->begin(), std::find(argument->begin(), argument->end(), '='), '_', '-');
    }
  }
  const std::string slicer = "--returnparameterfile"; // its value may follow "="
  if (std::none_of(arguments.begin(), end, [&](const std::string & text) { return text.rfind(slicer, 0) == 0; }))
  {
    return arguments;
  }
  std::vector<std::string> changed;
  for (auto argument = arguments.begin(); argument != end;)
  {
    const auto &      table = OptionTable();
    const std::size_t equals = argument->find('=');
    const std::string name = argument->substr(0, equals);
    const auto        row =
      std::find_if(table.begin(), table.end(), [&](const Option & option) { return option.name == name; });
    const bool hasValue = row != table.end() && !row->value.empty();
    const auto next = argument + (hasValue && equals == std::string::npos && argument + 1 != end ? 2 : 1);
    if (!hasValue || (next - 1)->substr(equals + 1) != DefaultOfDialogs(*row)) // npos + 1 is 0
    {
      changed.insert(changed.end(), argument, next);
    }
    argument = next;
  }
  changed.insert(changed.end(), end, arguments.end());
  return changed;
}

} // namespace

std::optional<int>
ParseOptions(int argc, char ** argv, Options & options)
{
  CLI::App app(
    "Labels the connected components of an image, on an NVIDIA GPU if there is one, else on the CPU.\n"
    "By default, the labels equal ITK's labels: 1, 2, 3, ... in the raster order of the components' first pixels.");
  app.set_help_flag(); // the table has its own
  for (const Option & row : OptionTable())
  {
    CLI::Option * const option = Add(row, options, app);
    if (!row.group.empty())
    {
      option->group(row.group);
    }
  }
  for (const Option & row : OptionTable())
  {
    for (const std::string & other : row.constraint.needs)
    {
      app.get_option(row.name)->needs(app.get_option(other));
    }
    for (const std::string & other : row.constraint.excludes)
    {
      app.get_option(row.name)->excludes(app.get_option(other));
    }
  }
  app.get_option("INPUT")->required();
  app.footer("Exit status: 0 on success, also if the CPU labels instead of the GPU; 1 if an image cannot be read or "
             "labeled, or an output cannot be written; 2 if the arguments are wrong.");

  try
  {
    const std::vector<std::string> arguments = ReadArguments(argc, argv);
    std::vector<const char *>      texts;
    for (const std::string & argument : arguments)
    {
      texts.push_back(argument.c_str());
    }
    app.parse(static_cast<int>(texts.size()), texts.data());
    // ITK cannot write the default type to TIFF, and many of its releases cannot read it.
    const std::string ending = std::filesystem::path(options.output).extension().string();
    if ((ending == ".tif" || ending == ".tiff" || ending == ".TIF" || ending == ".TIFF") &&
        app.get_option("--output-type")->count() == 0)
    {
      options.outputType = "uint16";
    }
    RequireSensible(options);
  }
  catch (const CLI::Success & success)
  {
    return app.exit(success);
  }
  catch (const CLI::ParseError & error)
  {
    std::cerr << "cuda-connected-components: " << error.what() << "; see --help\n";
    return UsageError;
  }
  return std::nullopt;
}
