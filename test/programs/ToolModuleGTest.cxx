// SPDX-License-Identifier: Apache-2.0

// The command-line tool as a module of 3D Slicer: its description, and calls as 3D Slicer makes them.

#include "ToolTest.h"

#include "../../src/tool/OptionTable.h"

#include "itkDOMNodeXMLReader.h"
#include "itkDOMTextNode.h"
#include "itkMetaDataObject.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include <unistd.h>

namespace
{

using Keys = std::map<std::string, std::string>;

/** A parameter of the description. */
struct Parameter
{
  std::string tag;
  Keys        texts; // of the elements inside, by their tags
  Keys        attributes;
};

class CudaConnectedComponentsToolModule : public CudaConnectedComponentsTool
{
protected:
  static std::string
  TextOf(const itk::DOMNode * node)
  {
    const itk::DOMTextNode * const text = node->GetTextChild();
    return text != nullptr ? text->GetText() : "";
  }

  /** Returns the parameters of the description. A description that is not well-formed throws an exception. */
  std::vector<Parameter>
  Describe() const
  {
    const Outcome run = this->Call("--xml");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.errors, "");
    EXPECT_EQ(run.printed.compare(0, 6, "<?xml "), 0) << "3D Slicer demands these first characters";
    std::istringstream stream(run.printed);
    const auto         reader = itk::DOMNodeXMLReader::New();
    reader->Update(stream);
    itk::DOMNode * const root = reader->GetOutput();
    EXPECT_EQ(root->GetName(), "executable");
    itk::DOMNode::ChildrenListType groups;
    root->GetChildren("parameters", groups);
    std::vector<Parameter> parameters;
    for (itk::DOMNode * const group : groups)
    {
      EXPECT_NE(group->GetChild("label"), nullptr);
      EXPECT_NE(group->GetChild("description"), nullptr);
      itk::DOMNode::ChildrenListType children;
      group->GetAllChildren(children);
      for (itk::DOMNode * const child : children)
      {
        if (child->GetChild("name") == nullptr)
        {
          continue;
        }
        Parameter                        parameter{ child->GetName(), {}, {} };
        itk::DOMNode::ChildrenListType   elements;
        itk::DOMNode::AttributesListType attributes;
        child->GetAllChildren(elements);
        child->GetAllAttributes(attributes);
        for (itk::DOMNode * const element : elements)
        {
          std::string & text = parameter.texts[element->GetName()];
          text += (text.empty() ? "" : " ") + TextOf(element);
          if (element->GetName() == "constraints")
          {
            parameter.texts["minimum"] = TextOf(element->GetChild("minimum"));
          }
        }
        parameter.attributes.insert(attributes.begin(), attributes.end());
        parameters.push_back(parameter);
      }
    }
    return parameters;
  }

  /** Returns the name that an option has in the description. */
  static std::string
  NameInDescription(std::string name)
  {
    name.erase(0, name.find_first_not_of('-'));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char character) {
      return character == '-' ? '_' : static_cast<char>(std::tolower(character));
    });
    return name;
  }

  /** Returns the results that the tool wrote for 3D Slicer. */
  Keys
  ReadResults(const std::string & name) const
  {
    std::istringstream lines(ReadText(m_Folder / name));
    Keys               results;
    for (std::string line; std::getline(lines, line);)
    {
      const std::size_t at = line.find(" = ");
      EXPECT_NE(at, std::string::npos) << line;
      results[line.substr(0, at)] = line.substr(at + 3);
    }
    return results;
  }

  /** Returns the keys of an image file that begin as 3D Slicer's keys for segments. */
  Keys
  ReadSegments(const std::string & name) const
  {
    const auto io = itk::ImageIOFactory::CreateImageIO(this->File(name).c_str(), itk::IOFileModeEnum::ReadMode);
    io->SetFileName(this->File(name));
    io->ReadImageInformation();
    Keys segments;
    for (const std::string & key : io->GetMetaDataDictionary().GetKeys())
    {
      std::string value;
      if (key.compare(0, 7, "Segment") == 0 && itk::ExposeMetaData(io->GetMetaDataDictionary(), key, value))
      {
        segments[key] = value;
      }
    }
    return segments;
  }

  template <typename TImage>
  void
  WriteWithKeys(TImage * image, const Keys & keys, const std::string & name) const
  {
    for (const auto & [key, value] : keys)
    {
      itk::EncapsulateMetaData(image->GetMetaDataDictionary(), key, value);
    }
    Write(image, this->File(name));
  }
};

