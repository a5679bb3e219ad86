// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of gradients of weights, followed by the update of the weight and its momentum.

#ifndef NACRE_TEST_UNIT_CODEGEN_UPDATETEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_UPDATETEXTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace nacre::codegen {

struct Update {
  std::string x, dy, w; ///< Sizes of tensors, as in 3x4.
  std::string loops;    ///< The last `reductions` of them reduce.
  std::string readX, readDy, written;
  int64_t reductions, cut; ///< Extent of the first axis.
  int64_t width = 0;       ///< Width of panels of weight and momentum; 0: they are tensors.
  bool packsRight = false; ///< dy is in panels as well.
};

/// v' = 0.9 v + x^T dy and w' = w - rate v'.
inline std::string textOf(const Update &u) {
  auto tensor = [](const std::string &sizes) { return "tensor<" + sizes + "xf32>"; };
  const std::string panel = llvm::formatv("#plan.encoding<panel, width = {0}>", u.width),
                    state = u.width ? panel : "unit", right = u.packsRight ? panel : "unit";
  const size_t loops = 1 + llvm::StringRef(u.loops).count(','), axes = 1 + llvm::StringRef(u.written).count(',');
  std::string kinds, parallel, axisNames = u.written;
  for (size_t loop = 0; loop < loops; ++loop)
    kinds += std::string(loop ? ", " : "") + (loop + u.reductions < loops ? "\"parallel\"" : "\"reduction\"");
  for (size_t axis = 0; axis < axes; ++axis)
    parallel += axis ? ", \"parallel\"" : "\"parallel\"";
  const std::string identity = "affine_map<(" + axisNames + ") -> (" + axisNames + ")>",
                    scalar = "affine_map<(" + axisNames + ") -> ()>", w = tensor(u.w);
  return llvm::formatv(
             "plan.kernel @kernel contraction (%x: {0}, %dy: {1}, %v: {2}, %w: {2}, %rate: tensor<f32>) into "
             "(%nv: {2}, %nw: {2}) cut 0 : {3} by 1 attributes {{encodings = [unit, {4}, {5}, {5}, unit, {5}, {5}]} "
             "{{\n"
             "%zero = arith.constant 0.0 : f32\n%e = tensor.empty() : {2}\n"
             "%init = linalg.fill ins(%zero : f32) outs(%e : {2}) -> {2}\n"
             "%g = linalg.generic {{indexing_maps = [affine_map<({6}) -> ({7})>, affine_map<({6}) -> ({8})>, "
             "affine_map<({6}) -> ({9})>], iterator_types = [{10}]} ins(%x, %dy : {0}, {1}) outs(%init : {2}) {{\n"
             "^bb0(%a: f32, %b: f32, %s: f32):\n%m = arith.mulf %a, %b : f32\n%t = arith.addf %s, %m : f32\n"
             "linalg.yield %t : f32\n} -> {2}\n",
             tensor(u.x), tensor(u.dy), w, u.cut, right, state, u.loops, u.readX, u.readDy, u.written, kinds)
             .str() +
         llvm::formatv(
             "%u:2 = linalg.generic {{indexing_maps = [{0}, {0}, {0}, {1}, {0}, {0}], iterator_types = [{2}]} "
             "ins(%g, %v, %w, %rate : {3}, {3}, {3}, tensor<f32>) outs(%nv, %nw : {3}, {3}) {{\n"
             "^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32, %p: f32):\n"
             "%momentum = arith.constant 0.9 : f32\n%k = arith.mulf %b, %momentum : f32\n"
             "%n = arith.addf %k, %a : f32\n%m = arith.mulf %n, %d : f32\n%s = arith.subf %c, %m : f32\n"
             "linalg.yield %n, %s : f32, f32\n} -> ({3}, {3})\nplan.yield %u#0, %u#1 : {3}, {3}\n}",
             identity, scalar, parallel, w)
             .str();
}

inline Update dense(int64_t rows, int64_t columns, int64_t depth, int64_t width, bool packsRight) {
  auto sizes = [](int64_t a, int64_t b) { return std::to_string(a) + "x" + std::to_string(b); };
  return {sizes(depth, rows),
          sizes(depth, columns),
          sizes(rows, columns),
          "m, n, k",
          "k, m",
          "k, n",
          "m, n",
          1,
          rows,
          width,
          packsRight};
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_UPDATETEXTS_H
