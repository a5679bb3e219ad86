// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a compilation's report as a page to look at, with what was measured beside what was predicted.
// Why:   nacre-compile --report=report.html and nacre-report write the same page.
// How:   one file that asks for nothing else: tools/report/page holds its parts, which the build puts into the programs.

#ifndef NACRE_TOOLS_REPORTPAGE_H
#define NACRE_TOOLS_REPORTPAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace nacre::tools {

/// A file that was read.
struct JsonFile {
  std::string path; ///< For messages.
  llvm::json::Value value = nullptr;
};

/// Whether a report is to be written as a page, by the file's name.
bool isPagePath(llvm::StringRef path);

/// The page of a report (docs/report.schema.json) and of profiles of its entries (docs/profile.schema.json), at most one of each. Fails,
/// with the path of the file at fault, where one is something else, or a profile is of another library.
llvm::Expected<std::string> makeReportPage(const JsonFile &report, llvm::ArrayRef<JsonFile> profiles = {});

} // namespace nacre::tools

#endif // NACRE_TOOLS_REPORTPAGE_H
