// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inputs that take the pixels of pictures (`--preprocess`).
// Why:   a camera or a decoder gives bytes. What an app does to them for a network, kernels of the network do while
//        they read them.
// How:   on the imported function, whatever the format was: the argument gets the pixels' type, and operators make of
//        it what it was.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/Pixels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Gives the arguments that `options` name the type uint8 of [batch x] height x width x bytes of a pixel. The values
/// are those of nacre::PictureWriter (runtime/include/nacre/image.hpp): codes bit by bit, floats but for their last
/// bits. Fails after an error that names the option: there is no such input, or it is no picture.
mlir::LogicalResult takePixels(mlir::func::FuncOp function, llvm::ArrayRef<PixelInput> options, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_PIXELINPUTS_H