// A name is a variable for 3D Slicer, so it has no hyphen.
TEST_F(CudaConnectedComponentsToolModule, DescriptionHasEveryOptionOnce)
{
  std::multiset<std::string> names;
  for (const Parameter & parameter : this->Describe())
  {
    const std::string & name = parameter.texts.at("name");
    EXPECT_TRUE(std::regex_match(name, std::regex("[a-z][a-z_]*"))) << name;
    names.insert(name);
    const bool isResult = parameter.texts.count("longflag") == 0 && parameter.texts.count("index") == 0;
    EXPECT_NE(parameter.texts.at("label"), "") << name;
    EXPECT_NE(parameter.texts.at("description"), "") << name;
    if (parameter.texts.count("longflag") != 0)
    {
      EXPECT_EQ(parameter.texts.at("longflag"), "--" + name);
    }
    else if (isResult)
    {
      EXPECT_EQ(parameter.texts.at("channel"), "output") << name;
    }
  }
  std::multiset<std::string> expected{ "count", "backend_used", "milliseconds" };
  for (const Option & option : OptionTable())
  {
    // 3D Slicer adds --returnparameterfile by itself.
    if (!std::holds_alternative<std::monostate>(option.member) && option.name != "--returnparameterfile")
    {
      expected.insert(NameInDescription(option.name));
    }
  }
  EXPECT_EQ(names, expected);
}

TEST_F(CudaConnectedComponentsToolModule, DescriptionHasTheTable)
{
  std::map<std::string, Parameter> parameters;
  for (const Parameter & parameter : this->Describe())
  {
    parameters[parameter.texts.at("name")] = parameter;
  }
  for (const Option & option : OptionTable())
  {
    const auto found = parameters.find(NameInDescription(option.name));
    if (found == parameters.end())
    {
      continue;
    }
    const Parameter & parameter = found->second;
    EXPECT_EQ(parameter.texts.at("description").compare(0, option.help.size(), option.help), 0) << option.name;
    const auto & choices = option.constraint.choices;
    std::string  texts;
    for (const std::string & choice : choices)
    {
      texts += (texts.empty() ? "" : choice[0] == '.' ? "," : " ") + choice;
    }
    const bool areEndings = !choices.empty() && choices[0][0] == '.';
    EXPECT_EQ(parameter.attributes.count("fileExtensions") != 0 ? parameter.attributes.at("fileExtensions") : "",
              areEndings ? texts : "");
    EXPECT_EQ(parameter.texts.count("element") != 0 ? parameter.texts.at("element") : "", areEndings ? "" : texts);
    if (!option.defaultValue.empty())
    {
      EXPECT_EQ(parameter.texts.at("default"), option.defaultValue);
    }
    if (option.value.empty() && option.name[0] == '-')
    {
      EXPECT_EQ(parameter.tag, "boolean") << option.name;
      EXPECT_EQ(parameter.texts.at("default"), "false") << option.name;
    }
    if (option.value == "NUMBER")
    {
      EXPECT_EQ(parameter.tag, "integer") << option.name;
      // A range becomes a slider, which is of use for a small range only.
      EXPECT_EQ(parameter.texts.count("minimum"), option.name == "--threads" ? 1U : 0U) << option.name;
      if (option.name == "--threads")
      {
        EXPECT_EQ(parameter.texts.at("minimum"), parameter.texts.at("default"));
      }
    }
  }
  EXPECT_EQ(parameters.at("input").tag, "image");
  EXPECT_EQ(parameters.at("input").texts.at("index"), "0");
  EXPECT_EQ(parameters.at("output").texts.at("index"), "1");
  EXPECT_EQ(parameters.at("output").attributes.at("type"), "label");
  EXPECT_EQ(parameters.at("output").texts.at("channel"), "output");
  EXPECT_EQ(parameters.at("mask").texts.at("channel"), "input");
  EXPECT_EQ(parameters.at("table").tag, "table");
  EXPECT_EQ(parameters.at("seed_ras").tag, "point");
  EXPECT_EQ(parameters.at("seed_ras").attributes.at("coordinateSystem"), "ras");
  EXPECT_EQ(parameters.at("seed_point").attributes.at("coordinateSystem"), "lps");
}

