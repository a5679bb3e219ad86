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

/// True if the extension of the path requests an HTML page.
bool isPagePath(llvm::StringRef path);

/// Returns the page of a report (docs/report.schema.json) and of profiles (docs/profile.schema.json), at most one for
/// each entry. Fails if a file has another format, or if a profile belongs to another library. The error contains the
/// file's path.
llvm::Expected<std::string> makeReportPage(const JsonFile &report, llvm::ArrayRef<JsonFile> profiles = {});

/// Returns a page that compares two reports. A profile belongs to the report that contains its launches. If both
/// reports contain them, the first profile of an entry belongs to `first`.
llvm::Expected<std::string> makeComparisonPage(const JsonFile &first, const JsonFile &second,
                                               llvm::ArrayRef<JsonFile> profiles = {});

/// True if a file's text is a training log (docs/training-log.schema.json).
bool isTrainingLog(llvm::StringRef text);

/// Returns a page with the curves of training logs. Each log is a path and the text of the file.
llvm::Expected<std::string> makeTrainingPage(llvm::ArrayRef<std::pair<std::string, llvm::StringRef>> logs);

} // namespace nacre::tools

#endif // NACRE_TOOLS_REPORTPAGE_H
