// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/phone/Adb.h"
#include "tools/PrintableText.h"

#include <cstdlib>
#include <sstream>

namespace nacre::phone {

using tools::printableText;
using tools::usageFailure;

namespace {

struct Listed {
  std::string serial, state;
};

/// Reads the lines of `adb devices`: serial, tab, state. Other lines are messages of its server.
std::vector<Listed> readDevices(const std::string &text) {
  std::vector<Listed> devices;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    if (tab != line.npos && tab > 0)
      devices.push_back({line.substr(0, tab), line.substr(tab + 1, line.find('\r', tab) - tab - 1)});
  }
  return devices;
}

std::string listOf(const std::vector<Listed> &devices) {
  std::string text;
  for (const Listed &device : devices)
    text += (text.empty() ? "'" : ", '") + printableText(device.serial) + "'" +
            (device.state == "device" ? "" : " (" + printableText(device.state) + ")");
  return text;
}

/// Fails if adb lists the phone but cannot use it.
Outcome checkState(const Listed &device) {
  const std::string phone = "phone '" + printableText(device.serial) + "' ";
  if (device.state == "device")
    return std::nullopt;
  if (device.state == "unauthorized")
    return usageFailure(phone + "has not authorized this computer; unlock it and confirm \"Allow USB debugging?\"");
  if (device.state.rfind("no permissions", 0) == 0)
    return usageFailure(phone + "cannot be opened by this user; add a udev rule for it, or join the group 'plugdev'");
  return usageFailure(phone + "must be ready, but adb says that it is '" + printableText(device.state) +
                      "'; reconnect it, or run adb reconnect");
}

} // namespace

std::string quoteForShell(const std::string &text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Outcome Adb::find() {
  if (const char *named = std::getenv("NACRE_ADB"); named && *named) {
    program = named;
    return tools::isExecutable(program)
               ? std::nullopt
               : Outcome(usageFailure("NACRE_ADB must be the adb program, but is '" + program + "'"));
  }
  program = tools::findInPath("adb");
  for (const char *variable : {"ANDROID_HOME", "ANDROID_SDK_ROOT"})
    if (const char *sdk = std::getenv(variable); program.empty() && sdk && *sdk) {
      const std::string path = std::string(sdk) + "/platform-tools/adb";
      program = tools::isExecutable(path) ? path : "";
    }
  if (!program.empty())
    return std::nullopt;
  return usageFailure(
      "--device=adb needs the program adb, which is neither in the PATH nor in ANDROID_HOME/platform-tools; install it "
      "(Debian and Ubuntu: apt install adb; others: Android's SDK Platform-Tools), or set NACRE_ADB to its path");
}

Outcome Adb::choose(const std::string &serial) {
  const Finished listing = tools::runProgram({program, "devices"}, tools::Says::Kept);
  if (listing.status != 0)
    return tools::Failure{tools::ExitCode::Refused,
                          "'" + program + " devices' failed: " + printableText(listing.lastLine())};
  const std::vector<Listed> devices = readDevices(listing.said);
  if (devices.empty())
    return usageFailure("adb sees no phone; connect one by USB and turn on USB debugging in its developer options, "
                        "or start an emulator");
  const Listed *found = nullptr;
  for (const Listed &device : devices)
    if (serial.empty() ? devices.size() == 1 : device.serial == serial)
      found = &device;
  if (!found)
    return usageFailure(serial.empty()
                            ? "several phones are connected; choose one with --device=adb:<serial>: " + listOf(devices)
                            : "no phone has the serial '" + serial + "'; connected: " + listOf(devices));
  if (Outcome failure = checkState(*found))
    return failure;
  chosen = found->serial;
  return std::nullopt;
}

std::vector<std::string> Adb::withPhone(const std::vector<std::string> &words) const {
  std::vector<std::string> all = {program, "-s", chosen};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Finished Adb::call(const std::vector<std::string> &words) const {
  return tools::runProgram(withPhone(words), tools::Says::Kept);
}

int Adb::showShell(const std::string &command, tools::Says says) const {
  return tools::runProgram(withPhone({"shell", command}), says).status;
}

} // namespace nacre::phone
