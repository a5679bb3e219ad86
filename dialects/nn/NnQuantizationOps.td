// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of few bits and the reals that they stand for, (code - zero) * scale. Quantize and dequantize are whole until
// the graph phase has found what it can compute in integers; then nacre-expand-quantization spells them out, so that no
// later pass and no kernel knows them.

#ifndef NACRE_DIALECTS_NN_NNQUANTIZATIONOPS
#define NACRE_DIALECTS_NN_NNQUANTIZATIONOPS

include "dialects/nn/NnOpBase.td"

// Codes of reals, and what reals are quantized to.
def Nn_CodeTensor : StaticShapeTensorOf<[I<2>, I<4>, I8, I16, I32, I64, UI<2>, UI<4>, UI8, UI16, UI32, UI64, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
                                         F8E5M2FNUZ, F4E2M1FN]>;
def Nn_ShortCodeTensor : StaticShapeTensorOf<[I<2>, I<4>, I8, I16, UI<2>, UI<4>, UI8, UI16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ,
                                              F4E2M1FN]>;

// `scale` and `zero` are no part of a type: they are operands, each a scalar, or with one number for each index of
// `axis`, or for each `block` consecutive ones of it.
class Nn_CodingOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Nn_Elementwise, Nn_SameWidth, Nn_MovesAxes, Nn_Evaluated], traits)> {
  let hasGradient = 0;
  let isLowered = 0;
  let extraClassDeclaration = [{
    /// Returns whether all elements have one scale and one zero point.
    bool isPerTensor() { return getScale().getType().getRank() == 0 && getZero().getType().getRank() == 0; }
  }];
}

def Nn_QuantizeOp : Nn_CodingOp<"quantize"> {
  let summary = "The codes of reals: x / scale, rounded, plus the zero point";
  let description = [{
    The quotient is rounded to the type of `operand` and `scale`, and then to an integer, halves to even. `zero` is added in `f32`
    (in `f64` to `f64`), and the sum is clamped to the range of the zero point's type, which is the result's; NaN becomes 0. To 8- and
    4-bit floats, the quotient is not rounded to an integer, and the sum is converted as by `nn.cast`, with its `overflows`.

    `scale` and `zero` are scalars, or `[size of axis]`, or for a `block` above 0 have the operand's shape with one element for each
    `block` of `axis`; the last block may be shorter. `axis` is 0 if both are scalars.

    Example:

    ```mlir
    %y = nn.quantize %x, %scale, %zero {axis = 3} : tensor<1x8x8x16xf32>, tensor<16xf32>, tensor<i8>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$operand, Nn_FloatTensor:$scale, Nn_ShortCodeTensor:$zero,
                       DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$block, UnitAttr:$overflows);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand `,` $scale `,` $zero attr-dict `:` type($operand) `,` type($scale) `,` type($zero)";
}

def Nn_DequantizeOp : Nn_CodingOp<"dequantize"> {
  let summary = "The reals that codes stand for: (x - zero) * scale";
  let description = [{
    Computed in `f32` (in `f64` for a scale of `f64`) and rounded to the type of `scale`, which is the result's. `zero` has the
    type of the operand, or is a float. Shapes of `scale` and `zero` are as for `nn.quantize`.

    A dequantized constant is not folded if it has more than one element, because passes compute with its integers.

    Example:

    ```mlir
    %w = nn.dequantize %codes, %scale, %zero {axis = 1, block = 32} : tensor<8x64xi4>, tensor<8x2xf32>, tensor<i4>
    ```
  }];
  let arguments = (ins Nn_CodeTensor:$operand, Nn_FloatTensor:$scale, Nn_AnyTensor:$zero,
                       DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$block);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $scale `,` $zero attr-dict `:` type($operand) `,` type($scale) `,` type($zero)";
}

def Nn_RequantizeOp : Nn_Op<"requantize", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An integer times a fixed-point number, rounded in one of three exact ways";
  let description = [{
    x * multiplier / 2^31 * 2^shift in exact integer arithmetic (dialects/nn/FixedPoint.h), broadcast as in NumPy; the result
    is a wrapping i32. `double` rounds twice: x as i32, after a wrapping left shift, times the multiplier, rounding halves up
    and clamping to 2^31 - 1; then a right shift, rounding halves away from zero. `single` rounds once, halves up. `mult16` is
    like `single`, but first rounds the multiplier to 16 bits. Shifts are clamped to -31 to 30 (`mult16`: to 14).

    Example:

    ```mlir
    %y = nn.requantize double %sums by %multiplier shift %shift
        : tensor<1x8x8x16xi32>, tensor<16xi32>, tensor<16xi32>
    ```
  }];
  let hasGradient = 0;
  let isLowered = 0;
  let arguments = (ins Nn_FixedPointRounding:$rounding, Nn_IndexTensor:$operand, Nn_Int32Tensor:$multiplier,
                       Nn_Int32Tensor:$shift);
  let assemblyFormat = [{
    $rounding $operand `by` $multiplier `shift` $shift attr-dict `:` type($operand) `,` type($multiplier) `,` type($shift)
  }];
}

#endif // NACRE_DIALECTS_NN_NNQUANTIZATIONOPS
