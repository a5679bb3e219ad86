// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `nn` dialect: what a network computes. Values are tensors of static shape; the operators of ONNX and TensorFlow
// are made uniform, and everything with a notion of "channel" keeps it last.

#ifndef NACRE_DIALECTS_NN_NNDIALECT
#define NACRE_DIALECTS_NN_NNDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::nacre::nn";
  let summary = "What a network computes";
  let description = [{
    Value semantics, static shapes, no layout but one: channels come last (`[batch, spatial..., channels]`), filters are
    `[spatial..., input channels per group, output channels]`. Signed integers are signless (`i8`), unsigned ones say so
    (`ui8`), booleans are `i1`. Shapes of elementwise operators broadcast as in NumPy.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Nn_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nacre::nn";
  let genSpecializedAttr = 0;
}

class Nn_EnumAttr<I32EnumAttr enum, string mnemonic> : EnumAttr<Nn_Dialect, enum, mnemonic>;

def Nn_UnaryKindEnum : Nn_Enum<"UnaryKind", "an elementwise function of one value", [
  I32EnumAttrCase<"Abs", 0, "abs">, I32EnumAttrCase<"Neg", 1, "neg">, I32EnumAttrCase<"Exp", 2, "exp">,
  I32EnumAttrCase<"Log", 3, "log">, I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Reciprocal", 5, "reciprocal">,
  I32EnumAttrCase<"Floor", 6, "floor">, I32EnumAttrCase<"Ceil", 7, "ceil">, I32EnumAttrCase<"Round", 8, "round">,
  I32EnumAttrCase<"Sign", 9, "sign">, I32EnumAttrCase<"Relu", 10, "relu">, I32EnumAttrCase<"Sigmoid", 11, "sigmoid">,
  I32EnumAttrCase<"Tanh", 12, "tanh">, I32EnumAttrCase<"Erf", 13, "erf">, I32EnumAttrCase<"Sin", 14, "sin">,
  I32EnumAttrCase<"Cos", 15, "cos">, I32EnumAttrCase<"Tan", 16, "tan">, I32EnumAttrCase<"Asin", 17, "asin">,
  I32EnumAttrCase<"Acos", 18, "acos">, I32EnumAttrCase<"Atan", 19, "atan">, I32EnumAttrCase<"Sinh", 20, "sinh">,
  I32EnumAttrCase<"Cosh", 21, "cosh">, I32EnumAttrCase<"Asinh", 22, "asinh">, I32EnumAttrCase<"Acosh", 23, "acosh">,
  I32EnumAttrCase<"Atanh", 24, "atanh">, I32EnumAttrCase<"Not", 25, "not">, I32EnumAttrCase<"BitNot", 26, "bit_not">,
  I32EnumAttrCase<"Softplus", 27, "softplus">, I32EnumAttrCase<"IsNaN", 28, "is_nan">,
  I32EnumAttrCase<"IsInf", 29, "is_inf">, I32EnumAttrCase<"LeakyRelu", 30, "leaky_relu">,
  I32EnumAttrCase<"Elu", 31, "elu">, I32EnumAttrCase<"Gelu", 32, "gelu">]>;
def Nn_UnaryKind : Nn_EnumAttr<Nn_UnaryKindEnum, "unary_kind">;

def Nn_BinaryKindEnum : Nn_Enum<"BinaryKind", "an elementwise function of two values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Div", 3, "div">, I32EnumAttrCase<"Mod", 4, "mod">, I32EnumAttrCase<"Fmod", 5, "fmod">,
  I32EnumAttrCase<"Pow", 6, "pow">, I32EnumAttrCase<"Min", 7, "min">, I32EnumAttrCase<"Max", 8, "max">,
  I32EnumAttrCase<"And", 9, "and">, I32EnumAttrCase<"Or", 10, "or">, I32EnumAttrCase<"Xor", 11, "xor">,
  I32EnumAttrCase<"ShiftLeft", 12, "shift_left">, I32EnumAttrCase<"ShiftRight", 13, "shift_right">,
  I32EnumAttrCase<"Equal", 14, "equal">, I32EnumAttrCase<"Less", 15, "less">,
  I32EnumAttrCase<"LessEqual", 16, "less_equal">, I32EnumAttrCase<"Greater", 17, "greater">,
  I32EnumAttrCase<"GreaterEqual", 18, "greater_equal">]>;
def Nn_BinaryKind : Nn_EnumAttr<Nn_BinaryKindEnum, "binary_kind">;

def Nn_ReduceKindEnum : Nn_Enum<"ReduceKind", "how values along the reduced axes combine", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">]>;
def Nn_ReduceKind : Nn_EnumAttr<Nn_ReduceKindEnum, "reduce_kind">;

def Nn_ArgKindEnum : Nn_Enum<"ArgKind", "which element's index is taken", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]>;
def Nn_ArgKind : Nn_EnumAttr<Nn_ArgKindEnum, "arg_kind">;

def Nn_PoolKindEnum : Nn_Enum<"PoolKind", "how the values of a window combine", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Average", 1, "average">]>;
def Nn_PoolKind : Nn_EnumAttr<Nn_PoolKindEnum, "pool_kind">;

def Nn_PadModeEnum : Nn_Enum<"PadMode", "what padding holds", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]>;
def Nn_PadMode : Nn_EnumAttr<Nn_PadModeEnum, "pad_mode">;

def Nn_ResizeKindEnum : Nn_Enum<"ResizeKind", "how a resized value is interpolated", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">]>;
def Nn_ResizeKind : Nn_EnumAttr<Nn_ResizeKindEnum, "resize_kind">;

def Nn_CoordinatesEnum : Nn_Enum<"Coordinates", "the input coordinate of an output index (ONNX Resize)", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">, I32EnumAttrCase<"PytorchHalfPixel", 1, "pytorch_half_pixel">,
  I32EnumAttrCase<"Asymmetric", 2, "asymmetric">, I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
  I32EnumAttrCase<"TfHalfPixelForNearest", 4, "tf_half_pixel_for_nn">]>;
def Nn_Coordinates : Nn_EnumAttr<Nn_CoordinatesEnum, "coordinates">;

def Nn_RoundingEnum : Nn_Enum<"Rounding", "how a coordinate becomes an index", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">, I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]>;
def Nn_Rounding : Nn_EnumAttr<Nn_RoundingEnum, "rounding">;

def Nn_CellKindEnum : Nn_Enum<"CellKind", "the cell of a recurrent layer", [
  I32EnumAttrCase<"Lstm", 0, "lstm">, I32EnumAttrCase<"Gru", 1, "gru">, I32EnumAttrCase<"Rnn", 2, "rnn">]>;
def Nn_CellKind : Nn_EnumAttr<Nn_CellKindEnum, "cell_kind">;

#endif // NACRE_DIALECTS_NN_NNDIALECT
