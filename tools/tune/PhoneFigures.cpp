// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tune/PhoneFigures.h"
#include "tools/PrintableText.h"
#include "tools/phone/Phone.h"
#include "tools/phone/PhoneFolder.h"
#include "tools/process/Interruption.h"
#include "tools/process/TemporaryFolder.h"
#include "tools/tune/FigureReader.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace nacre::tune {
namespace {

using phone::Adb;
using phone::PhoneFolder;
using tools::Interruption;
using tools::Outcome;
using tools::usageFailure;

/// A file on this machine, and its name in the phone's folder.
struct Sent {
  std::string path, name;
};

/// Finds the libraries of kernels. If one is missing, sets `reason`, or fails if a GPU was requested.
Outcome findKernels(const Options &options, const phone::Abi &abi, std::vector<Sent> &sent, std::string &reason) {
  for (const char *library : measure::kKernelLibraries) {
    std::string path = options.kernels + "/" + library;
    Outcome failure = options.kernels.empty() ? phone::findPart(abi, std::string("tune/") + library, path) : Outcome();
    if (!failure && access(path.c_str(), R_OK) != 0)
      failure =
          usageFailure("cannot read '" + path + "'; --kernels must be a folder of kernels that are compiled with " +
                       "--target=" + abi.target);
    if (failure && *options.gpu >= 0)
      return usageFailure("the GPU cannot be measured: " + failure->text);
    if (failure) {
      reason = failure->text;
      sent.clear();
      return std::nullopt;
    }
    sent.push_back({path, std::string("kernels/") + library});
  }
  return std::nullopt;
}

Outcome pushAll(const PhoneFolder &folder, const std::vector<Sent> &sent, const Interruption &interruption) {
  std::fprintf(stderr, "nacre-tune: copying %zu files to the phone\n", sent.size());
  if (sent.size() > 1)
    if (Outcome failure = folder.makeFolder("kernels"))
      return failure;
  for (const Sent &file : sent)
    if (Outcome failure = interruption.isAsked() ? Outcome(phone::interrupted()) : folder.push(file.path, file.name))
      return failure;
  return std::nullopt;
}

Outcome readFile(const std::string &path, std::string &text) {
  std::ifstream file(path);
  std::stringstream content;
  if (!(content << file.rdbuf()))
    return tools::Failure{tools::ExitCode::Refused, "cannot read '" + path + "'"};
  text = content.str();
  return std::nullopt;
}

std::string wordsOf(const Options &options, bool hasKernels) {
  std::string words = "--figures=figures.txt";
  if (hasKernels)
    words += " --kernels=kernels";
  if (hasKernels && *options.gpu >= 0)
    words += " --gpu-device=" + std::to_string(*options.gpu);
  return words;
}

/// Copies the files, measures, and fetches the results. Leaves nothing on the phone.
Outcome measureThere(const Adb &adb, const std::vector<Sent> &sent, const std::string &words, std::string &text) {
  const Interruption interruption;
  tools::TemporaryFolder local;
  PhoneFolder folder(adb, "nacre-tune");
  if (Outcome failure = local.create("nacre-tune"))
    return failure;
  Outcome failure = folder.create();
  if (!failure)
    failure = pushAll(folder, sent, interruption);
  if (failure || interruption.isAsked())
    return interruption.isAsked() ? phone::interrupted() : failure;
  const int status = folder.run(words, tools::Says::ShownAsMessages);
  if (interruption.isAsked())
    return phone::interrupted();
  if (status != 0)
    return phone::statusFailure(adb, status);
  failure = folder.pull("figures.txt", local.path("figures.txt"));
  return failure ? failure : readFile(local.path("figures.txt"), text);
}

} // namespace

Outcome measurePhone(const Options &options, measure::DeviceFigures &figures, std::string &reasonOfGpu) {
  Adb adb;
  phone::Abis abis;
  std::vector<Sent> sent;
  std::string program, text, missing;
  if (Outcome failure = adb.find())
    return failure;
  if (Outcome failure = adb.choose(options.phoneSerial))
    return failure;
  if (Outcome failure = phone::askAbis(adb, abis))
    return failure;
  const phone::Abi &abi = *abis.front();
  if (Outcome failure = phone::findPart(abi, "nacre-try", program))
    return failure;
  if (options.gpu)
    if (Outcome failure = findKernels(options, abi, sent, missing))
      return failure;
  const std::string words = wordsOf(options, !sent.empty());
  sent.push_back({program, "nacre-try"});
  if (Outcome failure = measureThere(adb, sent, words, text))
    return failure;
  if (!readFigures(text, figures, reasonOfGpu))
    return tools::Failure{tools::ExitCode::Refused, "the figures that came from phone '" +
                                                        tools::printableText(adb.name()) +
                                                        "' are not complete; measure again"};
  reasonOfGpu = missing.empty() ? tools::printableText(reasonOfGpu) : missing;
  return std::nullopt;
}

} // namespace nacre::tune
