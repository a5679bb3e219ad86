// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work that a kernel does for an operator. It is independent of IR, like the fusion policy. The kernels phase
// converts it to a plan::KernelKind (FormOperators.cpp). Placement converts that to a WorkForm (LaunchWork.cpp).

#ifndef NACRE_DIALECTS_NN_WORKKIND_H
#define NACRE_DIALECTS_NN_WORKKIND_H

namespace nacre::nn {

enum class WorkKind {
  Contraction,
  Attention, ///< Two products and the operations between them; fuses with no other operator.
  Row,
  Nest, ///< Reductions and windows.
  Permute,
  Indexed,
  Scan,   ///< Fuses with no other operator.
  Serial, ///< A small program for each point; fuses with no other operator.
  Elementwise,
  Boundary ///< No kernel: views, concatenations, recurrent layers, loops, constants.
};

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_WORKKIND_H
