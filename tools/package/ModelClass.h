// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the class that stands for an entry of a model in an app: inputs and outputs as methods of their names.
// Why:  a name that is spelt wrongly, or is no longer there, is then an error of the app's compiler.
//
//   public final class Mobilenet extends dev.nacre.CompiledModel {
//     public static final String INPUT_IMAGE = "image", OUTPUT_PROBABILITIES = "probabilities";
//     public Mobilenet();                       // the library is opened, and closed with this
//     public Mobilenet(SessionOptions options);
//     public Mobilenet(Model model, SessionOptions options);
//     public FloatBuffer inputImage();          // IntBuffer, LongBuffer, ... or ByteBuffer, as the elements are
//     public FloatBuffer outputProbabilities();
//   }

#ifndef NACRE_TOOLS_PACKAGE_MODELCLASS_H
#define NACRE_TOOLS_PACKAGE_MODELCLASS_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

/// The bytes of the class `className`, as dev/nacre/model/Mobilenet. `library` is what Model.load takes.
std::string writeModelClass(llvm::StringRef className, llvm::StringRef library, const ModelFile &model,
                            const EntryOfFile &entry);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELCLASS_H
