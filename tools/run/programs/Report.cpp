// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/programs/Report.h"
#include "tools/process/Process.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {

Outcome makeReport(const Options &options, const std::string &profile) {
  std::string program = tools::programFolder() + "/nacre-report";
  if (!tools::isExecutable(program))
    program = tools::findInPath("nacre-report");
  if (program.empty())
    return usageFailure("--report needs nacre-report, but it is neither next to nacre-run nor in the PATH");
  const std::string page = pageOf(options.reportFile);
  const tools::Finished made =
      tools::runProgram({program, options.reportFile, "--profile=" + profile, "-o", page}, tools::Says::Kept);
  if (made.status != 0)
    return usageFailure("--report: " + printableText(made.said.substr(0, made.said.find('\n'))));
  std::printf("the page '%s' shows the report with these times; open it in a browser\n", printableText(page).c_str());
  return std::nullopt;
}

} // namespace nacre::run
