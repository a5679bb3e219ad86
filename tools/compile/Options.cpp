// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the declared options to plain structs, and reports an error if options contradict each other.

#include "tools/compile/Options.h"
#include "compiler/driver/DeviceNames.h"
#include "compiler/driver/Pipeline.h"
#include "dialects/OutputFile.h"
#include "tools/CommandLine.h"
#include "tools/NearestName.h"
#include "tools/ReportPage.h"
#include "tools/compile/Declarations.h"
#include "tools/compile/HelpText.h"
#include "tools/compile/Presets.h"
#include "tools/compile/TrainingOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace nacre::tools {

namespace {

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

/// Returns the folder of compiled kernels, next to the libraries that nacre.compile() of Python keeps. Returns `off` if
/// the user wants no cache, and nothing without a home folder.
std::string defaultKernelCache() {
  std::string chosen = sys::Process::GetEnv("NACRE_CACHE").value_or("");
  if (chosen == "off")
    return chosen;
  SmallString<128> folder(chosen);
  if (chosen.empty()) {
    folder = sys::Process::GetEnv("XDG_CACHE_HOME").value_or("");
    if (!sys::path::is_absolute(folder)) {
      if (!sys::path::home_directory(folder))
        return "";
      sys::path::append(folder, ".cache");
    }
    sys::path::append(folder, "nacre");
  }
  sys::path::append(folder, "kernels");
  return folder.str().str();
}

/// Reads `--place`: the engines of all entries, then those of single entries.
Error readPlacement(StringRef text, CompilerOptions &compiler) {
  const auto [engines, entries] = text.split(',');
  Expected<Placement> placement = parsePlacement(engines);
  if (!placement)
    return placement.takeError();
  compiler.placement = *placement;
  SmallVector<StringRef> words;
  if (text != engines)
    entries.split(words, ',');
  for (StringRef word : words) {
    const auto [entry, engine] = word.rsplit('=');
    if (entry.empty() || engine != "cpu")
      return bad("--place can leave entries to the CPU, as in --place=auto,main=cpu, but has '" + word + "'");
    compiler.entries[entry.str()].isOnCpu = true;
  }
  return Error::success();
}

Error readEntryWeights(ArrayRef<std::string> words, CompilerOptions &compiler) {
  for (const StringRef word : words) {
    const auto [entry, number] = word.rsplit('=');
    double weight = 0;
    if (entry.empty() || number.getAsDouble(weight) || !(weight > 0) || !std::isfinite(weight))
      return bad("--entry-weight must be an entry and a positive number, as in --entry-weight=train=100, but has '" +
                 word + "'");
    compiler.entries[entry.str()].weight = weight;
  }
  return Error::success();
}

/// Reads the precision of each engine. Placement, accuracy and training must already be known.
Error readPrecisions(const Declarations &options, CompilerOptions &compiler) {
  using Engines = Placement::Engines;
  std::optional<GpuPrecision> ofGpu = parseGpuPrecision(options.gpuPrecision);
  std::optional<FloatStorage> ofCpu = parseFloatStorage(options.cpuPrecision);
  if (!ofGpu)
    return bad("--gpu-precision must be fp32 or fp16, but is '" + options.gpuPrecision + "'");
  if (!ofCpu)
    return bad("--cpu-precision must be fp32, fp16 or bf16, but is '" + options.cpuPrecision + "'");
  compiler.gpuPrecision = *ofGpu;
  compiler.cpuPrecision = *ofCpu;
  const Engines engines = compiler.placement.engines;
  if (*ofGpu != GpuPrecision::F32 && engines == Engines::Cpu)
    return bad("--gpu-precision=" + options.gpuPrecision + " requires --place=gpu, split:<percent> or auto");
  for (const auto &[option, word] :
       {std::pair("--gpu-precision", gpuPrecisionWord(*ofGpu)), std::pair("--cpu-precision", floatStorageWord(*ofCpu))})
    if (word != "fp32" && compiler.accuracy == Accuracy::Strict)
      return bad(Twine("--accuracy=strict cannot be combined with ") + option + "=" + word +
                 ", which rounds values and weights");
  if (*ofCpu == FloatStorage::F32)
    return Error::success();
  if (compiler.training)
    return bad("--cpu-precision=" + options.cpuPrecision +
               " cannot be combined with --train; only GPUs train with fp16 (--gpu-precision)");
  const bool leavesEntries = any_of(compiler.entries, [](const auto &entry) { return entry.second.isOnCpu; });
  if ((engines != Engines::Gpu && engines != Engines::Split) || leavesEntries)
    return Error::success();
  if (*ofCpu == FloatStorage::BF16)
    return bad("--cpu-precision=bf16 with --place=" + options.place +
               " requires an entry that only the CPU computes, as in --place=gpu,main=cpu, because GPUs do not compute "
               "with bf16 and both engines share the values of an entry");
  if (*ofGpu == GpuPrecision::F32)
    return bad("--cpu-precision=fp16 with --place=" + options.place +
               " requires --gpu-precision=fp16, because both engines share the values of an entry");
  return Error::success();
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

/// Sets each option of the preset that the user does not give. Returns these options as a user would type them.
Expected<std::vector<std::string>> applyPreset(Declarations &options) {
  const Preset *preset = findPreset(options.preset);
  if (!preset) {
    std::vector<std::string> words;
    for (const Preset &known : presets())
      words.push_back(known.word.str());
    const std::string meant = didYouMean(options.preset, words);
    return bad("--for must be " + join(drop_end(words), ", ") + " or " + words.back() + ", but is '" + options.preset +
               "'" + (meant.empty() ? "; --for=list lists their options" : meant));
  }
  std::vector<std::string> typed;
  for (const PresetOption &option : preset->options) {
    cl::Option &declared = *cl::getRegisteredOptions().find(option.name)->second;
    const bool isRefused = &declared == &options.weightType && options.accuracy == "strict";
    if (declared.getNumOccurrences() > 0 || isRefused)
      continue;
    // An unknown precision is refused later.
    const FloatStorage storage = parseFloatStorage(options.cpuPrecision).value_or(FloatStorage::F32);
    const std::string value = option.name == "cpu"
                                  ? addCpuThatMultiplies(storage, preset->valueOf("target"), option.value)
                                  : option.value.str();
    if (declared.addOccurrence(0, option.name, value))
      llvm_unreachable("a preset's value must be one that can be given");
    typed.push_back("--" + option.name.str() + "=" + value);
  }
  return typed;
}

/// Returns "; did you mean '<name>'?" if `device` resembles the name of a device profile and is not a path. For a chip
/// without a profile, returns advice on using its name.
std::string suggestDevice(const std::string &device) {
  if (!chipNamed(device).empty())
    return ", a chip with no profile of its GPU; --cpu=" + device +
           " compiles for its CPU, and nacre-tune measures a profile";
  std::vector<std::string> names;
  for (const auto &[name, description] : describeDevices())
    names.push_back(name);
  return StringRef(device).ends_with(".json") ? "" : didYouMean(device, names);
}

/// Returns lib<model>.so or lib<model>.o. The name is shortened if it is too long for the file system.
std::string defaultOutput(const CompilerOptions &compiler) {
  const std::string extension = compiler.output == Output::Object ? ".o" : ".so";
  const std::string longest = compiler.weightsApart ? ".weights" : extension;
  const std::string name = fileNameOf(("lib" + sys::path::stem(compiler.modelPath)).str(), longest);
  return name.substr(0, name.size() - longest.size()) + extension;
}

/// Reports an error if options about outputs are combined with one that only prints information.
Error checkNothingIgnored(const Declarations &options) {
  const cl::Option *questions[] = {&options.check, &options.listWeights, &options.listOperators};
  const cl::Option *outputs[] = {&options.path,      &options.emit,   &options.weightsIn,
                                 &options.compileTo, &options.report, &options.timeTrace};
  const cl::Option *asked = nullptr;
  for (const cl::Option *question : questions) {
    if (question->getNumOccurrences() == 0)
      continue;
    for (const cl::Option *output : outputs)
      if (output->getNumOccurrences() > 0)
        return bad("--" + question->ArgStr + " writes no file; omit -" + (output->ArgStr.size() > 1 ? "-" : "") +
                   output->ArgStr);
    if (asked)
      return bad("--" + asked->ArgStr + " cannot be combined with --" + question->ArgStr);
    asked = question;
  }
  if (options.compileTo.getNumOccurrences() > 0 && options.emit.getNumOccurrences() > 0)
    return bad("--emit cannot be combined with --compile-to, which prints the IR of a phase");
  return Error::success();
}

} // namespace

Expected<CommandLine> parseCommandLine(int argc, char **argv) {
  // Static, because LLVM's registry keeps pointers to the options until the process ends.
  static Declarations options;
  cl::HideUnrelatedOptions(options.categories);
  setVersion("nacre-compile");
  CommandLine result;
  if (Error error = parseOptions(argc, argv, describeOptions(options.categories), &result.files))
    return error;

  if (Error error = checkNothingIgnored(options))
    return error;
  result.listDevices = options.device == "list";
  result.listPresets = options.preset == "list";
  result.listOperators = options.listOperators;
  result.listChips = options.cpu == "list";
  if (result.listDevices || result.listPresets || result.listOperators || result.listChips)
    return result;
  if (options.model.empty())
    return bad("a model must be given, as in nacre-compile model.onnx; see --help");
  CompilerOptions &compiler = result.compiler;
  compiler.modelPath = options.model;
  compiler.modelName = options.name;
  // The chip in --cpu is also the device. This must come before the preset, which may assume another device.
  if (const std::string profile = profileOfChip(options.cpu);
      !profile.empty() && options.device.getNumOccurrences() == 0 && options.device.addOccurrence(0, "device", profile))
    llvm_unreachable("the name of a profile must be one that can be given");
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
  compiler.requiresKernelCache = !options.kernelCache.empty();
  compiler.kernelCache = compiler.requiresKernelCache ? options.kernelCache.getValue() : defaultKernelCache();
  if (compiler.kernelCache == "off")
    compiler.kernelCache.clear();
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
  result.files.addInput("the model", compiler.modelPath);
  if (compiler.requiresKernelCache)
    result.files.addFolder("--kernel-cache", compiler.kernelCache);
  options.modelInputs.addFiles(result.files);
  if (Error error = options.modelInputs.read(compiler, compiler.shapedEntries, compiler.inputValues))
    return error;
  compiler.inputs = options.inputs;
  compiler.outputs = options.outputs;
  compiler.states = options.states;
  compiler.keepsAll = is_contained(options.keep, "all");
  if (!compiler.keepsAll)
    compiler.kept = options.keep;
  if (options.keep.getNumOccurrences() > 0 && options.train)
    return bad("--keep cannot be combined with --train; compile the model for inference");
  if (!compiler.bounds.empty() && options.train)
    return bad("--bound cannot be combined with --train, whose entries do not check sizes");
  if (Error error = readTraining(options, compiler))
    return error;
  Expected<Output> output = parseOutput(options.emit);
  if (!output)
    return output.takeError();
  compiler.output = *output;
  compiler.weightsApart = options.weightsIn == "file";
  if (!compiler.weightsApart && options.weightsIn != "library")
    return bad("--weights-in must be library or file, but is '" + options.weightsIn + "'");
  if (Error error = readPlacement(options.place, compiler))
    return error;
  if (Error error = readEntryWeights(options.entryWeights, compiler))
    return error;
  const std::string ofChip = profileOfChip(options.device);
  compiler.device = ofChip.empty() ? options.device.getValue() : ofChip;
  if (compiler.placement.engines == Placement::Engines::Auto && compiler.device.empty())
    return bad("--place=auto requires --device=<name>; --device=list prints the names");
  if (!compiler.device.empty())
    if (Error error = checkDevice(compiler.device))
      return bad("--device: " + toString(std::move(error)) + suggestDevice(compiler.device));
  if (sys::fs::exists(compiler.device)) // otherwise, the device is a name
    result.files.addInput("--device", compiler.device);
  std::optional<Accuracy> accuracy = parseAccuracy(options.accuracy);
  if (!accuracy)
    return bad("--accuracy must be fast or strict, but is '" + options.accuracy + "'");
  compiler.accuracy = *accuracy;
  if (Error error = readPrecisions(options, compiler))
    return error;
  std::optional<FloatStorage> weightType = parseFloatStorage(options.weightType);
  if (!weightType)
    return bad("--weight-type must be fp32, fp16 or bf16, but is '" + options.weightType + "'");
  if (*weightType != FloatStorage::F32 && compiler.accuracy == Accuracy::Strict)
    return bad("--accuracy=strict cannot be combined with --weight-type=" + options.weightType +
               ", which rounds weights");
  compiler.weightType = *weightType;
  if (!options.compileTo.empty()) {
    compiler.compileTo = parsePhase(options.compileTo);
    if (!compiler.compileTo)
      return bad("--compile-to must be a phase, but is '" + options.compileTo + "'; see --help");
    if (*compiler.compileTo == Phase::Train && !compiler.training)
      return bad("--compile-to=train requires --train");
    if (*compiler.compileTo == Phase::Package)
      return bad("package is the default; omit --compile-to, or use --emit=asm or llvm-ir to read the kernels");
    if (isPagePath(result.reportPath))
      return bad("--report=" + result.reportPath +
                 " cannot be combined with --compile-to; write JSON instead of a page");
  }

  compiler.outputPath = options.path;
  bool isText = compiler.compileTo || *output == Output::Assembly || *output == Output::LlvmIr;
  if (isText && compiler.weightsApart)
    return bad("--weights-in=file requires a library or an object; omit --emit or --compile-to");
  if (isText && result.targets.size() > 1)
    return bad("--emit=asm, --emit=llvm-ir and --compile-to require exactly one --target, not " +
               Twine(result.targets.size()));
  result.namesOutput = !compiler.outputPath.empty();
  if (!result.namesOutput)
    compiler.outputPath = isText ? "-" : defaultOutput(compiler);
  result.timeTracePath = options.timeTrace;
  if (options.timeTrace.getNumOccurrences() > 0 && options.timeTrace.empty()) {
    if (compiler.outputPath == "-")
      return bad("--time-trace requires a file name if the output goes to the terminal, as in --time-trace=trace.json");
    const StringRef file = sys::path::filename(compiler.outputPath);
    result.timeTracePath =
        StringRef(compiler.outputPath).drop_back(file.size()).str() + fileNameOf(file.str(), ".time-trace.json");
  }
  return result;
}

} // namespace nacre::tools
