// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes the predicted noise of the outputs of entries (plan::kPredictedSnr).

#include "compiler/encode/Passes.h"
#include "compiler/encode/noise/EntryNoise.h"
#include "dialects/plan/Notes.h"

namespace nacre::encode {
#define GEN_PASS_DEF_PREDICTNOISEPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace nacre;

namespace {

struct PredictNoise : encode::impl::PredictNoisePassBase<PredictNoise> {
  void runOnOperation() override {
    for (const auto &[output, decibels] : encode::predictNoise(getOperation()))
      plan::setPredictedSnr(output, decibels);
  }
};

} // namespace
