// SPDX-License-Identifier: Apache-2.0

// doc/tool.md has all options of the tool's table, and no others.

#include "ProgramTest.h"

#include "../../src/tool/OptionTable.h"

#include <regex>
#include <set>

namespace
{

class CudaConnectedComponentsToolOptions : public ProgramTest
{
protected:
  /** Returns a section of the page, without its heading. */
  std::string
  Section(const std::string & heading) const
  {
    const std::string begin = "\n## " + heading + "\n";
    const std::size_t at = m_Page.find(begin);
    EXPECT_NE(at, std::string::npos) << heading;
    return m_Page.substr(at + begin.size(), m_Page.find("\n## ", at + 1) - at - begin.size());
  }

  /** Returns the row of a table whose first cell has a text. */
  static std::string
  Row(const std::string & section, const std::string & text)
  {
    std::istringstream lines(section);
    for (std::string line; std::getline(lines, line);)
    {
      if (line.compare(0, 2, "| ") == 0 && line.substr(0, line.find(" | ")).find(text) != std::string::npos)
      {
        return line;
      }
    }
    return "";
  }

  static std::string
  Cell(const std::string & row, int number)
  {
    std::istringstream cells(row);
    std::string        cell;
    for (int i = 0; i <= number; ++i)
    {
      std::getline(cells, cell, '|');
    }
    return cell;
  }

  const std::string m_Page = ReadText(TOOL_PAGE);
};

TEST_F(CudaConnectedComponentsToolOptions, AreOnThePage)
{
  for (const Option & option : OptionTable())
  {
    if (option.group.empty())
    {
      EXPECT_NE(m_Page.find(option.name), std::string::npos) << option.name;
      continue;
    }
    const std::string name = option.name.substr(0, option.name.find(','));
    const std::string row =
      Row(this->Section(option.group), '`' + name + (option.value.empty() ? "" : ' ' + option.value) + '`');
    EXPECT_NE(row, "") << option.name << " is not in section " << option.group;
    for (const std::string & choice : option.constraint.choices)
    {
      EXPECT_NE(row.find(choice), std::string::npos) << option.name << ' ' << choice;
    }
    if (!option.defaultValue.empty())
    {
      EXPECT_TRUE(
        std::regex_search(row, std::regex("`?" + option.defaultValue + "`?,? (by default|is the default|the default)")))
        << option.name << ' ' << option.defaultValue;
    }
    if (!option.constraint.needs.empty() || !option.constraint.excludes.empty())
    {
      const std::string others = Row(this->Section("Options that need or exclude others"), '`' + name + '`');
      for (const std::string & other : option.constraint.needs)
      {
        EXPECT_NE(Cell(others, 2).find(other), std::string::npos) << option.name << ' ' << other;
      }
      for (const std::string & other : option.constraint.excludes)
      {
        EXPECT_NE(Cell(others, 3).find(other), std::string::npos) << option.name << ' ' << other;
      }
    }
  }
}

TEST_F(CudaConnectedComponentsToolOptions, OfThePageAreInTheTable)
{
  std::set<std::string> names;
  for (const Option & option : OptionTable())
  {
    names.insert(option.name.substr(option.name.find("--") == std::string::npos ? 0 : option.name.find("--")));
  }
  const std::regex option("`(--[a-z-]+)");
  for (std::sregex_iterator it(m_Page.begin(), m_Page.end(), option), end; it != end; ++it)
  {
    EXPECT_EQ(names.count((*it)[1]), 1U) << (*it)[1];
  }
}

} // namespace
