// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/phone/PhoneRun.h"
#include "tools/phone/Phone.h"
#include "tools/phone/PhoneFolder.h"
#include "tools/process/Interruption.h"
#include "tools/process/TemporaryFolder.h"
#include "tools/run/phone/LibraryTables.h"
#include "tools/run/programs/Report.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/MediaInputs.h"
#include "tools/run/session/Text.h"
#include "tools/run/tensors/Npy.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace nacre::run {

using phone::Abi;
using phone::Adb;
using phone::PhoneFolder;

namespace {

/// Fails if the phone cannot run a library for the ABI `abi`.
Outcome checkPhone(const Adb &adb, const Abi &abi) {
  phone::Abis abis;
  if (Outcome failure = phone::askAbis(adb, abis))
    return failure;
  for (const Abi *runs : abis)
    if (runs == &abi)
      return std::nullopt;
  return usageFailure("the library is for " + std::string(abi.name) + ", but phone '" + printableText(adb.name()) +
                      "' runs " + abis.front()->name + "; compile it with --target=" + abis.front()->target);
}

/// A run on a phone, from its inputs to its results.
class PhoneRun {
public:
  PhoneRun(const Options &options, NamedFiles &files) : options(options), files(files) {}

  Outcome prepare() {
    if (Outcome failure = readLibraryTables(options.library, options, tables))
      return failure;
    abi = phone::findAbi(tables.target);
    if (!abi)
      return usageFailure("'" + options.library + "' must be for Android, but is for " + printableText(tables.target) +
                          "; compile it with --target=android-arm64");
    if (!options.apartFile.empty() && !tables.hasApartWeights)
      return usageFailure(
          "--weights-file requires a model compiled with --weights-in=file; this library contains its weights");
    files.addInput("the weights file", weightsPath());
    if (!options.outputFolder.empty())
      addOutputs(files, tables.outputs, {}, options.outputFolder);
    if (!options.inputsFolder.empty())
      addSavedInputs(files, tables.inputs, options.inputsFolder);
    if (Outcome failure = checkFiles(files))
      return failure;
    if (Outcome failure = fillPorts(tables.inputs, options, fillFromMedia))
      return failure;
    if (!options.inputsFolder.empty())
      if (Outcome failure = writeOutputs(tables.inputs, {}, options.inputsFolder))
        return failure;
    return openExpected(tables.outputs, options, expected);
  }

  Outcome connect(Adb &adb) {
    if (Outcome failure = adb.find())
      return failure;
    if (Outcome failure = adb.choose(options.phoneSerial))
      return failure;
    if (Outcome failure = checkPhone(adb, *abi))
      return failure;
    return phone::findPart(*abi, "nacre-try", tryPath);
  }

  /// Copies the files, runs, and fetches the results. Leaves nothing on the phone.
  Outcome execute(const Adb &adb, const tools::Interruption &interruption) {
    PhoneFolder folder(adb, "nacre-run");
    if (Outcome failure = local.create("nacre-run"))
      return failure;
    Outcome failure = folder.create();
    if (!failure)
      failure = pushAll(folder, interruption);
    if (failure || interruption.isAsked())
      return interruption.isAsked() ? phone::interrupted() : failure;
    std::fflush(stdout);
    const int status = folder.run(command(), tools::Says::Shown);
    if (interruption.isAsked())
      return phone::interrupted();
    if (status != 0)
      return phone::statusFailure(adb, status);
    return fetchAll(folder);
  }

  /// Compares, prints and writes the fetched results.
  Outcome finish() {
    if (wantsOutputs())
      if (Outcome failure = readOutputs())
        return failure;
    if (!options.outputFolder.empty())
      if (Outcome failure = writeOutputs(tables.outputs, {}, options.outputFolder))
        return failure;
    if (Outcome failure = compareOutputs(expected, options.tolerance))
      return failure;
    if (!measures() && expected.empty())
      summariseOutputs(tables.outputs);
    if (!options.reportFile.empty())
      return makeReport(options, profilePath());
    if (!options.profileFile.empty())
      std::fprintf(
          stderr,
          "nacre-run: to see '%s' in a browser, pass the report of nacre-compile --report=<report.json>: nacre-report "
          "<report.json> --profile=%s\n",
          printableText(options.profileFile).c_str(), printableText(options.profileFile).c_str());
    return std::nullopt;
  }

private:
  bool measures() const { return options.benchmark || options.profile || !options.reportFile.empty(); }
  bool wantsOutputs() const { return !measures() || !options.outputFolder.empty() || !expected.empty(); }
  std::string profilePath() const {
    return options.profileFile.empty() ? local.path("profile.json") : options.profileFile;
  }
  bool wantsProfileFile() const { return !options.profileFile.empty() || !options.reportFile.empty(); }

