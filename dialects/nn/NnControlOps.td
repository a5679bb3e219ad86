// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` with regions: which of two is computed, and how often one is, as a run decides; what is differentiated.
//
// Regions are not isolated: what they read of the values around them is captured by its name. What a region computes stays
// in it, but for what its terminator hands over. All types are static, and agree exactly.

#ifndef NACRE_DIALECTS_NN_NNCONTROLOPS
#define NACRE_DIALECTS_NN_NNCONTROLOPS

include "dialects/nn/NnOpBase.td"

def Nn_TripCount : ConfinedAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "number of turns">, [IntNonNegative]>;
def Nn_Trips : Type<0DTensorOf<[I64]>.predicate, "scalar of i64", "::mlir::RankedTensorType">,
               BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getIntegerType(64))">;

class Nn_ControlOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat(traits, [Nn_OperatorInterface, Nn_Boundary, Nn_FullWidth, Pure, SingleBlock])> {
  let hasRegionVerifier = 1;
}

def Nn_IfOp : Nn_ControlOp<"if"> {
  let summary = "The values of one of two regions";
  let description = [{
    Only the region that the condition, one element of any rank, chooses is computed. Both yield as many values as there are
    results, of their types, and have no arguments.

    Example:

    ```mlir
    %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
      %e = nn.unary exp %x : tensor<4xf32>
      nn.yield %e : tensor<4xf32>
    } else {
      nn.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition);
  let results = (outs Variadic<Nn_Tensor>:$values);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $then_region `else` $else_region
  }];
  let extraClassDeclaration = [{
    YieldOp getThenYield();
    YieldOp getElseYield();
  }];
}

def Nn_ForOp : Nn_ControlOp<"for", [AttrSizedOperandSegments]> {
  let summary = "Computes a region a number of times, each turn with what the one before it carried on";
  let description = [{
    There are `trip_count` turns, or `count`, one element, where it is given: at least 0 and at most `trip_count`. The body's
    arguments are the number of the turn, from 0 on; what is carried, at first the `initial` values, then what the turn before
    yielded; and of each `scanned` operand, whose axis 0 has `trip_count` rows, the turn's row, without that axis.

    `nn.yield` hands over what is carried on, and rows of stacks. Results are the carried values after the last
    turn, which are the initial ones where there is none, then the stacks, `[trip_count, ...]`: a row for each turn, and behind
    a `count` unspecified. Turn `t` reads and writes row `t`; with `reverse`, which goes without a `count`, row `trip_count - 1 - t`.

    Example:

    ```mlir
    %last, %all = nn.for 100 carried(%h0 : tensor<8xf32>) scanned(%xs : tensor<100x8xf32>) -> (tensor<8xf32>, tensor<100x8xf32>) {
    ^bb0(%turn: tensor<i64>, %h: tensor<8xf32>, %x: tensor<8xf32>):
      %sum = nn.binary add %h, %x : tensor<8xf32>, tensor<8xf32>
      nn.yield %sum : tensor<8xf32> stacked(%sum : tensor<8xf32>)
    }
    ```
  }];
  let arguments = (ins Nn_TripCount:$trip_count, Optional<Nn_IndexTensor>:$count, Variadic<Nn_Tensor>:$initial,
                       Variadic<Nn_Tensor>:$scanned, UnitAttr:$reverse);
  let results = (outs Variadic<Nn_Tensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $trip_count (`count` `(` $count^ `:` type($count) `)`)? (`carried` `(` $initial^ `:` type($initial) `)`)?
    (`scanned` `(` $scanned^ `:` type($scanned) `)`)? (`reverse` $reverse^)? (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarriedArguments() { return getBody().getArguments().slice(1, getInitial().size()); }
    ::mlir::Block::BlockArgListType getScannedArguments() { return getBody().getArguments().drop_front(1 + getInitial().size()); }
    ::mlir::ResultRange getFinals() { return getValues().take_front(getInitial().size()); }
    ::mlir::ResultRange getStacks() { return getValues().drop_front(getInitial().size()); }
    YieldOp getYield();
  }];
}

def Nn_WhileOp : Nn_ControlOp<"while"> {
  let summary = "Computes a region as long as a condition holds";
  let description = [{
    Before each turn the first region says by `nn.condition` whether there is one. Both regions have the number of the turn,
    from 0 on, and what is carried as arguments; the second is a body as `nn.for` has it. With a `bound` there are no more turns
    than that, and there may be stacks, `[bound, ...]`. Results are the carried values after the last turn, the stacks, and how many
    `trips` there were; what lies behind these in the stacks is unspecified.

    Example:

    ```mlir
    %last, %all, %trips = nn.while bound 64 carried(%x0 : tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
    ^bb0(%turn: tensor<i64>, %x: tensor<f32>):
      %less = nn.binary less %x, %limit : tensor<f32>, tensor<f32>
      nn.condition %less : tensor<i1>
    } do {
    ^bb0(%turn: tensor<i64>, %x: tensor<f32>):
      %twice = nn.binary add %x, %x : tensor<f32>, tensor<f32>
      nn.yield %twice : tensor<f32> stacked(%x : tensor<f32>)
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Nn_TripCount>:$bound, Variadic<Nn_Tensor>:$initial);
  let results = (outs Variadic<Nn_Tensor>:$values, Nn_Trips:$trips);
  let regions = (region SizedRegion<1>:$condition_region, SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`bound` $bound^)? (`carried` `(` $initial^ `:` type($initial) `)`)? (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $condition_region
    `do` $body
  }];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarriedArguments() { return getBody().getArguments().drop_front(1); }
    ::mlir::ResultRange getFinals() { return getValues().take_front(getInitial().size()); }
    ::mlir::ResultRange getStacks() { return getValues().drop_front(getInitial().size()); }
    ConditionOp getConditionOp();
    YieldOp getYield();
  }];
}

