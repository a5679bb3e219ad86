// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/Console.h"

#include "compiler/driver/DeviceNames.h"
#include "compiler/driver/ModelQuestions.h"
#include "dialects/Count.h"
#include "dialects/OutputFile.h"
#include "dialects/PrintableText.h"
#include "dialects/RemoveOnSignal.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "tools/ReportPage.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <unistd.h>

using namespace llvm;

namespace nacre::tools {

//===----------------------------------------------------------------------===//
// Diagnostics and progress
//===----------------------------------------------------------------------===//

Console::Console(mlir::MLIRContext &context, StringRef modelPath, bool quiet)
    : modelPath(modelPath), quiet(quiet), terminal(isatty(STDERR_FILENO)), progress(std::chrono::steady_clock::now()),
      handler(&context, [this](mlir::Diagnostic &diagnostic) { print(diagnostic); }) {}

/// Returns the first name in a location, which is the name of the model's node.
static StringRef nodeOf(mlir::Location location) {
  if (auto named = dyn_cast<mlir::NameLoc>(location))
    return named.getName();
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (StringRef name = nodeOf(part); !name.empty())
        return name;
  return {};
}

void Console::print(mlir::Diagnostic &diagnostic) {
  bool isNews = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark;
  if (quiet && isNews)
    return;
  clearProgress();
  const char *severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error     ? "error: "
                         : diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? "warning: "
                                                                                         : "note: ";
  errs() << modelPath << ":";
  if (StringRef node = nodeOf(diagnostic.getLocation()); !node.empty())
    errs() << '"' << toPrintable(node) << "\":";
  errs() << ' ' << severity << toPrintable(diagnostic.str()) << "\n";
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
}

void Console::showProgress(Phase phase, unsigned done, unsigned total) {
  if (quiet)
    return;
  const auto now = std::chrono::steady_clock::now();
  const std::string text = progress.describe(phase, done, total, now);
  if (terminal) {
    errs() << "\r\033[K" << text;
    progressShown = true;
  } else if (progress.isTimeForLine(now)) {
    errs() << modelPath << ": note: " << text << "\n";
  }
}

void Console::clearProgress() {
  if (std::exchange(progressShown, false))
    errs() << "\r\033[K";
}

//===----------------------------------------------------------------------===//
// Compiling and writing
//===----------------------------------------------------------------------===//

static int reportUnwritable(StringRef path, StringRef problem) {
  errs() << "nacre-compile: cannot write '" << path << "': " << problem << "\n";
  return 1;
}

static int writeReport(const std::string &path, const CompileReport &report) {
  std::string text = formatv("{0:2}\n", report.toJson());
  if (isPagePath(path)) {
    Expected<std::string> page = makeReportPage({"the report", report.toJson()});
    if (!page) {
      errs() << "nacre-compile: " << toString(page.takeError()) << "\n";
      return 1;
    }
    text = std::move(*page);
  }
  const std::string problem = path == "-" ? "" : writeFile(path, text, removeOnSignal);
  if (path == "-")
    outs() << text;
  return problem.empty() ? 0 : reportUnwritable(path, problem);
}

int runCompile(const CompilerOptions &options, StringRef reportPath, NamedFiles &files, mlir::MLIRContext &context,
               Console &console) {
  const bool isText = options.compileTo || options.output == Output::Assembly || options.output == Output::LlvmIr;
  const bool isFile = isText && options.outputPath != "-";
  // A compilation takes minutes, so unwritable outputs are reported before it.
  std::string unfinished;
  const scope_exit finished([&] { sys::DontRemoveFileOnSignal(unfinished); }); // `textFile` removes the file first
  OutputFile textFile;
  if (isFile)
    if (const std::string problem = textFile.open(options.outputPath, removeOnSignal); !problem.empty())
      return reportUnwritable(options.outputPath, problem);
  for (const auto &[what, path] : describeOutputs(options))
    if (const std::string problem = findOutputProblem(path); !problem.empty())
      return reportUnwritable(path, problem);
  unfinished = textFile.beside();
  std::optional<raw_fd_ostream> text;
  if (isFile)
    text.emplace(textFile.descriptor(), /*shouldClose=*/false);
  CompileReport report;
  LogicalResult compiled = compileModel(
      options, context, isFile ? *text : outs(), report,
      [&](Phase phase, unsigned done, unsigned total) { console.showProgress(phase, done, total); }, &files);
  console.clearProgress();
  if (failed(compiled))
    return 1;
  if (isFile) {
    text->flush();
    std::string problem = text->has_error() ? text->error().message() : textFile.keep();
    text->clear_error();
    if (!problem.empty())
      return reportUnwritable(options.outputPath, problem);
  } else if (!isText && !console.isQuiet()) {
    outs() << report.summary();
  }
  return reportPath.empty() ? 0 : writeReport(reportPath.str(), report);
}

int runCheck(const CompilerOptions &options, mlir::MLIRContext &context, Console &console) {
  FailureOr<ProblemCount> problems = checkModel(options, context, outs());
  if (failed(problems))
    return 1;
  const char *areSupported = problems->allNodes == 1 ? " is supported" : " are supported";
  if (problems->nodes)
    outs() << problems->allNodes - problems->nodes << " of " << describeCount(problems->allNodes, "node")
           << areSupported << "\n";
  if (problems->values)
    outs() << describeCount(problems->values, "problem") << " with inputs and outputs\n";
  if (problems->training)
    outs() << describeCount(problems->training, "problem") << " with training\n";
  if (problems->nodes || problems->values || problems->training)
    return 1;
  if (!console.isQuiet())
    outs() << problems->allNodes << " of " << describeCount(problems->allNodes, "node") << areSupported
           << (options.training ? ", and the model can be trained" : "") << "\n";
  return 0;
}

int runListWeights(const CompilerOptions &options, mlir::MLIRContext &context) {
  return failed(listWeights(options, context, outs())) ? 1 : 0;
}

int listDevices() {
  for (const auto &[name, description] : describeDevices())
    outs() << left_justify(name, 20) << description << "\n";
  return 0;
}

} // namespace nacre::tools
