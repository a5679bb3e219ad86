// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs that take the pixels of pictures (`--preprocess`). A camera or a decoder gives bytes, and apps convert them
// for a network. Kernels of the network do the same while they read the pixels. This works on the imported function of
// any format: the argument gets the type of pixels, and operators convert it to its old type.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/Pixels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Gives the arguments that `options` name the type uint8 of [batch x] height x width x bytes of a pixel. The values
/// equal those of nacre::PictureWriter (runtime/include/nacre/image.hpp): codes exactly, floats except for their last
/// bits. Reports an error that names the option if there is no such input, or if it is not a picture.
mlir::LogicalResult takePixels(mlir::func::FuncOp function, llvm::ArrayRef<PixelInput> options, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
