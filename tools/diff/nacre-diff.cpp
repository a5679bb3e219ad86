// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-diff compares the results of all nodes of a model with a reference, in order, to find the first wrong one.
//
// How:   1. Import the model with the results of all nodes as outputs. This gives order and names. Without --against,
//           the interpreter then computes the reference in double.
//        2. Run the library on the same inputs, or read the folder. Compare the tensors that both have.
//        3. Print a line for each tensor, and the first node beyond the bound with advice.

#include "compiler/driver/Pipeline.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/diff/Advice.h"
#include "tools/diff/Answers.h"
#include "tools/eval/InterpretedModel.h"
#include "tools/eval/Messages.h"
#include "tools/eval/ModelOptions.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include <cmath>

using namespace llvm;
using namespace nacre;
using run::ExitCode;
using run::Outcome;

static cl::OptionCategory category("nacre-diff options");
static cl::opt<std::string> model(cl::Positional, cl::Required, cl::desc("<model>"), cl::cat(category));
static cl::opt<std::string> judged(cl::Positional, cl::Required, cl::desc("<libmodel.so|folder>"), cl::cat(category));
static cl::opt<std::string> against(
    "against", cl::value_desc("libother.so|folder"), cl::cat(category),
    cl::desc("Compare with this library or with <folder>/<tensor>.npy (default: the model, in double precision)"));
static cl::opt<double> bound("bound", cl::init(1e-3), cl::value_desc("X"), cl::cat(category),
                             cl::desc("Largest error, relative to the tensor's largest element (default: 1e-3)"));
static cl::opt<bool> onlyBeyond("only-beyond", cl::cat(category), cl::desc("Print only tensors that exceed the bound"));
static cl::opt<unsigned> threads("cpu-threads", cl::init(0), cl::value_desc("N"), cl::cat(category),
                                 cl::desc("Number of threads that run a library (default: the machine's big cores)"));
static cl::opt<bool> gpu("gpu", cl::cat(category), cl::desc("Require a GPU for the library, but not for --against"));
static cl::opt<unsigned> gpuCut("gpu-cut", cl::value_desc("P"), cl::cat(category),
                                cl::desc("Give the GPU P % of every launch it supports; implies --gpu (0 to 100)"));
static constexpr StringLiteral kSizeBound = "size-bound"; // --bound is that of differences
static tools::ModelOptions modelOptions(category, kSizeBound);
constexpr StringLiteral kClosing = R"(
A library outputs the tensors that it was compiled for; nacre-compile --keep=all
adds the result of every node. Each result is compared with the reference for
the whole model up to that node. Look at the first node that exceeds the bound,
because later nodes may only inherit its error.

COLUMNS
  node      number of the model's node, and its operator
  error     largest |a-b|
  of-max    error relative to the tensor's largest element; --bound limits it
  relative  largest |a-b| / |b|
  ULPs      largest number of steps from b to a through the numbers of the
            tensor's type
  SNR       signal-to-noise ratio in dB: about 120 for fp32, about 60 for fp16,
            below 20 for wrong results

EXAMPLES
  nacre-compile model.onnx -o libmodel.so --keep=all
  nacre-diff model.onnx libmodel.so --input=image=cat.npy
      compare all nodes and find the first wrong one
  nacre-diff model.onnx libgpu.so --gpu --against=libcpu.so
      compare a GPU with a CPU
  nacre-diff model.onnx answers --input=image=cat.npy --bound=0.01
      compare the files that nacre-run --output=answers wrote on a phone

EXIT STATUS
  0  all compared tensors are within the bound
  1  a tensor exceeds the bound
  2  the command line or a file is wrong, or the output cannot be written
  3  the model or the library cannot be run here
  4  memory ran out
)";

static tools::Help describeOptions() {
  return {"Finds the first node of a model whose result in a library is wrong.",
          "nacre-diff [options] <model> <libmodel.so|folder>",
          &category,
          {{"Comparison", {"input", "bound", "against", "only-beyond", "seed"}},
           {"Library", {"gpu", "gpu-cut", "cpu-threads"}},
           tools::ModelOptions::groupOfModel(kSizeBound),
           tools::ModelOptions::groupOfComputation()},
          kClosing.str()};
}

