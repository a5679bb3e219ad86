// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/phone/PhoneFolder.h"
#include "tools/PrintableText.h"

#include <cstdio>

namespace nacre::phone {

using tools::printableText;

namespace {

/// The only folder in which adb's shell can start a program on every phone.
constexpr const char *kParent = "/data/local/tmp/";

tools::Failure problem(const Adb &adb, const std::string &what, const Finished &finished) {
  const std::string phone = "phone '" + printableText(adb.name()) + "'";
  if (finished.said.find("No space left") != finished.said.npos)
    return tools::usageFailure(phone + " has no space left: cannot " + what + "; free some storage of the phone");
  return tools::Failure{tools::ExitCode::Refused,
                        "cannot " + what + " on " + phone + ": " + printableText(finished.lastLine())};
}

} // namespace

PhoneFolder::~PhoneFolder() {
  if (folder.empty())
    return;
  // The program may outlive its shell if adb was ended.
  const Finished removed =
      adb.shell("kill $(cat " + folder + "/pid) 2>/dev/null; rm -rf " + folder + " && echo removed");
  if (removed.lastLine() != "removed")
    std::fprintf(stderr, "%s: note: the folder %s stays on the phone: %s\n", program.c_str(), folder.c_str(),
                 printableText(removed.lastLine()).c_str());
}

Outcome PhoneFolder::create() {
  const Finished made = adb.shell(std::string("mktemp -d ") + kParent + program + ".XXXXXX");
  const std::string path = made.lastLine();
  if (made.status != 0 || path.rfind(kParent, 0) != 0 || path.find_first_of(" '\"$;&|") != path.npos)
    return problem(adb, std::string("make a folder below ") + kParent, made);
  folder = path;
  return std::nullopt;
}

Outcome PhoneFolder::push(const std::string &path, const std::string &name) const {
  const Finished pushed = adb.call({"push", path, folder + "/" + name});
  return pushed.status == 0 ? std::nullopt : Outcome(problem(adb, "copy '" + path + "'", pushed));
}

Outcome PhoneFolder::pull(const std::string &name, const std::string &path) const {
  const Finished pulled = adb.call({"pull", folder + "/" + name, path});
  return pulled.status == 0 ? std::nullopt : Outcome(problem(adb, "fetch '" + path + "'", pulled));
}

Outcome PhoneFolder::makeFolder(const std::string &name) const {
  const Finished made = adb.shell("mkdir " + folder + "/" + name);
  return made.status == 0 ? std::nullopt : Outcome(problem(adb, "make a folder", made));
}

int PhoneFolder::run(const std::string &words, tools::Says says) const {
  return adb.showShell("cd " + folder + " && chmod 700 nacre-try && echo $$ >pid && exec ./nacre-try " + words, says);
}

} // namespace nacre::phone
