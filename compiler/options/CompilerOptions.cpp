// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/options/CompilerOptions.h"

#include "llvm/Support/Threading.h"

namespace nacre {

namespace {
struct PhaseText {
  Phase phase;
  llvm::StringLiteral word, description;
};
constexpr PhaseText phases[] = {
#define PHASE(enumerator, word, what) {Phase::enumerator, word, what},
#include "compiler/options/Phases.def"
};
} // namespace

llvm::StringRef phaseWord(Phase phase) { return phases[size_t(phase)].word; }

llvm::StringRef phaseDescription(Phase phase) { return phases[size_t(phase)].description; }

std::optional<Phase> parsePhase(llvm::StringRef word) {
  for (const PhaseText &text : phases)
    if (text.word == word)
      return text.phase;
  return std::nullopt;
}

unsigned jobsOf(const CompilerOptions &options) {
  return options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
}

} // namespace nacre