namespace {

/// A tensor of the model, in the order of its nodes.
struct Row {
  size_t output; // index among the outputs of the interpreted model
  const diff::Answer *actual, *expected;
  diff::Difference difference;
};

std::string numberText(const char *form, double value) {
  std::string text;
  raw_string_ostream(text) << llvm::format(form, value);
  return text;
}

/// Returns the problem with the shape of a row, or "".
std::string problemOf(const Row &row) {
  if (row.actual->dims == row.expected->dims)
    return "";
  return "must be " + run::describe(row.expected->type, row.expected->dims) + ", but is " +
         run::describe(row.actual->type, row.actual->dims);
}

bool isBeyond(const Row &row) { return !problemOf(row).empty() || !isWithin(row.difference, bound); }

void print(const Row &row, const tools::InterpretedModel &interpreted, bool storesHalves) {
  const tools::Source &source = interpreted.sources[row.output];
  const diff::Difference &d = row.difference;
  std::string notes = problemOf(row);
  if (d.nans)
    notes += (notes.empty() ? "" : ", ") + std::to_string(d.nans) + " NaN";
  if (d.infinities)
    notes += (notes.empty() ? "" : ", ") + std::to_string(d.infinities) + " infinite";
  if (storesHalves && d.beyondHalves)
    notes += (notes.empty() ? "" : ", ") + std::to_string(d.beyondHalves) + " beyond fp16";
  outs() << llvm::format("%5s  %-18s %9.2e  %9.2e  %9.2e  %9.3g  %6s  ",
                         source.index < 0 ? "-" : std::to_string(source.index).c_str(),
                         run::printableText(source.op).substr(0, 18).c_str(), d.largest, d.ofLargest, d.relative,
                         d.ulps, d.largest == 0 ? "exact" : numberText("%.1f", d.signalToNoise).c_str())
         << run::printableText(interpreted.outputs[row.output].name) << (notes.empty() ? "" : "  (" + notes + ")")
         << (isBeyond(row) ? "  <" : "") << "\n";
}

void printVerdict(const Row &row, const tools::InterpretedModel &interpreted, const diff::Answers &actual) {
  const tools::Source &source = interpreted.sources[row.output];
  const std::string tensor = "tensor '" + run::printableText(interpreted.outputs[row.output].name) + "'";
  outs() << "\nfirst beyond the bound: "
         << (source.index < 0 ? tensor
                              : "node '" + run::printableText(source.node) + "' (" + run::printableText(source.op) +
                                    "), number " + std::to_string(source.index) + ", " + tensor)
         << "\n  ";
  if (const std::string problem = problemOf(row); !problem.empty()) {
    outs() << problem << "\n";
    return;
  }
  const size_t worst = row.difference.worst;
  outs() << "at " << run::positionOf(worst, row.expected->dims) << " must be "
         << numberText("%.9g", row.expected->numbers[worst]) << " within "
         << numberText("%.3g", bound * row.difference.scale) << ", but is "
         << numberText("%.9g", row.actual->numbers[worst]) << "\n";
  for (const std::string &line : diff::advise(row.difference, {actual.usedGpu, actual.storesHalves}))
    outs() << "  - " << line << "\n";
}

/// Stores the interpreter's results in `answers`, with floats in double precision.
void takeAnswers(const tools::InterpretedModel &interpreted, diff::Answers &answers) {
  for (auto [port, value] : zip_equal(interpreted.outputs, interpreted.values)) {
    diff::Answer answer = diff::readAnswer(port.tensor);
    for (int64_t i = 0; i < value.size() && value.isFloat(); ++i)
      answer.numbers[i] = value.number(i);
    answers.tensors[port.name] = std::move(answer);
  }
}

Outcome compare(const CompilerOptions &compiler, const run::Options &options, mlir::MLIRContext &context) {
  tools::InterpretedModel interpreted;
  diff::Answers actual, expected;
  if (Outcome failure = interpreted.open(compiler, options.entry, context))
    return failure;
  if (Outcome failure = run::fillPorts(interpreted.inputs, options))
    return failure;
  if (Outcome failure = findAnswers(judged, options, interpreted.inputs, interpreted.outputs, actual))
    return failure;
  if (against.empty()) {
    if (Outcome failure = interpreted.run(modelOptions.getSettings()))
      return failure;
    takeAnswers(interpreted, expected);
  } else {
    run::Options ofCpu = options; // the CPU computes the reference, and the GPU is under test
    ofCpu.gpu = false;
    ofCpu.gpuCut = 0;
    if (Outcome failure = findAnswers(against, ofCpu, interpreted.inputs, interpreted.outputs, expected))
      return failure;
  }

  std::vector<Row> rows;
  size_t nodes = 0;
  for (auto [number, port] : enumerate(interpreted.outputs)) {
    nodes += interpreted.sources[number].index >= 0;
    const auto a = actual.tensors.find(port.name), b = expected.tensors.find(port.name);
    if (a != actual.tensors.end() && b != expected.tensors.end())
      rows.push_back({number, &a->second, &b->second, {}});
  }
  if (rows.empty())
    return run::usageFailure("'" + judged + "' and " + (against.empty() ? "the model" : "'" + against + "'") +
                             " must have a tensor in common, but have none");
  // Outputs that no node computes, because they are inputs, come last.
  stable_sort(rows, [&](const Row &a, const Row &b) {
    return uint64_t(interpreted.sources[a.output].index) < uint64_t(interpreted.sources[b.output].index);
  });
  outs() << " node  operator               error     of-max   relative       ULPs     SNR  tensor\n";
  const Row *first = nullptr;
  for (Row &row : rows) {
    if (row.actual->dims == row.expected->dims)
      row.difference = diff::measure(row.expected->type, row.actual->numbers, row.expected->numbers);
    if (!onlyBeyond || isBeyond(row))
      print(row, interpreted, actual.storesHalves);
    if (!first && isBeyond(row))
      first = &row;
  }
  if (first)
    printVerdict(*first, interpreted, actual);
  else
    outs() << (rows.size() == 1 ? "\nthe tensor is within "
                                : "\nall " + std::to_string(rows.size()) + " tensors are within ")
           << numberText("%g", bound)
           << (rows.size() == 1 ? " of its largest element\n" : " of their largest elements\n");
  if (rows.size() < nodes)
    outs() << "\n"
           << rows.size() << " of " << nodes
           << " tensors that nodes compute are compared: compile with --keep=all to see what the other nodes compute\n";
  outs().flush();
  return first ? Outcome(run::Failure{ExitCode::Differs, ""}) : std::nullopt;
}

} // namespace

