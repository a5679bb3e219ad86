// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/Targets.h"
#include "compiler/driver/DeviceNames.h"
#include "compiler/driver/HalfTypes.h"
#include "compiler/driver/Pipeline.h"
#include "tools/NearestName.h"
#include "tools/compile/ChipList.h"
#include "tools/compile/Presets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nacre::tools {

/// Converts folder/file to folder/target/file.
static std::string inFolderOf(StringRef target, StringRef path) {
  SmallString<128> result = sys::path::parent_path(path);
  sys::path::append(result, target, sys::path::filename(path));
  return result.str().str();
}

/// Returns the CPUs that have the target's architecture.
static std::string cpusOf(StringRef target, ArrayRef<StringRef> cpus) {
  SmallVector<StringRef> own;
  copy_if(cpus, std::back_inserter(own), [&](StringRef cpu) { return isCpuOf(target, cpu.trim()); });
  return join(own, ",");
}

/// True if the option comes from the preset of --for.
static bool isImplied(const CommandLine &commandLine, StringRef option) {
  return any_of(commandLine.compiler.preset.options,
                [&](StringRef typed) { return typed.starts_with(("--" + option + "=").str()); });
}

/// Removes CPUs of other targets that a preset set, and the weight type for them.
static void dropWhatTargetLacks(CommandLine &one) {
  const Preset *preset = findPreset(one.compiler.preset.word);
  if (!preset ||
      all_of(split(preset->valueOf("cpu"), ','), [&](StringRef cpu) { return isCpuOf(one.compiler.target, cpu); }))
    return;
  if (isImplied(one, "cpu"))
    one.compiler.cpus.clear();
  if (isImplied(one, "weight-type"))
    one.compiler.weightType = FloatStorage::F32;
  erase_if(one.compiler.preset.options,
           [](StringRef typed) { return typed.starts_with("--cpu=") || typed.starts_with("--weight-type="); });
}

/// Names the CPUs of a target that stores values as f16 or bf16, if the user and the preset name none. One of them
/// multiplies these types, and the others still run the library.
static void chooseCpusForPrecision(CommandLine &one) {
  if (one.compiler.cpus.empty())
    one.compiler.cpus = addCpuThatMultiplies(one.compiler.cpuPrecision, one.compiler.target, "");
}

/// Returns the names of phones' chips for an error about a CPU; "" if none of the targets can be a phone.
static std::string chipsFor(ArrayRef<std::string> targets) {
  const std::string any = describeChips().front().name;
  if (none_of(targets, [&](StringRef target) { return isCpuOf(target, any); }))
    return "";
  std::string text = "\nchips of phones (--cpu=list prints their cores):\n";
  raw_string_ostream os(text);
  listChipNames(os);
  return StringRef(text).rtrim().str();
}

/// Checks the names of a target and its CPUs. The error suggests the nearest known name.
static Error checkNames(StringRef target, StringRef cpus) {
  Error error = checkTarget(target, cpus);
  if (!error)
    return Error::success();
  std::string message = toString(std::move(error));
  const std::vector<std::string> targets = targetNames();
  if (!is_contained(targets, target))
    return createStringError(message + didYouMean(target.str(), targets));
  for (StringRef cpu : split(cpus, ','))
    if (cpu = cpu.trim(); cpu != "native" && !isCpuOf(target, cpu))
      return createStringError(message + didYouMean(cpu.str(), cpuNames(target)) + chipsFor(target.str()));
  return createStringError(message);
}

static void addOutputs(NamedFiles &files, const CommandLine &one) {
  const auto outputs = describeOutputs(one.compiler);
  if (outputs.empty() && one.compiler.outputPath != "-")
    files.addOutput("-o", one.compiler.outputPath);
  for (const auto &[index, output] : enumerate(outputs))
    files.addOutput(index == 0 && one.namesOutput ? "-o" : "the " + output.first, output.second);
  if (one.reportPath != "-")
    files.addOutput("--report", one.reportPath);
  files.addOutput("--time-trace", one.timeTracePath);
}

/// Gives all command lines the files of all targets. Returns an error if one of the files would be overwritten.
static Error compareFiles(std::vector<CommandLine> &all) {
  NamedFiles files = all.front().files;
  for (const CommandLine &one : all)
    addOutputs(files, one);
  for (CommandLine &one : all)
    one.files = files;
  const std::string problem = files.findProblem();
  return problem.empty() ? Error::success() : createStringError(problem);
}

Expected<std::vector<CommandLine>> forEachTarget(const CommandLine &commandLine) {
  const std::vector<std::string> &targets = commandLine.targets;
  if (targets.size() < 2) {
    std::vector<CommandLine> one = {commandLine};
    dropWhatTargetLacks(one.front());
    chooseCpusForPrecision(one.front());
    if (Error error = checkNames(one.front().compiler.target, one.front().compiler.cpus))
      return error;
    if (Error error = checkHalves(one.front().compiler))
      return error;
    if (Error error = compareFiles(one))
      return error;
    return one;
  }
  SmallVector<StringRef> cpus;
  StringRef(commandLine.compiler.cpus).split(cpus, ',', -1, /*KeepEmpty=*/false);
  for (StringRef cpu : cpus) {
    if (isImplied(commandLine, "cpu") || any_of(targets, [&](StringRef target) { return isCpuOf(target, cpu.trim()); }))
      continue;
    std::vector<std::string> known;
    for (const std::string &target : targets)
      append_range(known, cpuNames(target));
    return createStringError("--cpu must be of one of the targets, but '" + cpu + "' is not" +
                             didYouMean(cpu.trim().str(), known) + chipsFor(targets));
  }

  std::vector<CommandLine> all;
  for (const std::string &target : targets) {
    if (any_of(all, [&](const CommandLine &before) { return before.compiler.target == target; }))
      return createStringError("--target must name each target once, but names '" + target + "' twice");
    CommandLine &one = all.emplace_back(commandLine);
    one.compiler.target = target;
    one.compiler.cpus = cpusOf(target, cpus);
    dropWhatTargetLacks(one);
    chooseCpusForPrecision(one);
    if (Error error = checkNames(target, one.compiler.cpus))
      return error;
    if (Error error = checkHalves(one.compiler))
      return error;
    one.compiler.outputPath = inFolderOf(target, commandLine.compiler.outputPath);
    if (!commandLine.reportPath.empty())
      one.reportPath = inFolderOf(target, commandLine.reportPath);
    if (!commandLine.timeTracePath.empty())
      one.timeTracePath = inFolderOf(target, commandLine.timeTracePath);
  }
  if (Error error = compareFiles(all))
    return error;
  return all;
}

} // namespace nacre::tools
