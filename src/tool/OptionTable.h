// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_OptionTable_h
#define ccl_tool_OptionTable_h

#include "Options.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

/** The member of Options that an option sets. Its type is the kind of the option: a flag, a text, ... An option of the
 * kind monostate prints a text and ends the program. */
using OptionMember = std::variant<std::monostate,
                                  bool                         Options::*,
                                  std::string                  Options::*,
                                  std::int64_t                 Options::*,
                                  std::optional<std::uint64_t> Options::*,
                                  std::optional<Limit>         Options::*,
                                  std::optional<ComponentSize> Options::*,
                                  std::optional<MemorySize>    Options::*,
                                  std::vector<Seed>            Options::*,
                                  std::vector<SeedPoint>       Options::*>;

/** The conditions for an option. */
struct OptionConstraint
{
  std::vector<std::string> choices = {}; // of a text; if they begin with a dot, of the ending of a file name
  std::vector<std::string> needs = {};   // other options
  std::vector<std::string> excludes = {};
  std::uint64_t            minimum = 0; // of a number of things
  std::uint64_t            maximum = std::numeric_limits<std::uint64_t>::max();
};

/** An option or an argument of the command line. */
struct Option
{
  std::string      name;  // "--lower" for an option, "INPUT" for an argument
  std::string      value; // the name of its value, such as "FILE"; empty for a flag
  OptionMember     member;
  std::string      group; // the heading in the help
  std::string      defaultValue;
  OptionConstraint constraint;
  std::string      help;
};

/** Returns the value that a dialog shows for an option until its user changes it. A dialog always has a number, so a
 * number of things that has no default is one below its minimum there. */
std::string
DefaultOfDialogs(const Option & option);

/** Returns all options, in the order of the help. */
const std::vector<Option> &
OptionTable();

#endif
