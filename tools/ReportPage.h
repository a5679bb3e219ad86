// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renders reports as HTML pages: a compilation with its measured times, a comparison of two, or a training.
// nacre-compile --report=report.html and nacre-report write the same page. A page is one self-contained file, made from
// parts in tools/report/page, which the build embeds in the programs.

#ifndef NACRE_TOOLS_REPORTPAGE_H
#define NACRE_TOOLS_REPORTPAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace nacre::tools {

/// A parsed JSON file.
struct JsonFile {
  std::string path; ///< Path in messages.
  llvm::json::Value value = nullptr;
};

/// Returns whether the file name asks for an HTML page.
bool isPagePath(llvm::StringRef path);

/// Returns the page of a report (docs/report.schema.json) and of profiles (docs/profile.schema.json), at most one per
/// entry. Fails with the path of a file that has another format, or of a profile that belongs to another library.
llvm::Expected<std::string> makeReportPage(const JsonFile &report, llvm::ArrayRef<JsonFile> profiles = {});

/// Returns a page that compares two reports. A profile belongs to the report that has its launches. If both have them,
/// the first profile of an entry belongs to `first`.
llvm::Expected<std::string> makeComparisonPage(const JsonFile &first, const JsonFile &second,
                                               llvm::ArrayRef<JsonFile> profiles = {});

/// Returns whether a file's text is a training log (docs/training-log.schema.json).
bool isTrainingLog(llvm::StringRef text);

/// Returns a page with the curves of training logs: paths and texts.
llvm::Expected<std::string> makeTrainingPage(llvm::ArrayRef<std::pair<std::string, llvm::StringRef>> logs);

} // namespace nacre::tools

#endif // NACRE_TOOLS_REPORTPAGE_H
