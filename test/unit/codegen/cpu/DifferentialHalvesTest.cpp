// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that make their left operand, with every instruction set; see Differential.h. Blocks, parts of them and shares begin
// anywhere.

#include "test/unit/codegen/PrologueTexts.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuHalves = test::Differential;

TEST_F(CpuHalves, ScaledAndShifted) {
  checkOnAll(PrologueText{64, 64, 64}.text());
  checkOnAll(PrologueText{150, 44, 132}.text());
  PrologueText finished{37, 40, 70};
  finished.biased = finished.residual = true;
  checkOnAll(finished.text());
}

TEST_F(CpuHalves, NormalizedRows) {
  checkOnAll(PrologueText{64, 64, 64, /*normalized=*/true}.text());
  checkOnAll(
      PrologueText{119, 21, 67, /*normalized=*/true, /*written=*/true, /*residual=*/false, /*biased=*/true}.text());
}

TEST_F(CpuHalves, FewRowsAndColumnsThatAreCut) {
  checkOnAll(PrologueText{4, 37, 130}.text());
  checkOnAll(PrologueText{3, 140, 130, /*normalized=*/true, /*written=*/true}.text());
  PrologueText columns{1, 100, 128, /*normalized=*/true};
  columns.cut = 1;
  checkOnAll(columns.text());
}

TEST_F(CpuHalves, ProloguesOfHalves) {
  PrologueText kernel{20, 24, 136};
  kernel.element = "f16";
  checkWithHalves(kernel.text(), 1e-2);
  kernel.k = 70;
  kernel.normalized = kernel.written = kernel.biased = true;
  checkWithHalves(kernel.text(), 1e-2);
}

TEST_F(CpuHalves, WindowsAndStrides) {
  for (SeparableText text : {SeparableText{5, 4, 16, 40, 3, 2}, {4, 4, 8, 16, 5, 1}, {30, 9, 24, 36, 3, 1}}) {
    text.inset = 1;
    checkOnAll(text.text());
  }
}

TEST_F(CpuHalves, SeveralImages) {
  SeparableText odd{4, 5, 70, 131};
  odd.batch = 2;
  odd.residual = true;
  checkOnAll(odd.text());
  odd.cut = 0;
  checkOnAll(odd.text());
}

TEST_F(CpuHalves, NothingBetweenTheHalvesAndAPackedMatrix) {
  SeparableText text{6, 5, 24, 40};
  text.between = false;
  text.encoding = "#plan.encoding<panel, width = 16>";
  checkOnAll(text.text());
  // Of few large blocks, threads share the columns.
  checkOnAll(SeparableText{7, 7, 40, 256, 3, 1, 1, true, false, "f32", 1, 0, text.encoding}.text());
}

TEST_F(CpuHalves, SeparableCutAlongColumns) {
  SeparableText text{1, 1, 20, 36};
  text.cut = 3;
  checkOnAll(text.text());
}

TEST_F(CpuHalves, SeparableOfHalves) {
  SeparableText text{13, 4, 32, 20};
  text.element = "f16";
  checkWithHalves(text.text(), 1e-2);
}

} // namespace
