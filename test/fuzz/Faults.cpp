// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  models of every format that may come to no operator, to one, to two, and so on until they are imported: each
//        of the others is refused with an error.
// Why:   a handler continues after an error was reported, with values that are null (NnBuilder.h); this walks over
//        every place where one can be.
// How:   each argument is a model, or a folder of models; what is imported in no case is left out.

#include "test/fuzz/Watch.h"

#include "compiler/import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

using namespace nacre::importer;
namespace fs = std::filesystem;

namespace {

/// Longer models are not followed to their end.
constexpr int64_t mostSteps = 4000;

struct Outcome {
  bool isImported;
  std::string firstError;
};

Outcome import(const std::string &path, int64_t maxOperators) {
  std::snprintf(currentInput, sizeof currentInput, "%s, with at most %ld operators", path.c_str(), long(maxOperators));
  WithTimeLimit limit(20);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome{};
  mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && outcome.firstError.empty())
      outcome.firstError = diagnostic.str();
  });
  ImportOptions options;
  options.maxConstantBytes = 1 << 20;
  options.maxOperators = maxOperators;
  auto module = importModel(path, options, &context);
  outcome.isImported = module && succeeded(mlir::verify(*module));
  return outcome;
}

/// Returns how many times the model is imported otherwise than it should be.
size_t tryModel(const std::string &path) {
  if (!import(path, ImportOptions().maxOperators).isImported) {
    std::printf("%s: left out, since it is not imported\n", path.c_str());
    return 0;
  }
  size_t failures = 0;
  int64_t step = 0;
  for (; step < mostSteps; ++step) {
    Outcome outcome = import(path, step);
    if (outcome.isImported) {
      if (!outcome.firstError.empty()) {
        std::fprintf(stderr, "is imported after an error, '%s': %s\n", outcome.firstError.c_str(), currentInput);
        ++failures;
        continue;
      }
      break;
    }
    if (outcome.firstError.find("must have at most") == std::string::npos) {
      std::fprintf(stderr, "is refused for another reason, '%s': %s\n", outcome.firstError.c_str(), currentInput);
      ++failures;
    }
  }
  std::printf("%s: refused %ld times\n", path.c_str(), long(step));
  return failures;
}

} // namespace

int main(int argc, char **argv) {
  watchSignals();
  std::set<fs::path> models;
  for (int index = 1; index < argc; ++index) {
    if (!fs::is_directory(argv[index])) {
      models.insert(argv[index]);
      continue;
    }
    for (const auto &entry : fs::directory_iterator(argv[index]))
      models.insert(entry.path());
  }
  size_t failures = 0;
  for (const fs::path &model : models)
    failures += tryModel(model.string());
  return failures || models.empty() ? 1 : 0;
}
