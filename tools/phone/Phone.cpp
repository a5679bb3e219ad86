// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/phone/Phone.h"
#include "tools/PrintableText.h"

#include <sstream>
#include <unistd.h>

namespace nacre::phone {

using tools::ExitCode;
using tools::Failure;
using tools::printableText;
using tools::usageFailure;

namespace {

constexpr int kLeastAndroid = 24; // Android 7, the oldest version that runs Nacre's libraries for Android

constexpr Abi kAbis[] = {{"android-arm64", "arm64-v8a"}, {"android-x86_64", "x86_64"}};

/// Reads the phone's ABIs, separated by commas.
Abis readAbis(const std::string &commas) {
  Abis found;
  std::istringstream names(commas);
  for (std::string name; std::getline(names, name, ',');)
    for (const Abi &abi : kAbis)
      if (name == abi.name)
        found.push_back(&abi);
  return found;
}

} // namespace

const Abi *findAbi(const std::string &target) {
  for (const Abi &abi : kAbis)
    if (target == abi.target)
      return &abi;
  return nullptr;
}

Outcome askAbis(const Adb &adb, Abis &abis) {
  const Finished asked = adb.shell("getprop ro.product.cpu.abilist; getprop ro.build.version.sdk");
  const std::string phone = "phone '" + printableText(adb.name()) + "' ";
  std::istringstream lines(asked.said);
  std::string names;
  int version = 0;
  std::getline(lines, names);
  while (!names.empty() && names.back() == '\r')
    names.pop_back();
  lines >> version;
  if (asked.status != 0)
    return Failure{ExitCode::Refused, phone + "does not answer: " + printableText(asked.lastLine())};
  abis = readAbis(names);
  if (abis.empty())
    return usageFailure(phone + "must run 64-bit programs, but has only " + printableText(names) +
                        "; Nacre has no code for 32-bit phones");
  if (version < kLeastAndroid)
    return usageFailure(phone + "must have Android 7 (API level 24) or later, but has API level " +
                        std::to_string(version));
  return std::nullopt;
}

Outcome findPart(const Abi &abi, const std::string &name, std::string &path) {
  path = tools::programFolder() + "/../lib/nacre/" + abi.target + "/" + name;
  return access(path.c_str(), R_OK) == 0
             ? std::nullopt
             : Outcome(usageFailure("--device=adb needs '" + path +
                                    "', which is missing; install the package libnacre-dev, or the SDK"));
}

Failure statusFailure(const Adb &adb, int status) {
  const bool isOurs =
      status == int(ExitCode::Usage) || status == int(ExitCode::Refused) || status == int(ExitCode::OutOfMemory);
  return {isOurs ? ExitCode(status) : ExitCode::Refused,
          "the run on phone '" + printableText(adb.name()) + "' ended with status " + std::to_string(status) +
              (status > 128 && status < 160 ? ", by signal " + std::to_string(status - 128) : "")};
}

Failure interrupted() { return {ExitCode::Interrupted, "interrupted; the phone's folder is removed"}; }

bool parseDevice(const std::string &value, std::string &serial) {
  constexpr std::string_view kAdb = "adb";
  serial = value.size() > kAdb.size() ? value.substr(kAdb.size() + 1) : "";
  return value.substr(0, kAdb.size()) == kAdb &&
         (value.size() == kAdb.size() || (value[kAdb.size()] == ':' && !serial.empty()));
}

} // namespace nacre::phone