// 3D Slicer always passes numbers and choices, and passes the other options if they have a value.
TEST_F(CudaConnectedComponentsToolModule, ParserTakesEveryOptionOfTheDescription)
{
  const auto image = MakeVolume();
  itk::EncapsulateMetaData<std::string>(image->GetMetaDataDictionary(), "Segment0_Name", "liver");
  itk::EncapsulateMetaData<std::string>(image->GetMetaDataDictionary(), "Segment0_LabelValue", "100");
  Write(image.GetPointer(), this->File("in.nrrd"));
  const Keys  values{ { "lower", "50" },
                      { "upper", "200" },
                      { "mask", "in.nrrd" },
                      { "min_size", "'2 mm3'" },
                      { "max_size", "1000" },
                      { "seed", "0,0,0" },
                      { "seed_point", "0,0,0" },
                      { "seed_ras", "0,0,0" },
                      { "table", "table.csv" },
                      { "intensity", "in.nrrd" },
                      { "preview", "p.png" },
                      { "segment", "liver" },
                      { "label_table", "labels.csv" },
                      { "gpu_memory", "1GiB" } };
  std::string untouched = " --returnparameterfile results.params";
  for (const Parameter & parameter : this->Describe())
  {
    const Keys & texts = parameter.texts;
    if (texts.count("longflag") != 0 && (parameter.tag == "integer" || parameter.tag == "string-enumeration"))
    {
      untouched += ' ' + texts.at("longflag") + ' ' + texts.at("default");
    }
  }
  for (const Parameter & parameter : this->Describe())
  {
    if (parameter.texts.count("longflag") == 0)
    {
      continue;
    }
    const std::string name = parameter.texts.at("name");
    std::string       flag = parameter.texts.at("longflag");
    if (parameter.tag == "integer" || parameter.tag == "string-enumeration")
    {
      continue; // the other calls have them
    }
    std::string rest;
    if (parameter.tag != "boolean")
    {
      ASSERT_EQ(values.count(name), 1U) << name;
      rest += ' ' + values.at(name);
    }
    rest += name == "shapes" || name == "intensity" ? " --table table.csv" : "";
    rest += name == "preview_numbers" ? " --preview p.png" : "";
    const std::string call = "in.nrrd out.nrrd" + untouched + ' ' + flag + rest;
    const Outcome     run = this->Call(call);
    EXPECT_EQ(run.status, 0) << call << '\n' << run.errors;
    const Keys results = this->ReadResults("results.params");
    EXPECT_EQ(results.size(), 3U) << call;

    // The same option as a user writes it.
    std::replace(flag.begin(), flag.end(), '_', '-');
    const bool    isAboutReport = name == "json" || name == "quiet";
    const Outcome direct = this->Call("in.nrrd direct.nrrd --json" + (isAboutReport ? "" : ' ' + flag + rest));
    ASSERT_EQ(direct.status, 0) << flag << '\n' << direct.errors;
    EXPECT_EQ(results.at("count"), nlohmann::json::parse(direct.printed).at("objects").dump()) << flag;
  }
  // A choice that the user made reaches the tool.
  const std::string changed = std::regex_replace(untouched, std::regex("(keep_largest) 0"), "$1 2");
  ASSERT_NE(changed, untouched);
  EXPECT_EQ(this->Call("in.nrrd out.nrrd" + changed).status, 0);
  EXPECT_EQ(this->ReadResults("results.params").at("count"), "2");
  EXPECT_EQ(this->Call("in.nrrd out.nrrd" + untouched + " --mask_output --output_type uint8").status, 2);
  const std::string joined =
    " --mask_output --output_type=uint32 --keep_largest=0 --returnparameterfile=results.params";
  EXPECT_EQ(this->Call("in.nrrd out.nrrd" + joined).status, 0);
  // Without 3D Slicer, a value is a choice.
  this->ExpectUsageError("in.nrrd other.nrrd --keep_largest 0", "--keep-largest");
  this->ExpectUsageError("in.nrrd other.nrrd --mask-output --output-type uint32", "--output-type");
}

TEST_F(CudaConnectedComponentsToolModule, Results)
{
  const auto image = MakeVolume();
  Write(image.GetPointer(), this->File("in.nrrd"));
  const Outcome run =
    this->Call("in.nrrd out.nrrd --keep-largest 3 --json --backend cpu --returnparameterfile results.params");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto report = nlohmann::json::parse(run.printed.substr(run.printed.find("\n{") + 1));
  const Keys results = this->ReadResults("results.params");
  EXPECT_EQ(results.at("count"), "3");
  EXPECT_EQ(results.at("backend_used"), "cpu");
  EXPECT_NEAR(std::stod(results.at("milliseconds")), report.at("milliseconds").at("labeling").get<double>(), 1e-3);
  EXPECT_EQ(results.size(), 3U);
  this->ExpectFailure("in.nrrd out.nrrd --quiet --returnparameterfile nowhere/results.params",
                      "there is no folder nowhere");
  this->ExpectFailure("in.nrrd out.nrrd --quiet --returnparameterfile out.nrrd", "it is two outputs at once");
}

