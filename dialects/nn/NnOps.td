// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn`. Every operator infers its result types (InferTypes.cpp, from the pure rules in ShapeRules.h),
// so an importer never computes a shape; states its facts (NnInterfaces.td), so that no pass lists operators; and folds
// when all its operands are small constants, if it says how it is evaluated. What an operator gives for a number it gives
// on every machine, folded or compiled (ScalarFunctions.h), but for two freedoms: the sign of a zero, and floats too small
// to be normal, which may be taken, and left, as zeros.

#ifndef NACRE_DIALECTS_NN_NNOPS
#define NACRE_DIALECTS_NN_NNOPS

include "dialects/nn/NnControlOps.td"
include "dialects/nn/NnMovementOps.td"
include "dialects/nn/NnScatterOps.td"
include "dialects/nn/NnSelectionOps.td"

def Nn_ConstantOp : Nn_Op<"constant", [ConstantLike, Nn_Boundary, Nn_FreeWidth]> {
  let summary = "A tensor known when the model is compiled";
  let description = [{
    Weights of the model are `dense_resource` views of the mapped file; splats stay splats. Signed integers are signless.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

def Nn_UnaryOp : Nn_Op<"unary", [Nn_Elementwise, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An elementwise function of one tensor";
  let description = [{
    `alpha` is the slope of `leaky_relu` (x < 0 ? alpha*x : x) and the scale of `elu`. `round` rounds halves to even,
    `gelu` is the exact form x/2 * (1 + erf(x/sqrt 2)), `is_nan` and `is_inf` give `i1`.
  }];
  let arguments = (ins Nn_UnaryKind:$kind, Nn_Tensor:$operand, DefaultValuedAttr<F64Attr, "0.0">:$alpha);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{Width getWidth();}];
  let extraClassDefinition =
    !foldl("const UnaryFacts &getFacts(UnaryKind kind) {\nstatic const UnaryFacts rows[] = {\n", Nn_UnaryFunctions, text,
           function, text # function.row) # "};\nreturn rows[unsigned(kind)];\n}";
}

def Nn_BinaryOp : Nn_Op<"binary", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An elementwise function of two tensors, broadcast as in NumPy";
  let description = [{
    Both operands have the same element type (`pow` excepted: the result has the base's). Comparisons give `i1`; `and`,
    `or`, `xor` are bitwise. Integers wrap. Integer `div` truncates; `mod` has the sign of the divisor, `fmod` of the dividend;
    by 0 all three give 0. A shift by the width or more, read as unsigned, leaves 0, and -1 of a negative number to the right.
    Integers to a negative power are 0 but for 1 and -1. `min` and `max` propagate NaN. A constant power of 1/2 or 3/4, or
    of their negatives, is a root, so of -inf NaN.
  }];
  let arguments = (ins Nn_BinaryKind:$kind, Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasFolder = 1;
  let extraClassDefinition =
    !foldl("const BinaryFacts &getFacts(BinaryKind kind) {\nstatic const BinaryFacts rows[] = {\n", Nn_BinaryFunctions, text,
           function, text # function.row) # "};\nreturn rows[unsigned(kind)];\n}";
}

def Nn_SelectOp : Nn_Op<"select", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Elementwise choice, broadcast as in NumPy";
  let arguments = (ins Nn_BoolTensor:$condition, Nn_Tensor:$on_true, Nn_Tensor:$on_false);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true) `,` type($on_false)";
  let hasFolder = 1;
}

def Nn_CastOp : Nn_TypedOp<"cast", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Conversion to another element type";
  let description = [{
    To `i1`, anything but zero is true, NaN too. Floats to integers truncate; what is beyond the range becomes its end, NaN
    becomes 0. Integers to narrower ones wrap. To floats, values are rounded once, to nearest even; but integers become
    `f16`, `bf16` and narrow floats through `f32`.

    To floats of 8 bits, what is beyond the greatest number, infinity too, becomes it; with `overflows` it becomes infinity,
    or NaN where the type has none. `f4E2M1FN` always saturates, and NaN becomes -0. `rounding` says which power of two a
    number becomes in `f8E8M0FNU`; what is below the smallest becomes it, or NaN with `overflows`. Floats to integers of 4
    and 2 bits are rounded to nearest even and wrap, as ONNX says.
  }];
  let arguments = (ins Nn_AnyTensor:$operand, UnitAttr:$overflows,
                       DefaultValuedAttr<Nn_ScaleRounding, "ScaleRounding::Up">:$rounding);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_RequantizeOp : Nn_Op<"requantize", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An integer times a fixed-point number, rounded in one of three exact ways";
  let description = [{
    x * multiplier / 2^31 * 2^shift in integers alone, to the bit (dialects/nn/FixedPoint.h), broadcast as in NumPy; the result
    is i32, where it wraps. `double` rounds twice: x as i32, behind a shift to the left that wraps, times the multiplier, halves
    up and at most 2^31 - 1; then the shift to the right, halves away from zero. `single` rounds once, halves up; `mult16` too,
    with the multiplier rounded to 16 bits first. A shift beyond what these have bits for (-31 to 30, `mult16` to 14) is its end.
  }];
  let arguments = (ins Nn_FixedPointRounding:$rounding, Nn_IndexTensor:$operand, Nn_Int32Tensor:$multiplier,
                       Nn_Int32Tensor:$shift);
  let assemblyFormat = [{
    $rounding $operand `by` $multiplier `shift` $shift attr-dict `:` type($operand) `,` type($multiplier) `,` type($shift)
  }];
}

def Nn_BitcastOp : Nn_TypedOp<"bitcast", [Nn_FullWidth, Nn_MovesAxes, Nn_EvaluatedInFull]> {
  let summary = "The same bits as elements of another type";
  let description = [{
    Elements of as many bits keep the shape. Of narrower ones several come from one element, and a last axis is new that counts
    them, from the lowest bits on; to wider ones the last axis is joined, and goes. No booleans.
  }];
  let arguments = (ins Nn_AnyTensor:$operand);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    bool keepsSplats() { return keepsShape(); }
    /// Whether elements have as many bits as before.
    bool keepsShape() { return getOperand().getType().getRank() == getType().getRank(); }
  }];
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def Nn_MatMulOp : Nn_Op<"matmul", [Nn_Contraction, Nn_EvaluatedInFull]> {
  let summary = "Matrix product of the last two axes, leading axes broadcast";
  let description = [{
    `[..., M, K] x [..., K, N]`, both of rank 2 at least. Operands have one element type, which the result has too; but integers
    of 8 and 16 bits may differ in width and sign, and are added up in i32, or in i64 where one has 16 bits.
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let extraClassDeclaration = [{
    Width getWidth();
    int64_t countReducedElements();
  }];
}

def Nn_AttentionOp : Nn_Op<"attention", [Nn_Attention, Nn_FreeWidth]> {
  let summary = "softmax(scale * queries keys + mask) values, the softmax along the keys";
  let description = [{
    `[..., M, D] x [..., D, N]` are the scores, of f32 whatever the operands are, to which the mask broadcasts, and which `[..., N, E]` are
    weighted by. Leading axes broadcast as a product's, so that heads may share keys. All operands have one element type.

    Made of its pieces (`nacre-fuse-attention`), so it has no gradient and no layouts of its own.
  }];
  let arguments = (ins Nn_FloatTensor:$queries, Nn_FloatTensor:$keys, Nn_FloatTensor:$values, Optional<Nn_FloatTensor>:$mask,
                       F64Attr:$scale);
  let assemblyFormat = "$queries `,` $keys `,` $values (`mask` $mask^)? attr-dict `:` type(operands)";
}

def Nn_ConvOp : Nn_Op<"conv", [Nn_Contraction, Nn_FreeWidth]> {
  let summary = "Convolution with 1 to 3 spatial axes, groups, strides, dilations and padding";
  let description = [{
    Input `[N, spatial..., C]`, filter `[spatial..., C / groups, OC]`, result `[N, spatial..., OC]`. `pads` holds the low
    pads of all spatial axes, then the high ones. Output channel `o` belongs to group `o / (OC / groups)`. Element types as in
    `nn.matmul`. Padding holds `pad_value`, which is 0 for floats: of integers that stand for reals, the one that stands for 0.
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$filter, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups, DefaultValuedAttr<I64Attr, "0">:$pad_value);
  let assemblyFormat = "$input `,` $filter attr-dict `:` type($input) `,` type($filter)";
}

def Nn_ConvTransposeOp : Nn_Op<"conv_transpose", [Nn_Contraction, Nn_FreeWidth]> {
  let summary = "Transposed convolution with 1 to 3 spatial axes, groups, strides, dilations and pads";
  let description = [{
    Input, filter and result are as `nn.conv` has them. Element `i` of the input times element `f` of the filter is added to
    element `i * stride + f * dilation - pad` of the result, `pad` the low one, which thus has `(input - 1) * stride + (kernel -
    1) * dilation + 1` elements but for those that the low and the high pads cut off. Pads below zero add elements.
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let assemblyFormat = "$input `,` $filter attr-dict `:` type($input) `,` type($filter)";
}

def Nn_FilterGradientOp : Nn_Op<"filter_gradient", [Nn_Contraction, Nn_FreeWidth]> {
  let summary = "The gradient of the filter of a convolution without pads and groups";
  let description = [{
    Input `[N, spatial..., C]` as the convolution read it, gradient `[N, positions..., OC]` of what it made. Result `[kernel..., C, OC]`:
    for tap `f` the sum over all images and positions `o` of element `o * stride + f * dilation` of the input times the gradient.
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$gradient, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let assemblyFormat = "$input `,` $gradient attr-dict `:` type($input) `,` type($gradient)";
}

def Nn_RecurrentOp : Op<Nn_Dialect, "recurrent", [Nn_Boundary, Nn_FullWidth, Nn_OperatorInterface, Pure,
                                                  AttrSizedOperandSegments,
                                                  DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "One direction of an LSTM, GRU or RNN layer";
  let description = [{
    `input` is `[T, B, I]`, `weights` `[I, G*H]`, `recurrence` `[H, G*H]`, `bias` (of both, summed where that is the same)
    `[2, G*H]`: row 0 is added to the input's product, row 1 to the recurrence's. Gates in ONNX's order: LSTM i o f c, GRU
    z r h, RNN one. `peepholes` `[3, H]` (i o f). Results: all hidden states `[T, B, H]`, the last hidden state and the last cell `[B, H]`
    (the cell result equals the hidden state's shape and is meaningful for LSTM alone). `lengths` `[B]` stops a batch row early.
    `reverse` walks time backwards. `activations` are unary kinds, in ONNX's order of the cell. `clip` 0 is none.
  }];
  let arguments = (ins Nn_CellKind:$kind, Nn_FloatTensor:$input, Nn_FloatTensor:$weights, Nn_FloatTensor:$recurrence,
                       Optional<Nn_FloatTensor>:$bias, Optional<Nn_IndexTensor>:$lengths,
                       Optional<Nn_FloatTensor>:$initial_h, Optional<Nn_FloatTensor>:$initial_c,
                       Optional<Nn_FloatTensor>:$peepholes,
                       UnitAttr:$reverse, UnitAttr:$linear_before_reset, UnitAttr:$input_forget,
                       DefaultValuedAttr<F64Attr, "0.0">:$clip, TypedArrayAttrBase<Nn_UnaryKind, "activations">:$activations);
  let results = (outs Nn_FloatTensor:$all_h, Nn_FloatTensor:$last_h, Nn_FloatTensor:$last_c);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $input `,` $weights `,` $recurrence (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)? (`initial_h` `(` $initial_h^ `:` type($initial_h) `)`)?
    (`initial_c` `(` $initial_c^ `:` type($initial_c) `)`)? (`peepholes` `(` $peepholes^ `:` type($peepholes) `)`)?
    attr-dict `:` type($input) `,` type($weights) `,` type($recurrence)
  }];
}

//===----------------------------------------------------------------------===//
// Windows, reductions, normalizations
//===----------------------------------------------------------------------===//

def Nn_PoolOp : Nn_Op<"pool", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "Maximum or average over a sliding window of the spatial axes";
  let description = [{
    Input `[N, spatial..., C]`. `pads` as in `nn.conv`. `overhang` (one per spatial axis) are further cells at the high
    end, which rounding the output size up asks for: an average never counts them. An average counts `pads` only with
    `count_padding`.
  }];
  let arguments = (ins Nn_PoolKind:$kind, Nn_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$overhang, UnitAttr:$count_padding);
  let assemblyFormat = "$kind $input attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Nn_PoolCodeOp : Nn_Op<"pool_code", [Nn_Nest, Nn_SameWidth]> {
  let summary = "Which cell of its window each maximum is";
  let description = [{
    Of `input` and the maxima that `nn.pool` gives of it with these attributes: the number, in row-major order and at most 253, of the
    first cell of the window that equals the maximum; 255 (ui8) where none does, as of NaN. A byte of what training must know of a
    pool's input.
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$maxima, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$overhang);
  let assemblyFormat = "$input `,` $maxima attr-dict `:` type($input) `,` type($maxima)";
}

def Nn_UnpoolOp : Nn_Op<"unpool", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "The sum of windows, each in the cell that its code names: the adjoint of a maximum over windows";
  let description = [{
    Operands `[N, windows..., C]`, codes as of `nn.pool_code`. The result has two axes for each spatial one, `[N, (steps, stride)..., C]`:
    element `(q, r)` is cell `q * stride + r` of the first window's first cell on, and there are as many as windows reach. What a
    reshape makes of it is the pool's padded input.
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_Tensor:$code, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let assemblyFormat = "$operand `,` $code attr-dict `:` type($operand) `,` type($code)";
}

def Nn_ReduceOp : Nn_Op<"reduce", [Nn_Nest, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing, Nn_PassesCounts]> {
  let summary = "Reduction along axes";
  let description = [{
    `axes` are sorted and non-negative; no axes means the identity. Other reductions are compositions. Integers are added up
    in their own type, where they wrap, and a mean truncates. Of nothing, a sum is 0, a product 1, a maximum the least number
    of the type and a minimum the greatest (infinities for floats), a mean NaN, or 0 for integers.
  }];
  let arguments = (ins Nn_ReduceKind:$kind, Nn_Tensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce", [Nn_Scan, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing, Nn_PassesCounts]> {
  let summary = "Index (i64) of the largest or smallest element along an axis";
  let description = [{
    NaN is never chosen. If no element is better than -inf (+inf for min), the index is 0, or that of the last such element with
    `select_last`.
  }];
  let arguments = (ins Nn_ArgKind:$kind, Nn_Tensor:$operand, I64Attr:$axis, UnitAttr:$keep_dims, UnitAttr:$select_last);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
}

def Nn_SoftmaxOp : Nn_Op<"softmax", [Nn_Row, Nn_BoundedWidth, Nn_KeepsAxes, Nn_EvaluatedByReducing]> {
  let summary = "exp(x - max) / sum along one axis, or its logarithm";
  let arguments = (ins Nn_FloatTensor:$operand, I64Attr:$axis, UnitAttr:$log);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_NormalizeOp : Nn_Op<"normalize", [Nn_Row, Nn_BoundedWidth, Nn_KeepsAxes]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) over the given axes";
  let description = [{Layer, instance and group normalization, without scale and shift.}];
  let arguments = (ins Nn_FloatTensor:$operand, DenseI64ArrayAttr:$axes, F64Attr:$epsilon);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_LrnOp : Nn_Op<"lrn", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "Local response normalization across channels (the last axis)";
  let description = [{
    x / (bias + alpha/size * sum of squares)^beta, the sum over channels `c - (size-1)/2` to `c + size/2`, clipped
    (Krizhevsky et al. 2012; ONNX LRN).
  }];
  let arguments = (ins Nn_FloatTensor:$operand, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

#endif // NACRE_DIALECTS_NN_NNOPS
