// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs that take the pixels of pictures (`--preprocess`). A camera or a decoder delivers bytes, and apps must convert
// them for a network. Here, the kernels of the network convert the pixels as they read them. This works on the imported
// function of any format. The argument gets the type of pixels, and operators convert it to the old type.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/Pixels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Changes the arguments that `options` name to uint8 of [batch x] height x width x bytes of a pixel. Their values are
/// then those of nacre::PictureWriter (runtime/include/nacre/image.hpp): exactly for codes, and except for the last
/// bits for floats. Reports an error that names the option if there is no such input, or if it is not a picture.
mlir::LogicalResult takePixels(mlir::func::FuncOp function, llvm::ArrayRef<PixelInput> options, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
