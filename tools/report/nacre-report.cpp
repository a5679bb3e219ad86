// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-report: what the compiler said of a model and what was measured of it, as one page.

#include "dialects/NestedJson.h"
#include "dialects/OutputFile.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/ReportPage.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {

constexpr StringLiteral kClosing = "\nEXAMPLES\n"
                                   "  nacre-compile model.onnx -o libmodel.so --device=snapdragon-778g \\\n"
                                   "    --report=report.json\n"
                                   "      write the compiler's report, with times predicted for a device\n"
                                   "  nacre-run libmodel.so --profile=profile.json\n"
                                   "      measure on the device itself\n"
                                   "  nacre-report report.json --profile=profile.json -o report.html\n"
                                   "      show both in a browser\n"
                                   "  nacre-report lenet.json --profile=main.json --profile=train.json\n"
                                   "      show the measurements of several entries\n"
                                   "\nEXIT STATUS\n"
                                   "  0  the page is written\n"
                                   "  2  the command line is wrong, or a file cannot be read or written, or belongs\n"
                                   "     to another library\n"
                                   "  4  memory ran out\n";

int fail(const Twine &message) {
  errs() << "nacre-report: " << message << "\n";
  return 2;
}

Expected<nacre::tools::JsonFile> readJson(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  Expected<json::Value> value = nacre::parseJson((*file)->getBuffer());
  if (!value)
    return createStringError(path + ": must be JSON, but is not: " + toString(value.takeError()));
  return nacre::tools::JsonFile{path, std::move(*value)};
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  nacre::tools::handleOutOfMemory();
  cl::OptionCategory category("nacre-report options");
  cl::opt<std::string> report(cl::Positional, cl::desc("<report.json>"), cl::cat(category));
  cl::list<std::string> profiles("profile", cl::cat(category), cl::value_desc("file"),
                                 cl::desc("Profile by nacre-run --profile=<file>, at most one per entry; repeatable"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("file"),
                              cl::desc("Page to write; - is the standard output (default: <report>.html)"));
  cl::HideUnrelatedOptions(category);
  nacre::tools::setVersion("nacre-report");
  const nacre::tools::Help help{"Shows a report of nacre-compile and profiles of nacre-run as a web page.",
                                "nacre-report [options] <report.json>",
                                &category,
                                {{"Files", {"profile", "o"}}},
                                kClosing.str()};
  if (Error error = nacre::tools::parseOptions(argc, argv, help))
    return fail(toString(std::move(error)));
  if (report.empty())
    return fail("a report is required, as in nacre-report report.json; see --help");

  Expected<nacre::tools::JsonFile> read = readJson(report);
  if (!read)
    return fail(toString(read.takeError()));
  std::vector<nacre::tools::JsonFile> measured;
  for (const std::string &path : profiles) {
    Expected<nacre::tools::JsonFile> profile = readJson(path);
    if (!profile)
      return fail(toString(profile.takeError()));
    measured.push_back(std::move(*profile));
  }
  Expected<std::string> page = nacre::tools::makeReportPage(*read, measured);
  if (!page)
    return fail(toString(page.takeError()));
  SmallString<128> path(output);
  if (path.empty()) {
    path = report;
    sys::path::replace_extension(path, "html");
  }
  if (path == "-")
    outs() << *page;
  else if (std::string problem = nacre::writeFile(path.str().str(), *page); !problem.empty())
    return fail("cannot write '" + path + "': " + problem);
  return 0;
}
