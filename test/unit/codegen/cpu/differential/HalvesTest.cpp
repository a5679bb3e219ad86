// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that make their left operand, with every instruction set; see Differential.h. Blocks, parts of them and
// shares begin anywhere.

#include "test/unit/codegen/PrologueTexts.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuHalves = test::Differential;

TEST_F(CpuHalves, Prologues) {
  for (const PrologueText &text : prologueTexts())
    checkOnAll(text.text());
}

TEST_F(CpuHalves, ProloguesOfHalves) {
  for (const PrologueText &text : prologueTextsOfHalves())
    checkWithHalves(text.text(), 1e-2);
}

TEST_F(CpuHalves, Separable) {
  for (const SeparableText &text : separableTexts())
    checkOnAll(text.text());
}

TEST_F(CpuHalves, SeparableOfHalves) { checkWithHalves(separableTextOfHalves().text(), 1e-2); }

/// Many blocks; and few large ones, whose columns threads share.
TEST_F(CpuHalves, SeparableInBlocks) {
  SeparableText many{30, 9, 24, 36};
  many.inset = 1;
  checkOnAll(many.text());
  SeparableText few{7, 7, 40, 256};
  few.encoding = "#plan.encoding<panel, width = 16>";
  checkOnAll(few.text());
}

} // namespace
