// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of operators of `nn`: the types of their operands, and their base classes.

#ifndef NACRE_DIALECTS_NN_NNOPBASE
#define NACRE_DIALECTS_NN_NNOPBASE

include "dialects/nn/NnDialect.td"
include "dialects/nn/NnInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
// What is computed with; and all that can be stored, moved and converted: narrow types, too (NarrowTypes.h).
def Nn_Tensor : StaticShapeTensorOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Nn_AnyTensor : StaticShapeTensorOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, I<2>, I<4>, UI<2>, UI<4>, F8E4M3FN,
                                        F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN]>;
def Nn_FloatTensor : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def Nn_Int32Tensor : StaticShapeTensorOf<[I32]>;
def Nn_IndexTensor : StaticShapeTensorOf<[I32, I64]>;
def Nn_BoolTensor : StaticShapeTensorOf<[I1]>;

// An operator whose result types follow from its operands and attributes.
// Tables of the compiler in which an operator has a row. By default it has a function in each: a missing function
// does not link. Nn_ConstantOp, the last operator, makes the tables of all.
class Nn_Rows {
  bit hasGradient = 1;      // reverse<Name> in compiler/train/rules; else gradients end at it.
  bit isLowered = 1;        // lower<Name> in compiler/kernels/lowerings; else it is part of kernels, or expanded.
  int prologueOperand = -1; // The operand that its kernel may compute while it reads it.
  bit isInterpreted = 1;    // evaluate in compiler/evaluate; else it has regions, or ends one.
  bit keepsType = 0;        // The result has the type of `operand`, and `axis` is one of its axes.
}

class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic,
         !listconcat(traits, [Nn_OperatorInterface, Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>])>,
      Nn_Rows {
  let results = (outs Nn_Tensor:$result);
}

// An operator whose result type is part of what it says (reshape to, cast to).
class Nn_TypedOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat(traits, [Nn_OperatorInterface, Pure])>, Nn_Rows {
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

#endif // NACRE_DIALECTS_NN_NNOPBASE
