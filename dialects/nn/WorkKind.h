// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does for an operator. Free of IR, because the fusion policy is. The kernels phase makes a
// plan::KernelKind of it (FormOperators.cpp), and placement a form of work of that (LaunchWork.cpp).

#ifndef NACRE_DIALECTS_NN_WORKKIND_H
#define NACRE_DIALECTS_NN_WORKKIND_H

namespace nacre::nn {

enum class WorkKind {
  Contraction,
  Attention, ///< Two products and what is between them; takes no other operator.
  Row,
  Nest, ///< Reductions and windows.
  Permute,
  Indexed,
  Scan,   ///< Takes no other operator.
  Serial, ///< A small program for each point; takes no other operator either.
  Elementwise,
  Boundary ///< In no kernel: views, concatenations, recurrent layers, loops, constants.
};

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_WORKKIND_H
