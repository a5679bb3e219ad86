// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files that options name, and chooses the names of output files.

#include "tools/run/session/Files.h"
#include "dialects/OutputFile.h"
#include "tools/run/session/Text.h"

#include <map>
#include <sys/stat.h>

namespace nacre::run {
namespace {

constexpr const char *kExtension = ".npy";

/// Returns the name with replacements for characters that have a meaning in a path.
std::string stemOf(std::string name) {
  for (char &c : name)
    if (c == '/' || c == '\\' || c == ':')
      c = '_';
  return name;
}

/// Returns the name with a hash, which makes it unique.
std::string distinctName(const std::string &tensor) { return hashedFileNameOf(stemOf(tensor), kExtension, tensor); }

std::string shortName(const std::string &tensor) { return fileNameOf(stemOf(tensor), kExtension, tensor); }

void addNamed(NamedFiles &files, const char *option, const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    for (size_t equals = text.find('='); equals != text.npos; equals = text.find('=', equals + 1))
      files.addInput(option, text.substr(equals + 1));
}

} // namespace

std::string pageOf(const std::string &report) {
  const size_t begin = report.find_last_of('/') + 1; // 0 without a folder
  const size_t dot = report.find_last_of('.');
  const size_t end = dot == report.npos || dot <= begin ? report.size() : dot;
  return report.substr(0, begin) + fileNameOf(report.substr(begin, end - begin), ".html");
}

void addFiles(NamedFiles &files, const Options &options) {
  files.addInput("the library", options.library);
  addNamed(files, "--input", options.inputs);
  addNamed(files, "--state", options.states);
  addNamed(files, "--expect", options.expects);
  files.addInput("--resume", options.resumeFile);
  files.addInput("--weights", options.weightsFile);
  files.addInput("--weights-file", options.apartFile);
  files.addInput("--report", options.reportFile);
  addNamed(files, "--test-input", options.training.testInputs);
  for (const std::string &path : options.training.labels) // with or without a name
    files.addInput("--label", path);
  addNamed(files, "--label", options.training.labels);
  for (const std::string &path : options.training.testLabels)
    files.addInput("--test-label", path);
  addNamed(files, "--test-label", options.training.testLabels);
  files.addInput("--order", options.training.orderFile);
  files.addFolder("--output", options.outputFolder);
  files.addFolder("--save-inputs", options.inputsFolder);
  files.addFolder("--cache", options.cacheFolder);
  files.addOutput("--save", options.saveFile);
  files.addOutput("--info", options.infoFile);
  files.addOutput("--profile", options.profileFile);
  files.addOutput("--trace", options.traceFile);
  if (!options.reportFile.empty())
    files.addOutput("the page of --report", pageOf(options.reportFile));
  files.addOutput("--log", options.training.logFile);
  files.letReplace("--save", "--resume");
}

void addSavedInputs(NamedFiles &files, const std::vector<Port> &inputs, const std::string &folder) {
  const std::vector<std::string> paths = outputPaths(inputs, {}, folder);
  for (size_t i = 0; i < paths.size(); ++i)
    files.addOutput("--save-inputs for the input '" + printableText(inputs[i].name) + "'", paths[i]);
}

void addOutputs(NamedFiles &files, const std::vector<Port> &outputs, const std::vector<Port> &states,
                const std::string &folder) {
  const std::vector<std::string> paths = outputPaths(outputs, states, folder);
  for (size_t i = 0; i < paths.size(); ++i) {
    const bool isState = i >= outputs.size();
    const Port &port = isState ? states[i - outputs.size()] : outputs[i];
    files.addOutput("--output for the " + std::string(isState ? "state" : "output") + " '" + printableText(port.name) +
                        "'",
                    paths[i]);
  }
}

Outcome checkFiles(const NamedFiles &files) {
  const std::string problem = files.findProblem();
  return problem.empty() ? Outcome() : usageFailure(problem);
}

std::vector<std::string> outputPaths(const std::vector<Port> &outputs, const std::vector<Port> &states,
                                     const std::string &folder) {
  std::map<std::string, std::string> owners; // owner of each file name: the tensor with exactly this name, or else the
                                             // only tensor that would have it
  for (const auto *ports : {&outputs, &states})
    for (const Port &port : *ports) {
      std::string &owner = owners.try_emplace(shortName(port.name), port.name).first->second;
      if (port.name + kExtension == shortName(port.name))
        owner = port.name;
      else if (owner != port.name && owner + kExtension != shortName(owner))
        owner = ""; // several tensors would have the same file name
    }
  std::vector<std::string> paths;
  for (const auto *ports : {&outputs, &states})
    for (const Port &port : *ports) {
      const std::string name = shortName(port.name);
      paths.push_back(folder + "/" + (owners[name] == port.name ? name : distinctName(port.name)));
    }
  return paths;
}

std::string findOutput(const std::string &folder, const std::string &tensor) {
  for (const std::string &name : {distinctName(tensor), shortName(tensor)}) {
    struct stat there{};
    std::string path = folder + "/" + name;
    if (stat(path.c_str(), &there) == 0)
      return path;
  }
  return "";
}

} // namespace nacre::run
