// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-report makes one page of a compiler's report with measured times, of two reports, or of a training.

#include "dialects/NestedJson.h"
#include "dialects/OutputFile.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/ReportPage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using nacre::tools::JsonFile;

namespace {

constexpr StringLiteral kClosing = "\nEXAMPLES\n"
                                   "  nacre-compile model.onnx -o libmodel.so --device=snapdragon-778g \\\n"
                                   "    --report=report.json\n"
                                   "      write the compiler's report, with times predicted for a device\n"
                                   "  nacre-run libmodel.so --profile=profile.json\n"
                                   "      measure on the device itself\n"
                                   "  nacre-report report.json --profile=profile.json -o report.html\n"
                                   "      show both in a browser\n"
                                   "  nacre-report report.json --measure\n"
                                   "      measure on this machine and show both\n"
                                   "  nacre-report lenet.json --profile=main.json --profile=train.json\n"
                                   "      show the measurements of several entries\n"
                                   "  nacre-report before.json after.json --measure\n"
                                   "      compare two compilations\n"
                                   "  nacre-report log.jsonl\n"
                                   "      show the curves of a training (nacre-run --train --log=log.jsonl)\n"
                                   "\nEXIT STATUS\n"
                                   "  0  the page is written\n"
                                   "  2  the command line is wrong, a file cannot be read or written or belongs to\n"
                                   "     another library, or the measurement fails\n"
                                   "  4  memory ran out\n";

int fail(const Twine &message) {
  errs() << "nacre-report: " << message << "\n";
  return 2;
}

using Text = std::unique_ptr<MemoryBuffer>;

Expected<Text> readText(const std::string &path) {
  ErrorOr<Text> file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  return std::move(*file);
}

Expected<JsonFile> parseFile(const std::string &path, StringRef text) {
  if (text.starts_with("\x7f"
                       "ELF"))
    return createStringError(path + ": is a library; give the report of nacre-compile --report=<file>.json");
  Expected<json::Value> value = nacre::parseJson(text);
  if (!value)
    return createStringError(path + ": must be JSON, but is not: " + toString(value.takeError()));
  return JsonFile{path, std::move(*value)};
}

Expected<JsonFile> readJson(const std::string &path) {
  Expected<Text> text = readText(path);
  if (!text)
    return text.takeError();
  return parseFile(path, (*text)->getBuffer());
}

/// Returns the path of a report's library. It is the path at which the compiler wrote it, or next to the report if both
/// were moved.
std::string libraryOf(const JsonFile &report) {
  const json::Object *top = report.value.getAsObject();
  std::string output = top ? top->getString("output").value_or("").str() : "";
  if (output.empty() || sys::fs::exists(output))
    return output;
  SmallString<128> beside = sys::path::parent_path(report.path);
  sys::path::append(beside, sys::path::filename(output));
  return sys::fs::exists(beside) ? beside.str().str() : output;
}

/// Measures the library of a report with nacre-run, which is next to this program or in PATH.
Expected<JsonFile> measure(const JsonFile &report, const char *program) {
  const std::string library = libraryOf(report);
  if (library.empty())
    return createStringError(report.path + ": names no library to measure, but must for --measure");
  if (!sys::fs::exists(library))
    return createStringError("cannot measure '" + library + "', which does not exist: " + report.path +
                             " names the library where it was when it was compiled; put it next to the report, or " +
                             "measure it with nacre-run <library> --profile=profile.json and pass " +
                             "--profile=profile.json instead of --measure");
  const std::string self = sys::fs::getMainExecutable(program, reinterpret_cast<void *>(&measure));
  ErrorOr<std::string> run = sys::findProgramByName("nacre-run", {sys::path::parent_path(self)});
  if (!run)
    run = sys::findProgramByName("nacre-run");
  if (!run)
    return createStringError("--measure needs nacre-run, but it is neither next to nacre-report nor in the PATH");
  SmallString<128> profile, said;
  if (sys::fs::createTemporaryFile("nacre-profile", "json", profile) ||
      sys::fs::createTemporaryFile("nacre-run", "txt", said))
    return createStringError("cannot write a file for the profile in the folder for temporary files");
  const FileRemover removeProfile(profile), removeSaid(said);
  const std::string profileOption = ("--profile=" + profile).str();
  // Runs for one second. In a few runs, the machine would not reach its full clock rate.
  const StringRef arguments[] = {*run, library, profileOption, "--min-seconds=1"};
  const std::optional<StringRef> redirects[] = {std::nullopt, StringRef(said), StringRef(said)};
  std::string problem;
  const int status = sys::ExecuteAndWait(*run, arguments, std::nullopt, redirects, 0, 0, &problem);
  if (status != 0) {
    ErrorOr<Text> text = MemoryBuffer::getFile(said, /*IsText=*/true);
    return createStringError(
        "cannot measure '" + library +
        "': " + (text && !(*text)->getBuffer().empty() ? (*text)->getBuffer().rtrim() : StringRef(problem)));
  }
  Expected<JsonFile> measured = readJson(profile.str().str());
  if (measured)
    measured->path = "the profile of " + library;
  return measured;
}

/// Returns the page for the files on the command line.
Expected<std::string> makePage(ArrayRef<std::string> paths, ArrayRef<std::string> profiles, bool measures,
                               const std::string &output, const char *program) {
  std::vector<Text> texts;
  for (const std::string &path : paths) {
    Expected<Text> text = readText(path);
    if (!text)
      return text.takeError();
    texts.push_back(std::move(*text));
  }
  const auto logs = count_if(texts, [](const Text &text) { return nacre::tools::isTrainingLog(text->getBuffer()); });
  if (logs > 0) {
    if (size_t(logs) < texts.size())
      return createStringError("a training log cannot be combined with a report; write one page for each");
    if (!profiles.empty() || measures)
      return createStringError("--profile and --measure cannot be combined with a training log, as '" + paths.front() +
                               "' is");
    std::vector<std::pair<std::string, StringRef>> named;
    for (const auto &[path, text] : zip_equal(paths, texts))
      named.emplace_back(path, text->getBuffer());
    return nacre::tools::makeTrainingPage(named);
  }
  if (paths.size() > 2)
    return createStringError("two reports can be compared, but there are " + Twine(paths.size()));
  std::vector<JsonFile> reports, measured;
  for (const auto &[path, text] : zip_equal(paths, texts)) {
    Expected<JsonFile> report = parseFile(path, text->getBuffer());
    if (!report)
      return report.takeError();
    reports.push_back(std::move(*report));
  }
  for (const std::string &path : profiles) {
    Expected<JsonFile> profile = readJson(path);
    if (!profile)
      return profile.takeError();
    measured.push_back(std::move(*profile));
  }
  if (measures)
    for (const JsonFile &report : reports) {
      nacre::NamedFiles named;
      named.addInput("the library of " + report.path, libraryOf(report));
      named.addOutput("-o", output);
      if (const std::string problem = named.findProblem(); !problem.empty())
        return createStringError(problem);
      Expected<JsonFile> profile = measure(report, program);
      if (!profile)
        return profile.takeError();
      measured.push_back(std::move(*profile));
    }
  return reports.size() == 1 ? nacre::tools::makeReportPage(reports.front(), measured)
                             : nacre::tools::makeComparisonPage(reports.front(), reports.back(), measured);
}

/// Returns the path of a report's page. The page is next to the report.
std::string pageOf(StringRef report) {
  const StringRef name = sys::path::filename(report);
  return report.drop_back(name.size()).str() + nacre::fileNameOf(sys::path::stem(report).str(), ".html");
}

/// Returns an error if the page would overwrite one of its sources.
Error checkFiles(nacre::NamedFiles &named, ArrayRef<std::string> files, ArrayRef<std::string> profiles,
                 const std::string &output, StringRef page) {
  for (const std::string &path : files)
    named.addInput("a report or log", path);
  for (const std::string &path : profiles)
    named.addInput("--profile", path);
  if (page != "-")
    named.addOutput(output.empty() ? "the page" : "-o", page.str());
  const std::string problem = named.findProblem();
  return problem.empty() ? Error::success() : createStringError(problem);
}

} // namespace

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/2);
  InitLLVM init(argc, argv);
  nacre::tools::handleOutOfMemory();
  cl::OptionCategory category("nacre-report options");
  cl::list<std::string> files(cl::Positional, cl::cat(category),
                              cl::desc("<report.json> [<other.json>] | <log.jsonl>..."));
  cl::list<std::string> profiles("profile", cl::cat(category), cl::value_desc("file"),
                                 cl::desc("Profile by nacre-run --profile=<file>, at most one per entry; repeatable"));
  cl::opt<bool> measures("measure", cl::cat(category),
                         cl::desc("Measure the report's library on this machine with nacre-run"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("file"),
                              cl::desc("Page to write; - is the standard output (default: <report>.html)"));
  cl::HideUnrelatedOptions(category);
  nacre::tools::setVersion("nacre-report");
  const nacre::tools::Help help{"Shows reports of nacre-compile, or training logs, as a web page.",
                                "nacre-report [options] <report.json> [<other.json>] | <log.jsonl>...",
                                &category,
                                {{"Files", {"profile", "measure", "o"}}},
                                kClosing.str()};
  nacre::NamedFiles named;
  if (Error error = nacre::tools::parseOptions(argc, argv, help, &named))
    return fail(toString(std::move(error)));
  if (files.empty())
    return fail("a report is required, as in nacre-report report.json; see --help");
  const std::string path = output.empty() ? pageOf(files.front()) : output.getValue();
  if (Error error = checkFiles(named, files, profiles, output, path))
    return fail(toString(std::move(error)));
  Expected<std::string> page = makePage(files, profiles, measures, path, argv[0]);
  if (!page)
    return fail(toString(page.takeError()));
  if (path == "-")
    outs() << *page;
  else if (std::string problem = nacre::writeFile(path, *page); !problem.empty())
    return fail("cannot write '" + path + "': " + problem);
  return 0;
}