TEST_F(CudaConnectedComponentsToolModule, Progress)
{
  const auto image = MakeVolume();
  Write(image.GetPointer(), this->File("in.nrrd"));
  const std::string options = "in.nrrd out.nrrd --returnparameterfile results.params";
  Outcome           run = this->Call(options);
  ASSERT_EQ(run.status, 0) << run.errors;
  std::string expected;
  for (const std::string stage : { "reading", "labeling", "writing" })
  {
    expected += "<filter-start>\n<filter-name>" + stage + "</filter-name>\n<filter-comment>" + stage +
                "</filter-comment>\n</filter-start>\n" +
                "(<filter-progress>[0-9.e-]+</filter-progress>\n<filter-stage-progress>[0-9.e-]+"
                "</filter-stage-progress>\n)+"
                "<filter-end>\n<filter-name>" +
                stage + "</filter-name>\n<filter-time>[0-9.e-]+</filter-time>\n</filter-end>\n";
  }
  EXPECT_TRUE(std::regex_match(run.printed, std::regex(expected + "size: [^<]*"))) << run.printed;
  const std::regex   element("<filter-progress>([^<]*)<");
  std::vector<float> shares;
  for (std::sregex_iterator it(run.printed.begin(), run.printed.end(), element), end; it != end; ++it)
  {
    shares.push_back(std::stof((*it)[1]));
  }
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.front(), 0.0F);
  EXPECT_EQ(shares.back(), 1.0F);

  EXPECT_EQ(this->Call(options + " --quiet").printed, "");
  EXPECT_EQ(this->Call("in.nrrd out.nrrd").printed.find('<'), std::string::npos);
  run = this->Call("nothing.nrrd out.nrrd --returnparameterfile other.params");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.printed.find("<filter-progress>0.3"), std::string::npos) << "the image was not read";
  EXPECT_FALSE(std::filesystem::exists(m_Folder / "other.params"));
}

TEST_F(CudaConnectedComponentsToolModule, SeedsInRas)
{
  const auto   image = MakeEmpty<MaskType>({ { 20, 20, 20 } });
  const double origin[] = { -30.0, 12.0, 5.0 };
  image->SetOrigin(origin);
  AddBox(image.GetPointer(), { { 1, 2, 3 } }, { { 2, 2, 2 } });
  AddBox(image.GetPointer(), { { 10, 12, 14 } }, { { 3, 2, 2 } });
  Write(image.GetPointer(), this->File("in.nrrd"));
  // Pixel 11, 12, 14 lies at -19, 24, 19 in LPS.
  for (const std::string seed : { "--seed-ras 19,-24,19", "--seed_ras 19.2,-24.3,18.9", "--seed-point -19,24,19" })
  {
    const Outcome run = this->Call("in.nrrd out.nrrd --quiet " + seed);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.errors, "") << seed;
    const auto expected = MakeEmpty<LabelsType>({ { 20, 20, 20 } });
    AddBox(expected.GetPointer(), { { 10, 12, 14 } }, { { 3, 2, 2 } });
    this->ExpectLabels("out.nrrd", expected.GetPointer());
  }
  // 3D Slicer repeats the option for each point.
  const Outcome run = this->Call("in.nrrd out.nrrd --seed_ras 19,-24,19 --seed_ras 29,-14,8");
  EXPECT_NE(run.printed.find("objects: 2\n"), std::string::npos) << run.printed;
  this->ExpectFailure("in.nrrd other.nrrd --seed-ras -19,24,19",
                      "in.nrrd: --seed-ras -19,24,19 lies outside the image of 20 x 20 x 20 pixels");
  this->ExpectUsageError("in.nrrd other.nrrd --seed-ras 1,a,2",
                         "--seed-ras \"1,a,2\" is not the point; give numbers in mm: R,A,S in a volume");
  this->ExpectFailure("in.nrrd other.nrrd --seed-ras 1,2", "but --seed-ras 1,2 has 2 numbers; give R,A,S");
}