  std::string weightsPath() const {
    if (!tables.hasApartWeights || !options.apartFile.empty())
      return options.apartFile;
    const std::string &library = options.library;
    const bool hasExtension = library.size() > 3 && library.compare(library.size() - 3, 3, ".so") == 0;
    return library.substr(0, library.size() - (hasExtension ? 3 : 0)) + ".weights";
  }

  static std::string inputName(size_t index) { return "input" + std::to_string(index) + ".npy"; }

  Outcome pushAll(const PhoneFolder &folder, const tools::Interruption &interruption) {
    std::vector<std::pair<std::string, std::string>> names = {{tryPath, "nacre-try"}, {options.library, "model.so"}};
    if (const std::string weights = weightsPath(); !weights.empty())
      names.emplace_back(weights, kSentName);
    for (size_t i = 0; i < tables.inputs.size(); ++i) {
      if (Outcome failure = writeNpy(local.path(inputName(i)), tables.inputs[i].tensor))
        return failure;
      names.emplace_back(local.path(inputName(i)), inputName(i));
    }
    for (const auto &[path, name] : names)
      if (Outcome failure = interruption.isAsked() ? Outcome(phone::interrupted()) : folder.push(path, name))
        return failure;
    return wantsOutputs() ? folder.makeFolder("out") : std::nullopt;
  }

  /// Returns the arguments for nacre-try. All files are in its working directory.
  std::string command() const {
    std::string words = "model.so " + phone::quoteForShell("--entry=" + tables.entry);
    for (size_t i = 0; i < tables.inputs.size(); ++i)
      words += " " + phone::quoteForShell("--input=" + tables.inputs[i].name + "=" + inputName(i));
    if (wantsOutputs())
      words += " --output=out";
    for (const std::string &word : options.phoneWords)
      words += " " + phone::quoteForShell(word);
    if (options.gpu) // other options of nacre-run imply --gpu, but not in nacre-try
      words += " --gpu";
    if (wantsProfileFile())
      words += " --profile=profile.json";
    else if (options.profile)
      words += " --profile";
    return words;
  }

  Outcome fetchAll(const PhoneFolder &folder) const {
    if (wantsProfileFile())
      if (Outcome failure = folder.pull("profile.json", profilePath()))
        return failure;
    for (size_t i = 0; wantsOutputs() && i < tables.outputs.size(); ++i) {
      const std::string name = std::to_string(i) + ".npy";
      if (Outcome failure = folder.pull("out/" + name, local.path(name)))
        return failure;
    }
    return std::nullopt;
  }

  Outcome readOutputs() {
    fetched.resize(tables.outputs.size());
    for (size_t i = 0; i < fetched.size(); ++i) {
      Port &port = tables.outputs[i];
      const std::string path = local.path(std::to_string(i) + ".npy");
      if (Outcome failure = readTensorLike(port.tensor, path, fetched[i]))
        return failure;
      if (fetched[i].view.type != port.tensor.type || fetched[i].view.dims.size() != port.tensor.dims.size())
        return Failure{ExitCode::Refused, "output '" + printableText(port.name) + "' came from the phone as " +
                                              describe(fetched[i].view.type, fetched[i].view.dims)};
      port.tensor = fetched[i].view;
    }
    return std::nullopt;
  }

  const Options &options;
  NamedFiles &files;
  LibraryTables tables;
  const Abi *abi = nullptr;
  std::string tryPath;
  std::vector<Expected> expected;
  std::vector<FileTensor> fetched;
  tools::TemporaryFolder local;
};

} // namespace

Outcome runOnPhone(const Options &options, NamedFiles &files) {
  PhoneRun run(options, files);
  if (Outcome failure = run.prepare())
    return failure;
  Adb adb;
  if (Outcome failure = run.connect(adb))
    return failure;
  const tools::Interruption interruption;
  if (Outcome failure = run.execute(adb, interruption))
    return failure;
  if (Outcome failure = run.finish())
    return failure;
  return interruption.outcome();
}

} // namespace nacre::run
