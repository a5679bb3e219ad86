// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Renders a compilation's report as an HTML page, with measured times next to predicted ones.
// Why:   nacre-compile --report=report.html and nacre-report write the same page.
// How:   The page is one self-contained file. Its parts are in tools/report/page; the build embeds them in the programs.

#ifndef NACRE_TOOLS_REPORTPAGE_H
#define NACRE_TOOLS_REPORTPAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace nacre::tools {

/// A parsed JSON file.
struct JsonFile {
  std::string path; ///< For messages.
  llvm::json::Value value = nullptr;
};

/// Returns whether the file name asks for an HTML page.
bool isPagePath(llvm::StringRef path);

/// Returns the page of a report (docs/report.schema.json) and of profiles (docs/profile.schema.json), at most one per entry. Fails with
/// the path of the file at fault if it has another format, or if a profile belongs to another library.
llvm::Expected<std::string> makeReportPage(const JsonFile &report, llvm::ArrayRef<JsonFile> profiles = {});

} // namespace nacre::tools

#endif // NACRE_TOOLS_REPORTPAGE_H
