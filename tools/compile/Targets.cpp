// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/Targets.h"
#include "compiler/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nacre::tools {

/// folder/file becomes folder/target/file.
static std::string inFolderOf(StringRef target, StringRef path) {
  SmallString<128> result = sys::path::parent_path(path);
  sys::path::append(result, target, sys::path::filename(path));
  return result.str().str();
}

/// Those of the CPUs that are of the target's architecture.
static std::string cpusOf(StringRef target, ArrayRef<StringRef> cpus) {
  SmallVector<StringRef> own;
  copy_if(cpus, std::back_inserter(own), [&](StringRef cpu) { return isCpuOf(target, cpu.trim()); });
  return join(own, ",");
}

Expected<std::vector<CommandLine>> forEachTarget(const CommandLine &commandLine) {
  const std::vector<std::string> &targets = commandLine.targets;
  if (targets.size() < 2)
    return std::vector<CommandLine>{commandLine};
  SmallVector<StringRef> cpus;
  StringRef(commandLine.compiler.cpus).split(cpus, ',', -1, /*KeepEmpty=*/false);
  for (StringRef cpu : cpus)
    if (none_of(targets, [&](StringRef target) { return isCpuOf(target, cpu.trim()); }))
      return createStringError("--cpu must be of one of the targets, but '" + cpu + "' is not");

  std::vector<CommandLine> all;
  for (const std::string &target : targets) {
    if (any_of(all, [&](const CommandLine &before) { return before.compiler.target == target; }))
      return createStringError("--target must name each target once, but names '" + target + "' twice");
    CommandLine &one = all.emplace_back(commandLine);
    one.compiler.target = target;
    one.compiler.cpus = cpusOf(target, cpus);
    if (Error error = checkTarget(target, one.compiler.cpus))
      return error;
    one.compiler.outputPath = inFolderOf(target, commandLine.compiler.outputPath);
    if (!commandLine.reportPath.empty())
      one.reportPath = inFolderOf(target, commandLine.reportPath);
  }
  return all;
}

} // namespace nacre::tools