def Nn_GradientOp : Nn_ControlOp<"gradient"> {
  let summary = "The gradients of what a region computes, for its first arguments";
  let description = [{
    The region yields one tensor of floats, which it computes of the operands, its arguments. The results are the gradients of the
    sum of its elements, one for each of the first arguments, of their types. An importer writes it where a model asks for a
    gradient; the phase `train` writes the gradient in its place, and no phase behind that one meets it.

    Example:

    ```mlir
    %dx = nn.gradient of(%x, %z : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %y = nn.binary mul %a, %b : tensor<4xf32>, tensor<4xf32>
      nn.yield %y : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$point);
  let results = (outs Variadic<Nn_Tensor>:$gradients);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `of` `(` $point `:` type($point) `)` (`->` `(` type($gradients)^ `)`)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    YieldOp getYield();
  }];
}

def Nn_YieldOp : Op<Nn_Dialect, "yield", [Pure, Terminator, ParentOneOf<["IfOp", "ForOp", "WhileOp", "GradientOp"]>, AttrSizedOperandSegments]> {
  let summary = "What a region hands over: values, and rows of stacks";
  let description = [{
    Example:

    ```mlir
    %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
      nn.yield %a : tensor<4xf32>
    } else {
      nn.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$carried, Variadic<Nn_Tensor>:$stacked);
  let assemblyFormat = "($carried^ `:` type($carried))? (`stacked` `(` $stacked^ `:` type($stacked) `)`)? attr-dict";
}

def Nn_ConditionOp : Op<Nn_Dialect, "condition", [Pure, Terminator, HasParent<"WhileOp">]> {
  let summary = "Whether there is a turn: one element of any rank";
  let description = [{
    Example:

    ```mlir
    %trips = nn.while bound 10 {
    ^bb0(%turn: tensor<i64>):
      nn.condition %more : tensor<1xi1>
    } do {
    ^bb0(%turn: tensor<i64>):
      nn.yield
    }
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif // NACRE_DIALECTS_NN_NNCONTROLOPS
