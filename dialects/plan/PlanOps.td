// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of `plan`. docs/phases/kernels.md describes the bodies of kernels.

#ifndef NACRE_DIALECTS_PLAN_PLANOPS
#define NACRE_DIALECTS_PLAN_PLANOPS

include "dialects/plan/PlanDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Value : AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>;

def Plan_WeightOp : Plan_Op<"weight", [Symbol]> {
  let summary = "A constant of the model that kernels read";
  let description = [{
    `value` is a splat or a resource until the package phase packs it according to `encoding`. Launches may share a weight;
    it has one encoding.

    ```mlir
    plan.weight @conv1_w = dense_resource<w> : tensor<3x3x64x64xf32> {encoding = #plan.encoding<panel, width = 16>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value, OptionalAttr<Plan_EncodingAttr>:$encoding);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
}

def Plan_KernelOp : Plan_Op<"kernel", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "A computation on whole storages";
  let description = [{
    The body's arguments are `num_inputs` inputs, then the storages that are written, all as tensors; `plan.yield` returns
    the written storages' new contents. The body is upstream `linalg` and `tensor`, or `scf` (docs/phases/kernels.md).

    `cut_axis` is the axis of the first written slice along which engines may split the work, `cut_extent` its length, and `grain` the
    step of cuts. `encodings` describes the layouts of arguments that are not plain arrays (`unit` for plain ones): of the inputs, or of
    all arguments if a written one is not plain. The tile tables of the target set it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_KernelKind:$kind, Plan_Int:$num_inputs, Plan_Int:$cut_axis,
                       Plan_Int:$cut_extent, DefaultValuedAttr<Plan_Int, "1">:$grain, OptionalAttr<ArrayAttr>:$encodings);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getInputs() { return getBody().getArguments().take_front(getNumInputs()); }
    ::mlir::Block::BlockArgListType getOutputs() { return getBody().getArguments().drop_front(getNumInputs()); }
    /// The encoding of argument `index`, or null where it is a plain array.
    EncodingAttr getEncoding(unsigned index);
  }];
}

def Plan_YieldOp : Plan_Op<"yield", [Pure, Terminator, HasParent<"KernelOp">, ReturnLike]> {
  let summary = "The written storages' new contents";
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Plan_EntryOp : Plan_Op<"entry", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "One way to run the model: inputs, outputs and the launches between them, in order";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<Plan_Int>:$arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Plan_StorageOp : Plan_Op<"storage", [HasParent<"EntryOp">]> {
  let summary = "A dense array in memory: an input, an output, state, a temporary or a count";
  let description = [{
    Inputs, outputs and state have a `name` and an `index` in the model's order. `external_type` is their element type in the model, if
    it is stored as another one (booleans, unsigned integers, narrow types); it is the whole type if elements share bytes,
    because the storage is then a list of bytes. The schedule phase sets `offset`, a temporary's position in the arena,
    in bytes. While launches work on tensors, only inputs exist, as tensors.

    A count is an i64 that holds, after a run, the size of an axis of an output; it is named after the node that computes
    it. An output with such axes has its maximum size, and `counts` has the index of the count for each axis,
    or -1.

    ```mlir
    %x = plan.storage input "data" 0 : memref<1x3x224x224xf32>
    %t = plan.storage temporary : memref<1x114x114x64xf32>
    %y = plan.storage output "boxes" 0 {counts = array<i64: 0, -1>} : memref<100x3xi64>
    %n = plan.storage count "nms" 0 : memref<i64>
    ```
  }];
  let arguments = (ins Plan_Role:$role, OptionalAttr<StrAttr>:$name, OptionalAttr<Plan_Int>:$index,
                       OptionalAttr<TypeAttr>:$external_type, OptionalAttr<Plan_Int>:$offset,
                       OptionalAttr<DenseI64ArrayAttr>:$counts);
  let results = (outs Plan_Value:$result);
  let extraClassDeclaration = [{
    /// The type that the model says.
    ::mlir::RankedTensorType getTypeOfModel();
  }];
  let assemblyFormat = "$role ($name^ $index)? attr-dict `:` type($result)";
}

def Plan_OutputOp : Plan_Op<"output"> {
  let summary = "Declares a tensor as an output of the entry, or as a count, while launches work on tensors";
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$name, Plan_Int:$index, OptionalAttr<TypeAttr>:$external_type,
                       OptionalAttr<DenseI64ArrayAttr>:$counts, UnitAttr:$is_count);
  let assemblyFormat = "$value `,` $name $index attr-dict `:` type($value)";
}

def Plan_StoreOp : Plan_Op<"store"> {
  let summary = "Stores a tensor in given memory, while launches work on tensors";
  let description = [{
    Launches of the same block write there directly. With `late`, the value is copied at this point: earlier readers see the old memory.

    ```mlir
    plan.store %next into %states : tensor<8xf32> into memref<8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$value, AnyStaticShapeMemRef:$memory, UnitAttr:$late);
  let assemblyFormat = "(`late` $late^)? $value `into` $memory attr-dict `:` type($value) `into` type($memory)";
}

def Plan_UseOp : Plan_Op<"use", [Pure]> {
  let summary = "A weight as an operand of launches";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Plan_Value:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Plan_ViewOp : Plan_Op<"view", [Pure]> {
  let summary = "Consecutive bytes of a storage under another shape";
  let description = [{
    Starts `offset` elements into `source`, plus `step` elements per iteration of the enclosing loop with the given counter:
    a `plan.for`, or a `plan.while` with a bound. A view with rows may extend beyond its source, by less than one row: a kernel that uses
    only the first elements of each row does not access the rest of the last row.

    ```mlir
    %row = plan.view %states[%t] {step = 512 : i64} : memref<100x1x512xf32> to memref<1x512xf32>
    ```
  }];
  let arguments = (ins Plan_Value:$source, Optional<Index>:$counter, DefaultValuedAttr<Plan_Int, "0">:$offset,
                       DefaultValuedAttr<Plan_Int, "0">:$step);
  let results = (outs Plan_Value:$result);
  let assemblyFormat = "$source (`[` $counter^ `]`)? attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Runs a kernel";
  let description = [{
    On tensors: `inputs` in, results out. On storages: `inputs` are read, `outputs` written, no results. `gpu` and `cpu`
    are the half-open ranges of the cut axis that each engine computes, set by the place phase. The location names the
    nodes of the model. A moving view must move with the innermost loop around the launch; one that moves with another
    loop is copied inside that loop.

    ```mlir
    plan.launch @conv(%x, %w, %b) into(%y) {cpu = array<i64: 0, 56>, gpu = array<i64: 0, 0>}
        : (memref<1x58x58x64xf32>, memref<3x3x64x64xf32>, memref<64xf32>) into (memref<1x56x56x64xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Plan_Value>:$inputs, Variadic<AnyStaticShapeMemRef>:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$gpu, OptionalAttr<DenseI64ArrayAttr>:$cpu);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`into` `(` $outputs^ `)`)? attr-dict `:` `(` type($inputs) `)`
    (`into` `(` type($outputs)^ `)`)? (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops and conditionals. How often and whether launches run may be read from memory; the CPU reads it. They nest,
// loops up to kMaxLoopDepth (PlanDialect.h). What else they are, the runtime's table of steps says
// (docs/phases/kernels.md).
//===----------------------------------------------------------------------===//

def Plan_ForOp : Plan_Op<"for", [SingleBlock, NoTerminator]> {
  let summary = "Repeats launches a fixed number of times, or as often as a count states, up to that number";
  let description = [{
    The body's only argument is the counter; `plan.view` may use it. `count`, one i64, is read once, before the loop:
    there are clamp(count, 0, trip_count) iterations.

    ```mlir
    plan.for 100 count %n : memref<i64> {
    ^bb0(%t: index):
      ...
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<Plan_Int, [IntPositive]>:$trip_count, Optional<Plan_Value>:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$trip_count (`count` $count^ `:` type($count))? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Plan_WhileOp : Plan_Op<"while", [SingleBlock, NoTerminator]> {
  let summary = "Repeats launches while a condition holds";
  let description = [{
    An iteration runs the launches of `test`, and then, if the operand of `plan.condition` is not zero, those of `body`. A
    `bound` limits the iterations: after them, the condition is not tested again. Each region may have the counter as
    an argument; with a bound, views may use it.

    ```mlir
    plan.while bound 64 {
      plan.launch @less(%i, %n) into(%go) : (memref<i64>, memref<i64>) into (memref<i8>)
      plan.condition %go : memref<i8>
    } do {
    ^bb0(%t: index):
      ...
    }
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<Plan_Int, [IntPositive]>>:$bound);
  let regions = (region SizedRegion<1>:$test, SizedRegion<1>:$body);
  let assemblyFormat = "(`bound` $bound^)? attr-dict-with-keyword $test `do` custom<Steps>($body)";
  let hasRegionVerifier = 1;
}

def Plan_ConditionOp : Plan_Op<"condition", [Terminator, HasParent<"WhileOp">]> {
  let summary = "Ends a loop unless a byte, which the launches before it may have written, is other than zero";
  let arguments = (ins Plan_Value:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Plan_IfOp : Plan_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "Runs one of two lists of launches: the first if a byte is other than zero";
  let description = [{
    ```mlir
    plan.if %near : memref<i8> {
      plan.launch @small(%x) into(%y) : (memref<8xf32>) into (memref<8xf32>)
    } else {
      plan.launch @large(%x) into(%y) : (memref<8xf32>) into (memref<8xf32>)
    }
    ```
  }];
  let arguments = (ins Plan_Value:$condition);
  let regions = (region SizedRegion<1>:$then, MaxSizedRegion<1>:$otherwise);
  let assemblyFormat = [{
    $condition `:` type($condition) attr-dict-with-keyword custom<Steps>($then) (`else` $otherwise^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // NACRE_DIALECTS_PLAN_PLANOPS