// Kept components of a mask have the values of the segments, but labels are new values.
TEST_F(CudaConnectedComponentsToolModule, NamesOfSegments)
{
  const auto image = MakeEmpty<MaskType>({ { 20, 20, 20 } });
  AddBox(image.GetPointer(), { { 1, 2, 3 } }, { { 2, 2, 2 } }, 3);
  AddBox(image.GetPointer(), { { 10, 12, 14 } }, { { 3, 2, 2 } }, 7);
  const Keys segments{ { "Segment0_ID", "liver" },
                       { "Segment0_Name", "Liver & veins" },
                       { "Segment0_LabelValue", "3" },
                       { "Segment0_Color", "0.5 0.25 1" },
                       { "Segment0_Extent", "1 2 2 3 3 4" },
                       { "Segment1_ID", "tumor" },
                       { "Segment1_Name", "Tumor" },
                       { "Segment1_LabelValue", "7" },
                       { "Segmentation_ReferenceImageExtentOffset", "0 0 0" } };
  Keys       keys = segments;
  keys["Modality"] = "CT";
  this->WriteWithKeys(image.GetPointer(), keys, "in.seg.nrrd");
  ASSERT_EQ(this->ReadSegments("in.seg.nrrd"), segments);

  const std::string mask = " --quiet --mask-output --keep-largest 1";
  EXPECT_EQ(this->Call("in.seg.nrrd out.seg.nrrd" + mask).status, 0);
  EXPECT_EQ(this->ReadSegments("out.seg.nrrd"), segments);
  EXPECT_EQ(ReadText(m_Folder / "out.seg.nrrd").find("Modality"), std::string::npos);
  const auto kept = Read<MaskType>(this->File("out.seg.nrrd"));
  EXPECT_EQ(kept->GetPixel({ { 10, 12, 14 } }), 7);
  EXPECT_EQ(kept->GetPixel({ { 1, 2, 3 } }), 0);

  EXPECT_EQ(this->Call("in.seg.nrrd one.seg.nrrd --segment Tumor" + mask).status, 0);
  EXPECT_EQ(this->ReadSegments("one.seg.nrrd"),
            (Keys{ { "Segment0_ID", "tumor" },
                   { "Segment0_Name", "Tumor" },
                   { "Segment0_LabelValue", "7" },
                   { "Segment0_Layer", "0" },
                   { "Segmentation_ReferenceImageExtentOffset", "0 0 0" } }));

  EXPECT_EQ(this->Call("in.seg.nrrd holes.seg.nrrd --fill-holes --lower 7" + mask).status, 0);
  EXPECT_EQ(this->ReadSegments("holes.seg.nrrd"), Keys()) << "7 became 1";
  EXPECT_EQ(this->Call("in.seg.nrrd labels.seg.nrrd --quiet").status, 0);
  EXPECT_EQ(this->ReadSegments("labels.seg.nrrd"), Keys()) << "3 and 7 became 1 and 2";
  EXPECT_EQ(this->Call("in.seg.nrrd out.mha" + mask).status, 0);
  EXPECT_EQ(this->ReadSegments("out.mha"), Keys());
}

// 3D Slicer passes a file in its temporary folder. No file and no folder stays there.
TEST_F(CudaConnectedComponentsToolModule, LeavesNoFileAfterTermination)
{
  Write(MakeItkImage<MaskType>(MakeRandom({ 160, 160, 160 }, 15, 1, 416)).GetPointer(), this->File("in.nrrd"), false);
  const auto  before = this->ListFiles();
  const pid_t tool = fork();
  if (tool == 0)
  {
    const std::string printed = m_Folder.string() + ".out";
    if (chdir(m_Folder.c_str()) == 0 && std::freopen(printed.c_str(), "w", stdout) != nullptr)
    {
      execl(ToolPath().c_str(), "tool", "in.nrrd", "out.nrrd", "--returnparameterfile", "results.params", nullptr);
    }
    _exit(127);
  }
  const auto isWriting = [this] {
    return ReadText(m_Folder.string() + ".out").find("<filter-name>writing<") != std::string::npos;
  };
  for (int i = 0; i < 6000 && !isWriting(); ++i)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(tool, SIGTERM);
  int status = 0;
  waitpid(tool, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(this->ListFiles(), before);
  std::filesystem::remove(m_Folder.string() + ".out");
}

// A client that ends while the tool works closes the pipe. Then the report fails, but no folder stays.
TEST_F(CudaConnectedComponentsToolModule, ClosedPipe)
{
  Write(MakeVolume().GetPointer(), this->File("in.nrrd"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  ASSERT_LT(ends[1], 10) << "the shell takes one digit";
  const Outcome run = this->Call("in.nrrd out.nrrd --returnparameterfile results.params >&" + std::to_string(ends[1]));
  close(ends[1]);
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("the report cannot be printed"), std::string::npos) << run.errors;
  for (const std::string name : { "in.nrrd", "out.nrrd", "results.params" })
  {
    EXPECT_TRUE(std::filesystem::is_regular_file(m_Folder / name)) << name;
  }
  EXPECT_EQ(this->ListFiles().size(), 3U) << "a temporary folder stayed";
}

} // namespace
