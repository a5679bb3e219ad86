// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that return random numbers. The numbers are the same in every run (compositions/Random.h).

#include "compiler/import/operands/Randoms.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

namespace nacre::importer::tensorflow_format {

using Draw = void (*)(OperandBinder &, mlir::Type, RandomSeeds);

template <Draw draw> static void importRandom(OperandBinder &node) {
  mlir::Type element = node.getType("dtype", node.nn.types().getF32Type());
  draw(node, element, {node.getInt("seed", 0), node.getInt("seed2", 0)});
}

void registerRandoms(ImportRegistry &registry) {
  registry.add("RandomUniform", 1, {{"shape", Holds::Indices}}, importRandom<drawUniform>);
  registry.add("RandomStandardNormal", 1, {{"shape", Holds::Indices}}, importRandom<drawNormal>);
}

} // namespace nacre::importer::tensorflow_format
