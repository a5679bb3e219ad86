// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `nn` dialect: what a network computes. Values are tensors of static shape; the operators of ONNX and TensorFlow
// are made uniform, and everything with a notion of "channel" keeps it last.

#ifndef NACRE_DIALECTS_NN_NNDIALECT
#define NACRE_DIALECTS_NN_NNDIALECT

include "dialects/nn/Functions.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::nacre::nn";
  let summary = "The operators of a network";
  let description = [{
    Operators have value semantics and static shapes. Channels are the last axis (`[batch, spatial..., channels]`); filters are
    `[spatial..., input channels per group, output channels]`. Signed integers are signless (`i8`), unsigned ones explicit
    (`ui8`), booleans `i1`. Shapes of elementwise operators broadcast as in NumPy.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Folds small constants (evaluate/Evaluate.cpp).
    void addFolding();
  }];
}

def Nn_Codes : AttrDef<Nn_Dialect, "Codes"> {
  let mnemonic = "codes";
  let summary = "The reals that integer codes stand for: (code - zero) * scale";
  let description = [{
    ```mlir
    #nn.codes<0.0078125, 128>
    ```
  }];
  let parameters = (ins APFloatParameter<"distance between reals of consecutive codes">:$scale, "int64_t":$zero);
  let hasCustomAssemblyFormat = 1;
}

def Nn_CodesArray : TypedArrayAttrBase<Nn_Codes, "array of codes">;

class Nn_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nacre::nn";
  let genSpecializedAttr = 0;
}

class Nn_EnumAttr<I32EnumAttr enum, string mnemonic> : EnumAttr<Nn_Dialect, enum, mnemonic>;

def Nn_UnaryKindEnum : Nn_Enum<"UnaryKind", "an elementwise function of one value", Nn_UnaryFunctions>;
def Nn_UnaryKind : Nn_EnumAttr<Nn_UnaryKindEnum, "unary_kind">;

def Nn_BinaryKindEnum : Nn_Enum<"BinaryKind", "an elementwise function of two values", Nn_BinaryFunctions>;
def Nn_BinaryKind : Nn_EnumAttr<Nn_BinaryKindEnum, "binary_kind">;

def Nn_ReduceKindEnum : Nn_Enum<"ReduceKind", "how values along the reduced axes combine", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">]>;
def Nn_ReduceKind : Nn_EnumAttr<Nn_ReduceKindEnum, "reduce_kind">;

def Nn_CumulateKindEnum : Nn_Enum<"CumulateKind", "how values along an axis accumulate", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">]>;
def Nn_CumulateKind : Nn_EnumAttr<Nn_CumulateKindEnum, "cumulate_kind">;

def Nn_ScatterKindEnum : Nn_Enum<"ScatterKind", "how an update changes an element", [
  I32EnumAttrCase<"Set", 0, "set">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">]>;
def Nn_ScatterKind : Nn_EnumAttr<Nn_ScatterKindEnum, "scatter_kind">;

def Nn_ArgKindEnum : Nn_Enum<"ArgKind", "which element's index is returned", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]>;
def Nn_ArgKind : Nn_EnumAttr<Nn_ArgKindEnum, "arg_kind">;

def Nn_PoolKindEnum : Nn_Enum<"PoolKind", "how the values of a window combine", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Average", 1, "average">]>;
def Nn_PoolKind : Nn_EnumAttr<Nn_PoolKindEnum, "pool_kind">;

def Nn_PadModeEnum : Nn_Enum<"PadMode", "what padding holds", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">,
  I32EnumAttrCase<"Symmetric", 4, "symmetric">]>;
def Nn_PadMode : Nn_EnumAttr<Nn_PadModeEnum, "pad_mode">;

def Nn_InterpolationEnum : Nn_Enum<"Interpolation", "how values between elements are computed", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">, I32EnumAttrCase<"Cubic", 2, "cubic">]>;
def Nn_Interpolation : Nn_EnumAttr<Nn_InterpolationEnum, "interpolation">;

def Nn_SamplePaddingEnum : Nn_Enum<"SamplePadding", "the values outside of an image", [
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Border", 1, "border">,
  I32EnumAttrCase<"Reflection", 2, "reflection">]>;
def Nn_SamplePadding : Nn_EnumAttr<Nn_SamplePaddingEnum, "sample_padding">;

def Nn_FixedPointRoundingEnum : Nn_Enum<"FixedPointRounding", "how a product with a fixed-point number is rounded", [
  I32EnumAttrCase<"Double", 0, "double">, I32EnumAttrCase<"Single", 1, "single">, I32EnumAttrCase<"Mult16", 2, "mult16">]>;
def Nn_FixedPointRounding : Nn_EnumAttr<Nn_FixedPointRoundingEnum, "fixed_point_rounding">;

def Nn_ScaleRoundingEnum : Nn_Enum<"ScaleRounding", "how a number is rounded to a power of two", [
  I32EnumAttrCase<"Up", 0, "up">, I32EnumAttrCase<"Down", 1, "down">, I32EnumAttrCase<"Nearest", 2, "nearest">]>;
def Nn_ScaleRounding : Nn_EnumAttr<Nn_ScaleRoundingEnum, "scale_rounding">;

def Nn_CellKindEnum : Nn_Enum<"CellKind", "the cell of a recurrent layer", [
  I32EnumAttrCase<"Lstm", 0, "lstm">, I32EnumAttrCase<"Gru", 1, "gru">, I32EnumAttrCase<"Rnn", 2, "rnn">]>;
def Nn_CellKind : Nn_EnumAttr<Nn_CellKindEnum, "cell_kind">;

#endif // NACRE_DIALECTS_NN_NNDIALECT
