// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the columns of a product: the loop along which tiles have vectors.
// Why:   either factor may have the columns, so they decide which one becomes the right operand.

#ifndef NACRE_CODEGEN_FORM_PRODUCTCOLUMNS_H
#define NACRE_CODEGEN_FORM_PRODUCTCOLUMNS_H

#include "codegen/form/KernelForm.h"
#include "dialects/plan/PlanDialect.h"
#include <optional>

namespace nacre::codegen {

struct ProductColumns {
  unsigned loop = 0;      ///< Index of the loop over columns.
  unsigned lhs = 0;       ///< Index of the product's input that is the left operand.
  bool depthwise = false; ///< True if the columns also move the left operand.
};

/// Returns the columns of `product`, the multiply-add of `kernel`. `resultStrides` has the result's stride for each of
/// its loops. Columns lie one after another in the result. Returns `nullopt` if there is no such loop.
std::optional<ProductColumns> findProductColumns(plan::KernelOp kernel, const Work &product,
                                                 llvm::ArrayRef<int64_t> resultStrides);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_PRODUCTCOLUMNS_H
