// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose columns are read in parts, as the gates of a recurrent cell are, with every instruction set; see
// Differential.h.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuParts = test::Differential;

/// A cell: of `parts` gates, the first and the last are multiplied, the old state is added: one result, and with `two`
/// a second one, computed of it and of the last gate.
struct GatedText {
  int64_t rows = 1, units = 1, depth = 1, parts = 4;
  int64_t panel = 0; ///< 0: as the tensor says.
  bool two = true;

  std::string text() const {
    const std::string x = tensorText({rows, depth}, "f32"), w = tensorText({depth, units * parts}, "f32");
    const std::string state = tensorText({rows, units}, "f32"), all = tensorText({rows, units * parts}, "f32");
    const unsigned axis = rows == 1 ? 1 : 0;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "plan.kernel @kernel contraction (%x: " << x << ", %w: " << w << ", %state: " << state << ", %z: " << all
       << ") into (%c: " << state << (two ? ", %h: " + state : "") << ") cut " << axis << " : " << (axis ? units : rows)
       << " by " << (axis && panel ? panel : 1);
    if (panel)
      os << " attributes {encodings = [unit, #plan.encoding<panel, width = " << panel << " parts = " << parts
         << ">, unit, unit]}";
    os << " {\n  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : " << all
       << "\n  %f = linalg.fill ins(%zero : f32) outs(%e : " << all << ") -> " << all
       << "\n  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,"
       << " affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}"
       << " ins(%x, %w : " << x << ", " << w << ") outs(%f : " << all << ") {\n  ^bb0(%a: f32, %b: f32, %s: f32):\n"
       << "    %m = arith.mulf %a, %b : f32\n    %r = arith.addf %s, %m : f32\n    linalg.yield %r : f32\n  } -> "
       << all << "\n";
    auto slice = [&](const char *name, const char *of, int64_t part) {
      os << "  %" << name << " = tensor.extract_slice %" << of << "[0, " << part * units << "] [" << rows << ", "
         << units << "] [1, 1] : " << all << " to " << state << "\n";
    };
    slice("first", "p", 0);
    slice("last", "p", parts - 1);
    slice("addend", "z", 1);
    const std::string map = "affine_map<(m, n) -> (m, n)>",
                      outs = two ? "%c, %h : " + state + ", " + state : "%c : " + state;
    os << "  %g" << (two ? ":2" : "") << " = linalg.generic {indexing_maps = [" << map << ", " << map << ", " << map
       << ", " << map << ", " << map << (two ? ", " + map : "") << "], iterator_types = [\"parallel\", \"parallel\"]}"
       << " ins(%first, %last, %addend, %state : " << state << ", " << state << ", " << state << ", " << state
       << ") outs(" << outs << ") {\n  ^bb0(%i: f32, %j: f32, %d: f32, %old: f32, %o0: f32" << (two ? ", %o1: f32" : "")
       << "):\n    %id = arith.addf %i, %d : f32\n    %ij = arith.mulf %id, %j : f32\n"
       << "    %new = arith.addf %ij, %old : f32\n    %t = math.tanh %new : f32\n    %out = arith.mulf %t, %j : f32\n"
       << "    linalg.yield %new" << (two ? ", %out : f32, f32" : " : f32") << "\n  } -> "
       << (two ? "(" + state + ", " + state + ")" : state) << "\n  plan.yield "
       << (two ? "%g#0, %g#1 : " + state + ", " + state : "%g : " + state) << "\n}\n";
    return text;
  }
};

TEST_F(CpuParts, PartsOfOneRow) {
  for (int64_t units : {4, 12, 16, 36, 70})
    checkOnAll(GatedText{1, units, 9, 4, /*panel=*/16}.text(), 1e-5);
  checkOnAll(GatedText{1, 132, 40, 4, /*panel=*/64}.text(), 1e-5);
}

TEST_F(CpuParts, PartsOfManyRows) {
  for (int64_t rows : {2, 5, 13})
    checkOnAll(GatedText{rows, 20, 11, 4, /*panel=*/16}.text(), 1e-5);
}

TEST_F(CpuParts, TwoAndThreeParts) {
  for (int64_t parts : {2, 3}) {
    checkOnAll(GatedText{7, 36, 8, parts, /*panel=*/16}.text(), 1e-5);
    checkOnAll(GatedText{7, 36, 8, parts, /*panel=*/16, /*two=*/false}.text(), 1e-5);
  }
}

/// Each unit packs the panel that it needs.
TEST_F(CpuParts, PartsAsTheyLie) {
  checkOnAll(GatedText{5, 20, 7}.text(), 1e-5);
  checkOnAll(GatedText{1, 36, 9, 3}.text(), 1e-5);
}

/// Deeper than a sum's block.
TEST_F(CpuParts, PartsOfLargeDepths) {
  for (int64_t rows : {1, 29})
    checkOnAll(GatedText{rows, 20, 1543, 4, /*panel=*/16}.text(), 1e-4);
}

} // namespace
