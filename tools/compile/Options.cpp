// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options and copies them into plain structs at once: the in-process linker resets every llvm::cl option.

#include "tools/compile/Options.h"
#include "compiler/Pipeline.h"
#include "tools/CommandLine.h"
#include "tools/ModelInputs.h"
#include "tools/ReportPage.h"
#include "tools/compile/HelpText.h"
#include "tools/compile/Presets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::tools {
namespace {

struct Declarations {
  cl::OptionCategory category{"nacre-compile options"};
  cl::opt<std::string> model{cl::Positional, cl::desc("<model>"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::value_desc("file"), cl::cat(category),
      cl::desc("The library to write; its C header is written beside it (default: lib<model>.so)")};
  cl::opt<std::string> name{"name", cl::value_desc("identifier"), cl::cat(category),
                            cl::desc("Name of the model: the library exports nacre_model_<name> (default: the output's "
                                     "stem without 'lib')")};
  cl::opt<std::string> preset{
      "for", cl::cat(category), cl::value_desc("phone|board|desktop|list"),
      cl::desc(
          "What it is for, in place of the options that the word stands for (see below, or list); an option that is "
          "given beats the word's")};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::cat(category), cl::value_desc("target[,target]"),
      cl::desc("host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64; of several, each target's files go "
               "into a folder of its name beside -o (default: host)")};
  cl::opt<std::string> cpu{
      "cpu", cl::cat(category), cl::value_desc("name[,name]"),
      cl::desc(
          "CPUs to compile for, one variant of every kernel each; LLVM's names, as native, znver5, "
          "cortex-a76; of several targets, each takes those of its architecture (default: native on the host, else "
          "the target's baseline)")};
  cl::opt<std::string> place{
      "place", cl::init("cpu"), cl::cat(category), cl::value_desc("cpu|gpu|split:percent|auto"),
      cl::desc("Who computes: cpu (default), gpu (the CPU what has no GPU code), split:<percent>: the GPU that "
               "much of each kernel, the CPU the rest, at the same time, or auto: what is predicted to be fastest on "
               "--device")};
  cl::opt<std::string> device{
      "device", cl::cat(category), cl::value_desc("name|file.json"),
      cl::desc("The device whose times --place=auto and --report predict: a profile's name, or a file like "
               "them; list prints the names")};
  cl::opt<std::string> gpuPrecision{
      "gpu-precision", cl::init("fp32"), cl::cat(category), cl::value_desc("fp32|fp16"),
      cl::desc("What values and weights are stored and multiplied as where the GPU has a part: fp32 (default) or "
               "fp16; sums are fp32, inputs and outputs keep their types")};
  cl::opt<std::string> accuracy{
      "accuracy", cl::init("fast"), cl::cat(category), cl::value_desc("fast|strict"),
      cl::desc("fast (default): the CPU computes convolutions with fewer multiplications where that is faster "
               "(Winograd), within 2e-4 of the largest output; strict: as they are written, within 1e-5")};
  cl::opt<std::string> weightType{
      "weight-type", cl::init("fp32"), cl::cat(category), cl::value_desc("fp32|fp16|bf16"),
      cl::desc("What weights are stored as that take longer to be read than to be multiplied by, those of dense layers "
               "at small batch, recurrent layers and embeddings: fp32 (default), fp16 or bf16; what is computed stays "
               "fp32, and --report says what the rounding cost")};
  ModelInputs modelInputs{category};
  cl::list<std::string> inputs{
      "input", cl::cat(category), cl::value_desc("tensor"),
      cl::desc(
          "Take this tensor from outside, in place of what computes it; repeatable (default: the model's inputs)")};
  cl::list<std::string> outputs{"output", cl::cat(category), cl::value_desc("tensor"),
                                cl::desc("Compute this tensor; repeatable (default: the model's outputs)")};
  cl::list<std::string> states{
      "state", cl::cat(category), cl::value_desc("input:output"),
      cl::desc(
          "Keep this input in the model: zeros at first, and after a run what this output was. Apps reset, read and "
          "write it (nacre_session_state); repeatable")};
  cl::list<std::string> keep{
      "keep", cl::CommaSeparated, cl::cat(category), cl::value_desc("all|tensor[,tensor]"),
      cl::desc(
          "Give what the model's nodes compute as outputs, too, all or these, to compare them by nacre-diff; what is "
          "kept is stored, and not fused away, so the library is slower and larger")};
  cl::opt<uint64_t> seed{
      "seed", cl::init(0), cl::cat(category), cl::value_desc("number"),
      cl::desc("Seed of nodes that draw random numbers and have none of their own; every run draws the "
               "same (default: 0)")};
  cl::opt<bool> train{
      "train", cl::cat(category),
      cl::desc("Compile the model to be trained: entries train and evaluate beside main, over the same weights, which "
               "are state (nacre_session_state), to make a --loss small; without one as an ONNX model says itself")};
  cl::list<std::string> losses{
      "loss", cl::cat(category), cl::value_desc("kind:tensor[,label=name]"),
      cl::desc("What is made small: softmax-cross-entropy, binary-cross-entropy, mean-squared-error, "
               "mean-absolute-error, huber or model, which the tensor is already; behind it ,label-type=, ,ignore= and "
               ",axis= of classes, and ,delta= of huber; repeatable, and then a sum: *<factor> may follow")};
  cl::opt<std::string> optimizer{
      "optimizer", cl::init("sgd"), cl::cat(category), cl::value_desc("kind[:constant=X,...]"),
      cl::desc("How a weight follows its gradient: sgd (default; momentum, nesterov, weight-decay), adam or adamw "
               "(beta1, beta2, epsilon, weight-decay), rmsprop (decay, epsilon, momentum, weight-decay), adagrad "
               "(epsilon, weight-decay), or none: gradients only")};
  cl::list<std::string> trainable{"trainable", cl::CommaSeparated, cl::cat(category),
                                  cl::value_desc("pattern[,pattern]"),
                                  cl::desc("The weights to train, by their names, with * and ? (default: *)")};
  cl::list<std::string> frozen{"frozen", cl::CommaSeparated, cl::cat(category), cl::value_desc("pattern[,pattern]"),
                               cl::desc("Weights that stay as they are, whatever --trainable says")};
  cl::opt<int64_t> trainBatch{
      "train-batch", cl::init(0), cl::cat(category), cl::value_desc("N"),
      cl::desc("The batch, axis 0 of all inputs, of train and evaluate; main keeps its own (default: the model's)")};
  cl::list<std::string> batchAxes{
      "batch-axis", cl::cat(category), cl::value_desc("input:axis|input:none"),
      cl::desc("Of an input whose batch is along another axis than 0, or that has none; repeatable")};
  cl::list<std::string> dropouts{
      "dropout", cl::cat(category), cl::value_desc("tensor:ratio"),
      cl::desc("In train, drop that share of a tensor's elements, others in each step, where the exporter has left a "
               "Dropout out; repeatable")};
  cl::opt<std::string> microBatch{
      "micro-batch", cl::init("auto"), cl::cat(category), cl::value_desc("N|auto"),
      cl::desc(
          "Take the batch in parts of N examples, whose gradients are added up: less memory, for the same step. auto "
          "(default): the largest parts that --memory-cap allows, without it the batch at once")};
  cl::opt<int64_t> memoryCap{
      "memory-cap", cl::cat(category), cl::value_desc("MiB"),
      cl::desc("What a session of one thread and its state may take at most: batches are taken in parts, or values "
               "computed again on the way back")};
  cl::opt<std::string> clip{"clip", cl::cat(category), cl::value_desc("norm:X|value:X"),
                            cl::desc("Make gradients smaller that are larger than that, in all or each")};
  cl::opt<std::string> batchNorm{
      "batch-norm", cl::init("train"), cl::cat(category), cl::value_desc("train|frozen"),
      cl::desc("Of batch normalizations whose scale is trained: train (default) normalizes by the batch and moves the "
               "statistics, frozen takes these as they are")};
  cl::opt<bool> accumulate{
      "accumulate", cl::cat(category),
      cl::desc("One more entry, accumulate, that only adds gradients up, for the next step to take their mean")};
  cl::list<std::string> entries{
      "entries", cl::CommaSeparated, cl::cat(category), cl::value_desc("entry[,entry]"),
      cl::desc("Of main, train, evaluate, gradients and accumulate those to compile (default: the first three)")};
  cl::opt<bool> check{"check", cl::cat(category),
                      cl::desc("List all that stops the model, nodes that are not supported, inputs that must be "
                               "settled and, with --train, what "
                               "has no gradient, and compile nothing; exit code 1 if there is any")};
  cl::opt<bool> listWeights{"list-weights", cl::cat(category),
                            cl::desc("List the weights that can be trained, which of them --trainable and --frozen "
                                     "choose, what --optimizer keeps beside "
                                     "each, and the nodes that read them, and compile nothing")};
  cl::opt<bool> listOperators{
      "list-operators", cl::cat(category),
      cl::desc("Print all operators that models may have, as a page in Markdown, and compile nothing")};
  cl::opt<std::string> compileTo{"compile-to", cl::cat(category), cl::value_desc("phase"),
                                 cl::desc("Stop after a phase and print its IR (phases: see below)")};
  cl::opt<std::string> emit{
      "emit", cl::init("so"), cl::cat(category), cl::value_desc("so|obj|asm|llvm-ir"),
      cl::desc("so (default), obj: one object of kernels and tables, asm or llvm-ir: the kernels as text")};
  cl::opt<std::string> timeTrace{
      "time-trace", cl::ValueOptional, cl::cat(category), cl::value_desc("file"),
      cl::desc("Write where the compiler's time goes, by phases, passes, kernels and threads, for chrome://tracing or "
               "ui.perfetto.dev (default: the output's name and .time-trace.json)")};
  cl::opt<std::string> report{
      "report", cl::cat(category), cl::value_desc("file"),
      cl::desc("Write the summary and one row per launch as JSON, or, to a name that ends in .html, "
               "as a page to look at")};
  cl::opt<std::string> advice{"advice", cl::init("on"), cl::cat(category), cl::value_desc("on|off"),
                              cl::desc("Say what in the model costs 5 % of a run or more for want of another spelling, "
                                       "size or option, in notes and in --report (default: on)")};
  cl::opt<int64_t> maxConstant{"max-constant", cl::init(1024), cl::cat(category), cl::value_desc("MiB"),
                               cl::desc("Folding never makes a larger constant (default: 1024)")};
  cl::opt<unsigned> jobs{"jobs", cl::init(0), cl::cat(category), cl::value_desc("N"),
                         cl::desc("Threads of the compiler (default: all cores)")};
  cl::alias jobsShort{"j", cl::aliasopt(jobs), cl::cat(category), cl::desc("The same as --jobs")};
  cl::opt<bool> quiet{"quiet", cl::cat(category), cl::desc("Print errors and warnings only")};
};

Error bad(const Twine &message) { return createStringError(message); }

Expected<Placement> parsePlacement(StringRef word) {
  if (word == "cpu")
    return Placement{Placement::Engines::Cpu, 0};
  if (word == "gpu")
    return Placement{Placement::Engines::Gpu, 100};
  if (word == "auto")
    return Placement{Placement::Engines::Auto, 0};
  unsigned percent;
  if (StringRef number = word; number.consume_front("split:") && !number.getAsInteger(10, percent) && percent <= 100)
    return Placement{Placement::Engines::Split, percent};
  return bad("--place must be cpu, gpu, auto or split:<percent> with a percent of 0 to 100, but is '" + word + "'");
}

Expected<Output> parseOutput(StringRef word) {
  if (word == "so")
    return Output::SharedLibrary;
  if (word == "obj")
    return Output::Object;
  if (word == "asm")
    return Output::Assembly;
  if (word == "llvm-ir")
    return Output::LlvmIr;
  return bad("--emit must be so, obj, asm or llvm-ir, but is '" + word + "'");
}

/// Gives each option of the preset that is not given its value. Returns those options as they would be typed.
Expected<std::vector<std::string>> applyPreset(Declarations &options) {
  const Preset *preset = findPreset(options.preset);
  if (!preset)
    return bad("--for must be " +
               join(map_range(drop_end(presets()), [](const Preset &known) { return known.word.str(); }), ", ") +
               " or " + presets().back().word + ", but is '" + options.preset +
               "'; --for=list says what each stands for");
  std::vector<std::string> typed;
  for (const PresetOption &option : preset->options) {
    cl::Option &declared = *cl::getRegisteredOptions().find(option.name)->second;
    const bool isRefused = &declared == &options.weightType && options.accuracy == "strict";
    if (declared.getNumOccurrences() > 0 || isRefused)
      continue;
    if (declared.addOccurrence(0, option.name, option.value))
      llvm_unreachable("a preset's value must be one that can be given");
    typed.push_back(option.typed());
  }
  return typed;
}

Error readTraining(Declarations &options, CompilerOptions &compiler) {
  const std::reference_wrapper<cl::Option> all[] = {
      options.losses,     options.optimizer, options.trainable,  options.frozen,  options.clip,
      options.trainBatch, options.batchNorm, options.accumulate, options.entries, options.microBatch,
      options.memoryCap,  options.batchAxes, options.dropouts};
  for (const cl::Option &option : all)
    if (!options.train && !options.listWeights && option.getNumOccurrences() > 0)
      return bad("--" + option.ArgStr + " is about training; give --train, too, or leave it out");
  if (!options.train && !options.listWeights)
    return Error::success();
  for (const cl::Option &option : all)
    if (options.losses.empty() && !options.listWeights && option.getNumOccurrences() > 0)
      return bad("--" + option.ArgStr +
                 " is about training by a loss; give --loss, too, or leave it out: without, a model is trained as it "
                 "says itself");
  train::TrainingOptions &training = compiler.training.emplace();
  training.losses = options.losses;
  training.optimizer = options.optimizer;
  if (!options.trainable.empty())
    training.trainable = options.trainable;
  training.frozen = options.frozen;
  training.clip = options.clip;
  training.accumulate = options.accumulate;
  training.batch = options.trainBatch;
  if (options.trainBatch.getNumOccurrences() > 0 && options.trainBatch < 1)
    return bad("--train-batch must be at least 1, but is " + Twine(options.trainBatch));
  if (options.microBatch != "auto" &&
      (StringRef(options.microBatch).getAsInteger(10, training.microBatch) || training.microBatch < 1))
    return bad("--micro-batch must be auto or at least 1, but is '" + options.microBatch + "'");
  if (options.memoryCap.getNumOccurrences() > 0) {
    if (options.memoryCap < 1 || options.memoryCap > (int64_t(1) << 40))
      return bad("--memory-cap must be at least 1, but is " + Twine(options.memoryCap));
    training.memoryCap = options.memoryCap << 20;
  }
  training.freezesStatistics = options.batchNorm == "frozen";
  if (options.batchNorm != "train" && options.batchNorm != "frozen")
    return bad("--batch-norm must be train or frozen, but is '" + options.batchNorm + "'");
  training.batchAxes = options.batchAxes;
  training.dropouts = options.dropouts;
  if (!options.entries.empty())
    training.entries = options.entries;
  if (options.modelInputs.signatureCount() > 1)
    return bad("--train must have one function of the model; name one --signature");
  return checkTraining(training);
}

} // namespace