int main(int argc, char **argv) {
  tools::watchStandardStreams(int(ExitCode::Usage));
  InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  tools::setVersion("nacre-diff");
  cl::HideUnrelatedOptions(category);
  if (Error error = tools::parseOptions(argc, argv, describeOptions())) {
    errs() << "nacre-diff: error: " << toString(std::move(error)) << "\n";
    return int(ExitCode::Usage);
  }
  CompilerOptions compiler;
  run::Options options;
  NamedFiles files; // all these files are read
  compiler.modelPath = model;
  compiler.keepsAll = true;
  options.threads = threads;
  options.gpu = gpu || gpuCut.getNumOccurrences() > 0;
  if (gpuCut.getNumOccurrences() > 0)
    options.gpuCut = NACRE_GPU_CUT(gpuCut);
  std::string problem;
  if (Error error = modelOptions.read(compiler, options, files))
    problem = toString(std::move(error));
  else if (!(bound >= 0))
    problem = "--bound must be at least 0, but is " + numberText("%g", bound);
  else if (gpuCut > 100)
    problem = "--gpu-cut must be a whole number of percent, 0 to 100, but is " + std::to_string(gpuCut);
  if (!problem.empty()) {
    errs() << "nacre-diff: error: " << problem << "\n";
    return int(ExitCode::Usage);
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  const mlir::ScopedDiagnosticHandler handler(&context,
                                              [&](mlir::Diagnostic &message) { tools::printMessage(model, message); });
  const Outcome failure = compare(compiler, options, context);
  if (!failure)
    return int(ExitCode::Agrees);
  if (!failure->text.empty())
    errs() << "nacre-diff: error: " << failure->text << "\n";
  return int(failure->code);
}
