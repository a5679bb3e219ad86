// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` that add up products: matrix products, attention, convolutions and recurrent layers.

#ifndef NACRE_DIALECTS_NN_NNCONTRACTIONOPS
#define NACRE_DIALECTS_NN_NNCONTRACTIONOPS

include "dialects/nn/NnOpBase.td"

def Nn_MatMulOp : Nn_Op<"matmul", [Nn_Contraction, Nn_StatesAxes, Nn_EvaluatedInFull]> {
  let summary = "Matrix product of the last two axes, leading axes broadcast";
  let description = [{
    `[..., M, K] x [..., K, N]`, both of rank 2 at least. Operands have one element type, which the result has too; but integers
    of 8 and 16 bits may differ in width and sign, and are added up in i32, or in i64 where one has 16 bits.

    Example:

    ```mlir
    %y = nn.matmul %x, %weights : tensor<2x5x8xf32>, tensor<8x16xf32>     // tensor<2x5x16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let extraClassDeclaration = [{
    Width getWidth();
    int64_t countReducedElements();
  }];
}

def Nn_AttentionOp : Nn_Op<"attention", [Nn_Attention, Nn_StatesAxes, AttrSizedOperandSegments]> {
  let summary = "softmax(scale * queries keys + mask) values, the softmax along the keys";
  let description = [{
    `[..., M, D] x [..., D, N]` are the scores, of f32 unless the operands are f64, which `[..., N, E]` are weighted by. Leading axes
    broadcast as a product's, so that heads may share keys. All float operands have one element type. A score is computed in this order:

    1. The product of a query and a key times `scale`.
    2. With `softcap` c: `c * tanh(score / c)`.
    3. Plus `mask`, which broadcasts to the scores.
    4. With `before` or `behind`: -inf unless the query sees the key. Query i is at position i + `offset` among the keys. It sees at most
       `before` keys before that position, the key at it, and at most `behind` keys after it. A bound that is left out is no limit, so
       only `behind = 0` is causal attention. `offset` is i32 and broadcasts to `[..., M, 1]`; without it, it is 0.

    `sink`, which broadcasts to `[..., M, 1]`, is the score of one more key, whose value is 0. A row whose scores, the sink included, are
    all -inf gives NaN, or 0 with `hides_rows`.

    Queries, keys and values may be codes of 8 bits. Then `codes` says what queries, keys, weights and values stand for, in this order: with
    `#nn.codes<scale, zero>`, a code stands for (code - zero) * scale. The zero point may be out of the type's range. Each product is of codes less
    their zero points, with sums of i32. The sums of the first, times the scales of queries and keys, are scores of f32, as is the mask. Weights are
    quantized to codes of the queries' type. The sums of the second product are the result, without the scales of weights and values. Codes
    have no bounds, sink or softcap.

    Importers write it where only its result is needed, `nacre-fuse-attention` makes it of its pieces, and `nacre-recognize-quantized` of pieces
    between dequantizations and quantizations. `nacre-expand-attention` spells it out where no kernel can compute it, and for gradients.

    Example:

    ```mlir
    %y = nn.attention %queries, %keys, %values mask %mask {scale = 0.125}
        : tensor<8x10x64xf32>, tensor<8x64x12xf32>, tensor<8x12x32xf32>, tensor<10x12xf32>
    %causal = nn.attention %queries, %keys, %values sink %sink offset %past {behind = 0, scale = 0.125, softcap = 30.0}
        : tensor<8x10x64xf32>, tensor<8x64x12xf32>, tensor<8x12x32xf32>, tensor<8x1x1xf32>, tensor<i32>
    %z = nn.attention %a, %b, %c
        {codes = [#nn.codes<0.02, 128>, #nn.codes<0.03, 1>, #nn.codes<0.0039, 0>, #nn.codes<0.01, 3>], scale = 0.125}
        : tensor<8x10x64xui8>, tensor<8x64x12xi8>, tensor<8x12x32xi8>                          // tensor<8x10x32xi32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$queries, Nn_Tensor:$keys, Nn_Tensor:$values, Optional<Nn_FloatTensor>:$mask,
                       Optional<Nn_FloatTensor>:$sink, Optional<Nn_Tensor>:$offset, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap, OptionalAttr<I64Attr>:$before, OptionalAttr<I64Attr>:$behind,
                       UnitAttr:$hides_rows, OptionalAttr<Nn_CodesArray>:$codes);
  let assemblyFormat = [{
    $queries `,` $keys `,` $values (`mask` $mask^)? (`sink` $sink^)? (`offset` $offset^)? attr-dict `:` type(operands)
  }];
  let extraClassDeclaration = [{
    /// True if queries, keys and values are codes.
    bool isOfCodes() { return getCodes().has_value(); }
    /// Tensors of codes, in the order of `codes`.
    enum Part : unsigned { Queries, Keys, Weights, Values };
    CodesAttr getCodesOf(Part part);
    /// Returns the factor by which sums of the first product become scores. For codes, it is rounded to f32 as in ONNX
    /// Runtime.
    double getScoreFactor();
    Width getWidth();
    /// True if positions decide which keys a query sees.
    bool isBounded() { return getBefore().has_value() || getBehind().has_value(); }
  }];
}

def Nn_ConvOp : Nn_Op<"conv", [Nn_Contraction, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "Convolution with 1 to 3 spatial axes, groups, strides, dilations and padding";
  let description = [{
    Input `[N, spatial..., C]`, filter `[spatial..., C / groups, OC]`, result `[N, spatial..., OC]`. `pads` holds the low
    pads of all spatial axes, then the high ones. Output channel `o` belongs to group `o / (OC / groups)`. Element types as in
    `nn.matmul`. Padding holds `pad_value`, which is 0 for floats: of integers that stand for reals, the one that stands for 0.

    Example:

    ```mlir
    %y = nn.conv %x, %filter {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
        dilations = array<i64: 1, 1>, groups = 1} : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>     // tensor<1x4x4x16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$filter, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups, DefaultValuedAttr<I64Attr, "0">:$pad_value);
  let assemblyFormat = "$input `,` $filter attr-dict `:` type($input) `,` type($filter)";
}

def Nn_ConvTransposeOp : Nn_Op<"conv_transpose", [Nn_Contraction, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "Transposed convolution with 1 to 3 spatial axes, groups, strides, dilations and pads";
  let description = [{
    Input, filter and result are as `nn.conv` has them. Element `i` of the input times element `f` of the filter is added to
    element `i * stride + f * dilation - pad` of the result, `pad` the low one, which thus has `(input - 1) * stride + (kernel -
    1) * dilation + 1` elements except those that the low and high pads remove. Pads below zero add elements.
    An element that no product is added to is 0, but may be NaN where the input or the filter is not finite.

    Example:

    ```mlir
    %y = nn.conv_transpose %x, %filter {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, groups = 1} : tensor<1x4x4x16xf32>, tensor<2x2x16x3xf32>     // tensor<1x8x8x3xf32>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let assemblyFormat = "$input `,` $filter attr-dict `:` type($input) `,` type($filter)";
}

def Nn_FilterGradientOp : Nn_Op<"filter_gradient", [Nn_Contraction, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "The gradient of the filter of a convolution without pads and groups";
  let description = [{
    Input `[N, spatial..., C]` as the convolution read it, gradient `[N, positions..., OC]` of its result. Result `[kernel..., C, OC]`:
    for tap `f` the sum over all images and positions `o` of element `o * stride + f * dilation` of the input times the gradient.

    With `parts` `[P, Q]` the result is `[P, Q, kernel..., C, OC]`, one sum for each of P equal groups of images and Q equal groups of rows
    (indices of the first spatial axis of the gradient). Their sum is the gradient.

    Example:

    ```mlir
    %df = nn.filter_gradient %x, %dy {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>,
        dilations = array<i64: 1, 1>} : tensor<1x8x8x3xf32>, tensor<1x6x6x16xf32>     // tensor<3x3x3x16xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$gradient, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$parts);
  let assemblyFormat = "$input `,` $gradient attr-dict `:` type($input) `,` type($gradient)";
}

def Nn_RecurrentOp : Op<Nn_Dialect, "recurrent", [Nn_Boundary, Nn_FullWidth, Nn_StatesAxes, Nn_OperatorInterface, Pure,
                                                  AttrSizedOperandSegments,
                                                  DeclareOpInterfaceMethods<InferTypeOpInterface>]>, Nn_Rows {
  let summary = "One direction of an LSTM, GRU or RNN layer";
  let description = [{
    `input` is `[T, B, I]`, `weights` `[I, G*H]`, `recurrence` `[H, G*H]`, `bias` (of both, summed where that is the same)
    `[2, G*H]`: row 0 is added to the input's product, row 1 to the recurrence's. Gates in ONNX's order: LSTM i o f c, GRU
    z r h, RNN one. `peepholes` `[3, H]` (i o f). Results: all hidden states `[T, B, H]`, the last hidden state and the last cell `[B, H]`
    (the cell result has the hidden state's shape and is meaningful only for LSTM). `lengths` `[B]` stops a batch row early.
    `reverse` processes time backwards. `activations` are unary kinds, in ONNX's order of the cell. `clip` 0 disables clipping.

    Example:

    ```mlir
    %all, %last, %cell = nn.recurrent lstm %x, %weights, %recurrence bias(%bias : tensor<2x16xf32>)
        {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
        : tensor<10x1x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>
    ```
  }];
  let isLowered = 0;
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

#endif // NACRE_DIALECTS_NN_NNCONTRACTIONOPS