Expected<CommandLine> parseCommandLine(int argc, char **argv) {
  // LLVM's registry keeps pointers to options for as long as the process lives.
  static Declarations options;
  static std::string help = helpEpilogue();
  static cl::extrahelp more(help);
  cl::HideUnrelatedOptions(options.category);
  setVersion("nacre-compile");
  if (Error error = parseOptions(argc, argv, "Compiles a trained network into one shared library with a C header.\n"))
    return error;

  CommandLine result;
  result.listDevices = options.device == "list";
  result.listPresets = options.preset == "list";
  result.listOperators = options.listOperators;
  if (result.listDevices || result.listPresets || result.listOperators)
    return result;
  if (options.model.empty())
    return bad("a model must be given, as in nacre-compile model.onnx; see --help");
  CompilerOptions &compiler = result.compiler;
  compiler.modelPath = options.model;
  compiler.modelName = options.name;
  if (options.preset.getNumOccurrences() > 0) {
    Expected<std::vector<std::string>> typed = applyPreset(options);
    if (!typed)
      return typed.takeError();
    compiler.preset = {options.preset, std::move(*typed)};
  }
  result.targets = options.targets;
  if (result.targets.empty())
    result.targets = {"host"};
  compiler.target = result.targets.front();
  compiler.cpus = options.cpu;
  compiler.jobs = options.jobs;
  compiler.seed = options.seed;
  compiler.advises = options.advice == "on";
  if (!compiler.advises && options.advice != "off")
    return bad("--advice must be on or off, but is '" + options.advice + "'");
  result.reportPath = options.report;
  result.check = options.check;
  result.listWeights = options.listWeights;
  result.quiet = options.quiet;
  if (!compiler.modelName.empty() && !all_of(compiler.modelName, [](char c) { return isAlnum(c) || c == '_'; }))
    return bad("--name must be letters, digits and underscores, but is '" + compiler.modelName + "'");
  if (options.maxConstant < 1 || options.maxConstant > (int64_t(1) << 30))
    return bad("--max-constant must be between 1 and 2^30 MiB, but is " + Twine(options.maxConstant));
  compiler.maxConstantBytes = options.maxConstant << 20;
  if (Error error = options.modelInputs.read(compiler, compiler.inputShapes, compiler.inputValues))
    return error;
  compiler.inputs = options.inputs;
  compiler.outputs = options.outputs;
  compiler.states = options.states;
  compiler.keepsAll = is_contained(options.keep, "all");
  if (!compiler.keepsAll)
    compiler.kept = options.keep;
  if (options.keep.getNumOccurrences() > 0 && options.train)
    return bad(
        "--keep must be without --train: a step of training keeps what it needs; compile the model for inference");
  if (Error error = readTraining(options, compiler))
    return error;
  Expected<Output> output = parseOutput(options.emit);
  if (!output)
    return output.takeError();
  compiler.output = *output;
  Expected<Placement> placement = parsePlacement(options.place);
  if (!placement)
    return placement.takeError();
  compiler.placement = *placement;
  compiler.device = options.device;
  if (placement->engines == Placement::Engines::Auto && compiler.device.empty())
    return bad("--place=auto must have a device to be fast on: --device=<name>; --device=list prints the names");
  if (!compiler.device.empty())
    if (Error error = checkDevice(compiler.device))
      return bad("--device: " + toString(std::move(error)));
  std::optional<Accuracy> accuracy = parseAccuracy(options.accuracy);
  if (!accuracy)
    return bad("--accuracy must be fast or strict, but is '" + options.accuracy + "'");
  compiler.accuracy = *accuracy;
  std::optional<GpuPrecision> precision = parseGpuPrecision(options.gpuPrecision);
  if (!precision)
    return bad("--gpu-precision must be fp32 or fp16, but is '" + options.gpuPrecision + "'");
  compiler.gpuPrecision = *precision;
  std::optional<WeightType> weightType = parseWeightType(options.weightType);
  if (!weightType)
    return bad("--weight-type must be fp32, fp16 or bf16, but is '" + options.weightType + "'");
  if (*weightType != WeightType::F32 && compiler.accuracy == Accuracy::Strict)
    return bad("--accuracy=strict must have weights as they are; leave it out, or --weight-type");
  compiler.weightType = *weightType;
  if (!options.compileTo.empty()) {
    compiler.compileTo = parsePhase(options.compileTo);
    if (!compiler.compileTo)
      return bad("--compile-to must be a phase, but is '" + options.compileTo + "'; see --help");
    if (*compiler.compileTo == Phase::Train && !compiler.training)
      return bad("--compile-to=train must have --train");
    if (*compiler.compileTo == Phase::Package)
      return bad("--compile-to=package is what happens anyway; use --emit=asm or llvm-ir to read it");
    if (isPagePath(result.reportPath))
      return bad("--report to a page must have a compilation to the end; leave out --compile-to, or write JSON");
  }

  compiler.outputPath = options.output;
  bool isText = compiler.compileTo || *output == Output::Assembly || *output == Output::LlvmIr;
  if (isText && result.targets.size() > 1)
    return bad("text must be of one target, but " + Twine(result.targets.size()) + " are given; name one --target");
  if (compiler.outputPath.empty())
    compiler.outputPath =
        isText ? "-" : ("lib" + sys::path::stem(compiler.modelPath) + (*output == Output::Object ? ".o" : ".so")).str();
  result.timeTracePath = options.timeTrace;
  if (options.timeTrace.getNumOccurrences() > 0 && options.timeTrace.empty()) {
    if (compiler.outputPath == "-")
      return bad("--time-trace must be a file where the output has no name, as in --time-trace=trace.json");
    result.timeTracePath = compiler.outputPath + ".time-trace.json";
  }
  return result;
}

} // namespace nacre::tools
