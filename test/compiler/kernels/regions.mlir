// RUN: nacre-opt --nacre-prepare-loops --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --nacre-verify-kernels %s | FileCheck %s

// Both branches write the result's memory; an operand that is handed on is copied there, by the branch that does.

// CHECK-LABEL: plan.entry @branches
// CHECK:       plan.if %{{.*}} : memref<1xi8> {
// CHECK-NEXT:    plan.launch @exp_0(%{{.*}}) into([[Y:%[^ )]+]])
// CHECK-NEXT:  } else {
// CHECK-NEXT:    plan.launch @copy_{{[0-9]+}}([[X:%[^ )]+]]) into([[Y]])
// CHECK-NEXT:  }
// CHECK-NEXT:  plan.launch @{{.*}}([[Y]])
func.func @branches(%x: tensor<4xf32> {nn.name = "x"}, %c: tensor<1xi1> {nn.name = "c"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %chosen = nn.if %c : tensor<1xi1> -> (tensor<4xf32>) {
    %e = nn.unary exp %x : tensor<4xf32>
    nn.yield %e : tensor<4xf32>
  } else {
    nn.yield %x : tensor<4xf32>
  }
  %y = nn.unary tanh %chosen : tensor<4xf32>
  return %y : tensor<4xf32>
}

// An operator that a branch alone reads is not part of its kernel: it is computed before.

// CHECK-LABEL: plan.entry @captured
// CHECK:       plan.launch @tanh
// CHECK-NEXT:  plan.if
// CHECK-NEXT:    plan.launch @exp
func.func @captured(%x: tensor<4xf32> {nn.name = "x"}, %c: tensor<i1> {nn.name = "c"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %t = nn.unary tanh %x : tensor<4xf32>
  %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    %e = nn.unary exp %t : tensor<4xf32>
    nn.yield %e : tensor<4xf32>
  } else {
    nn.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Each element is read where it is written, and nobody reads it later: one place is enough, and it may be the output. Rows are
// views that move.

// CHECK-LABEL: plan.entry @in_place
// CHECK:       [[H:%[^ ]+]] = plan.storage  output "y" 0
// CHECK:       [[XS:%[^ ]+]] = plan.storage  input "xs" 1
// CHECK:       plan.launch @copy_{{[0-9]+}}(%{{.*}}) into([[H]])
// CHECK-NEXT:  plan.for 5 {
// CHECK-NEXT:  ^bb0([[T:%[^ :]+]]: index):
// CHECK-NEXT:    [[X:%[^ ]+]] = plan.view [[XS]]{{\[}}[[T]]{{\]}} {step = 4 : i64} : memref<5x4xf32> to memref<4xf32>
// CHECK-NEXT:    plan.launch @add_{{[0-9]+}}([[H]], [[X]]) into([[H]])
// CHECK-NEXT:  }
// CHECK-NOT:   plan.launch
func.func @in_place(%h0: tensor<4xf32> {nn.name = "h"}, %xs: tensor<5x4xf32> {nn.name = "xs"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %y = nn.for 5 carried(%h0 : tensor<4xf32>) scanned(%xs : tensor<5x4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %x: tensor<4xf32>):
    %next = nn.binary add %h, %x : tensor<4xf32>, tensor<4xf32>
    nn.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// The old value is read once more behind the launch that computes the new one, which therefore waits beside it.

// CHECK-LABEL: plan.entry @read_late
// CHECK:       plan.while {
// CHECK:       } do {
// CHECK:         plan.launch @exp_{{[0-9]+}}([[H:%[^ )]+]]) into([[NEXT:%[^ )]+]])
// CHECK-NEXT:    plan.launch @reduce_{{[0-9]+}}([[NEXT]]) into([[SUM:%[^ )]+]])
// CHECK-NEXT:    plan.launch @mul_{{[0-9]+}}([[H]], [[SUM]]) into([[G:%[^ )]+]])
// CHECK-NEXT:    plan.launch @copy_{{[0-9]+}}([[NEXT]]) into([[H]])
// CHECK-NEXT:  }
func.func @read_late(%h0: tensor<4xf32> {nn.name = "h"}, %g0: tensor<4xf32> {nn.name = "g"}, %go: tensor<i1> {nn.name = "go"})
    -> (tensor<4xf32> {nn.name = "y"}, tensor<4xf32> {nn.name = "z"}) {
  %y:3 = nn.while carried(%h0, %g0 : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %g: tensor<4xf32>):
    nn.condition %go : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %g: tensor<4xf32>):
    %next = nn.unary exp %h : tensor<4xf32>
    %sum = nn.reduce sum %next {axes = array<i64: 0>} : tensor<4xf32>
    %scaled = nn.binary mul %h, %sum : tensor<4xf32>, tensor<f32>
    nn.yield %next, %scaled : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// A product reads everything while it writes. The few bytes of all iterations' values are rows; each reads one, writes the next.

// CHECK-LABEL: plan.entry @rows
// CHECK:       [[ROWS:%[^ ]+]] = plan.storage  temporary : memref<4x1x8xf32>
// CHECK:       plan.for 3
// CHECK:         [[NEXT:%[^ ]+]] = plan.view [[ROWS]][%{{.*}}] {offset = 8 : i64, step = 8 : i64}
// CHECK:         [[OLD:%[^ ]+]] = plan.view [[ROWS]][%{{.*}}] {step = 8 : i64}
// CHECK:         plan.launch @matmul_{{[0-9]+}}([[OLD]], %{{.*}}) into([[NEXT]])
// CHECK-NEXT:  }
// CHECK:       plan.view [[ROWS]] {offset = 24 : i64}
func.func @rows(%h0: tensor<1x8xf32> {nn.name = "h"}, %w: tensor<8x8xf32> {nn.name = "w"}) -> (tensor<1x8xf32> {nn.name = "y"}) {
  %y = nn.for 3 carried(%h0 : tensor<1x8xf32>) -> (tensor<1x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<1x8xf32>):
    %next = nn.matmul %h, %w : tensor<1x8xf32>, tensor<8x8xf32>
    nn.yield %next : tensor<1x8xf32>
  }
  return %y : tensor<1x8xf32>
}

// What is carried is stacked as well, so its rows are the stack, here from behind: the initial value is the last row.

// CHECK-LABEL: plan.entry @stacked
// CHECK:       [[ROWS:%[^ ]+]] = plan.storage  temporary : memref<4x4xf32>
// CHECK-NEXT:  [[FIRST:%[^ ]+]] = plan.view [[ROWS]] {offset = 12 : i64}
// CHECK:       plan.launch @copy_{{[0-9]+}}(%{{.*}}) into([[FIRST]])
// CHECK:       plan.for 3
// CHECK:         plan.view [[ROWS]][%{{.*}}] {offset = 8 : i64, step = -4 : i64}
// CHECK:         plan.view [[ROWS]][%{{.*}}] {offset = 12 : i64, step = -4 : i64}
// CHECK:         plan.launch
// CHECK-NOT:     plan.launch
// CHECK:       }
func.func @stacked(%h0: tensor<4xf32> {nn.name = "h"}) -> (tensor<4xf32> {nn.name = "y"}, tensor<3x4xf32> {nn.name = "all"}) {
  %y, %all = nn.for 3 carried(%h0 : tensor<4xf32>) reverse -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %next = nn.unary exp %h : tensor<4xf32>
    nn.yield %next : tensor<4xf32> stacked(%next : tensor<4xf32>)
  }
  return %y, %all : tensor<4xf32>, tensor<3x4xf32>
}

// Two values change places: each lies where the other will be, and must first be put aside.

// CHECK-LABEL: plan.entry @swap
// CHECK:       plan.for 3 {
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    plan.launch @[[COPY:copy_[0-9]+]]([[B:%[^ )]+]]) into([[ASIDE:%[^ )]+]])
// CHECK-NEXT:    plan.launch @[[COPY]]([[A:%[^ )]+]]) into([[BESIDE:%[^ )]+]])
// CHECK-NEXT:    plan.launch @[[COPY]]([[ASIDE]]) into([[A]])
// CHECK-NEXT:    plan.launch @[[COPY]]([[BESIDE]]) into([[B]])
// CHECK-NEXT:  }
func.func @swap(%x: tensor<4xf32> {nn.name = "x"}, %y: tensor<4xf32> {nn.name = "y"}) -> (tensor<4xf32> {nn.name = "a"}, tensor<4xf32> {nn.name = "b"}) {
  %r:2 = nn.for 3 carried(%x, %y : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    nn.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// What begins a loop and is read by its iterations as well stays where it is.

// CHECK-LABEL: plan.entry @initial_value_is_captured
// CHECK:       plan.launch @exp_{{[0-9]+}}(%{{.*}}) into([[E:%[^ )]+]])
// CHECK-NEXT:  plan.launch @copy_{{[0-9]+}}([[E]]) into([[H:%[^ )]+]])
// CHECK-NEXT:  plan.for
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    plan.launch @add_{{[0-9]+}}([[H]], [[E]]) into([[H]])
func.func @initial_value_is_captured(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %e = nn.unary exp %x : tensor<4xf32>
  %y = nn.for 3 carried(%e : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %next = nn.binary add %h, %e : tensor<4xf32>, tensor<4xf32>
    nn.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Launches step with the loop around them: a row of the outer loop that the inner one reads is copied.

// CHECK-LABEL: plan.entry @nested
// CHECK:       plan.for 3 {
// CHECK:         [[ROW:%[^ ]+]] = plan.view %{{.*}}[%{{.*}}] {step = 8 : i64} : memref<3x2x4xf32> to memref<2x4xf32>
// CHECK:         plan.launch @copy_{{[0-9]+}}([[ROW]]) into([[COPY:%[^ )]+]])
// CHECK:         plan.for 2 {
// CHECK:           plan.view [[COPY]][%{{.*}}] {step = 4 : i64}
func.func @nested(%x: tensor<4xf32> {nn.name = "x"}, %xs: tensor<3x2x4xf32> {nn.name = "xs"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %y = nn.for 3 carried(%x : tensor<4xf32>) scanned(%xs : tensor<3x2x4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>, %row: tensor<2x4xf32>):
    %q = nn.for 2 carried(%h : tensor<4xf32>) scanned(%row : tensor<2x4xf32>) -> (tensor<4xf32>) {
    ^bb0(%j: tensor<i64>, %g: tensor<4xf32>, %v: tensor<4xf32>):
      %t = nn.binary add %g, %v : tensor<4xf32>, tensor<4xf32>
      nn.yield %t : tensor<4xf32>
    }
    nn.yield %q : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// A kernel writes what a loop will scan where it is scanned; a part of something else is copied, once, before the loop.

// CHECK-LABEL: plan.entry @scanned
// CHECK:       plan.launch @exp_{{[0-9]+}}(%{{.*}}) into([[XS:%[^ )]+]])
// CHECK-NEXT:  plan.launch @copy_{{[0-9]+}}([[PART:%[^ )]+]]) into([[DENSE:%[^ )]+]])
// CHECK-NEXT:  plan.for 3
// CHECK:         plan.view [[XS]][%{{.*}}] {step = 4 : i64}
// CHECK:         plan.view [[DENSE]][%{{.*}}] {step = 4 : i64}
func.func @scanned(%x: tensor<3x4xf32> {nn.name = "x"}, %p: tensor<3x8xf32> {nn.name = "p"}) -> (tensor<3x4xf32> {nn.name = "y"}) {
  %e = nn.unary exp %x : tensor<3x4xf32>
  %part = nn.slice %p [0, 4] [3, 4] [1, 1] : tensor<3x8xf32>
  %y = nn.for 3 scanned(%e, %part : tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %sum = nn.binary add %a, %b : tensor<4xf32>, tensor<4xf32>
    nn.yield stacked(%sum : tensor<4xf32>)
  }
  return %y : tensor<3x4xf32>
}

// A state that changes under a condition is written where it lies by the branch that changes it; the other one does nothing.
// What a product makes of the state waits beside it.

// CHECK-LABEL: plan.entry @conditional_states
// CHECK:       plan.for 3
// CHECK:         plan.if %{{.*}} : memref<i8> {
// CHECK-NEXT:      plan.launch @add_{{[0-9]+}}([[A:%[^ ,]+]], {{.*}}) into([[A]])
// CHECK-NEXT:      plan.launch @matmul_{{[0-9]+}}([[B:%[^ ,]+]], {{.*}}) into([[BESIDE:%[^ )]+]])
// CHECK-NEXT:      plan.launch @copy_{{[0-9]+}}([[BESIDE]]) into([[B]])
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @conditional_states(%a0: tensor<1x8xf32> {nn.name = "a0"}, %b0: tensor<1x8xf32> {nn.name = "b0"}, %w: tensor<8x8xf32> {nn.name = "w"},
                              %ons: tensor<3xi1> {nn.name = "ons"})
    -> (tensor<1x8xf32> {nn.name = "a"}, tensor<1x8xf32> {nn.name = "b"}) {
  %r:2 = nn.for 3 carried(%a0, %b0 : tensor<1x8xf32>, tensor<1x8xf32>) scanned(%ons : tensor<3xi1>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %a: tensor<1x8xf32>, %b: tensor<1x8xf32>, %on: tensor<i1>):
    %next:2 = nn.if %on : tensor<i1> -> (tensor<1x8xf32>, tensor<1x8xf32>) {
      %more = nn.binary add %a, %b : tensor<1x8xf32>, tensor<1x8xf32>
      %product = nn.matmul %b, %w : tensor<1x8xf32>, tensor<8x8xf32>
      nn.yield %more, %product : tensor<1x8xf32>, tensor<1x8xf32>
    } else {
      nn.yield %a, %b : tensor<1x8xf32>, tensor<1x8xf32>
    }
    nn.yield %next#0, %next#1 : tensor<1x8xf32>, tensor<1x8xf32>
  }
  return %r#0, %r#1 : tensor<1x8xf32>, tensor<1x8xf32>
}

// Branches in branches write the state where it lies as well.

// CHECK-LABEL: plan.entry @branches_in_branches
// CHECK:       [[A:%[^ ]+]] = plan.storage  output "a" 0
// CHECK:       plan.for 3
// CHECK:         plan.if
// CHECK-NEXT:      plan.if
// CHECK-NEXT:        plan.launch @exp_{{[0-9]+}}([[A]]) into([[A]])
// CHECK-NEXT:      } else {
// CHECK-NEXT:        plan.launch @neg_{{[0-9]+}}([[A]]) into([[A]])
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @branches_in_branches(%a0: tensor<8xf32> {nn.name = "a0"}, %p: tensor<3xi1> {nn.name = "p"}, %q: tensor<3xi1> {nn.name = "q"})
    -> (tensor<8xf32> {nn.name = "a"}) {
  %r = nn.for 3 carried(%a0 : tensor<8xf32>) scanned(%p, %q : tensor<3xi1>, tensor<3xi1>) -> (tensor<8xf32>) {
  ^bb0(%iteration: tensor<i64>, %a: tensor<8xf32>, %on: tensor<i1>, %up: tensor<i1>):
    %next = nn.if %on : tensor<i1> -> (tensor<8xf32>) {
      %inner = nn.if %up : tensor<i1> -> (tensor<8xf32>) {
        %e = nn.unary exp %a : tensor<8xf32>
        nn.yield %e : tensor<8xf32>
      } else {
        %n = nn.unary neg %a : tensor<8xf32>
        nn.yield %n : tensor<8xf32>
      }
      nn.yield %inner : tensor<8xf32>
    } else {
      nn.yield %a : tensor<8xf32>
    }
    nn.yield %next : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// One value goes into both states. A branch hands on what lies where the other state is, so that one is copied in the end.

// CHECK-LABEL: plan.entry @one_value_for_two_states
// CHECK:       [[B:%[^ ]+]] = plan.storage  output "b" 1
// CHECK-NEXT:  [[A:%[^ ]+]] = plan.storage  output "a" 0
// CHECK:       plan.for 3
// CHECK:         plan.if
// CHECK-NEXT:      plan.launch @exp_{{[0-9]+}}([[B]]) into([[B]])
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK-NEXT:    plan.launch @copy_{{[0-9]+}}([[B]]) into([[A]])
// CHECK-NEXT:  }
func.func @one_value_for_two_states(%a0: tensor<8xf32> {nn.name = "a0"}, %b0: tensor<8xf32> {nn.name = "b0"}, %p: tensor<3xi1> {nn.name = "p"})
    -> (tensor<8xf32> {nn.name = "a"}, tensor<8xf32> {nn.name = "b"}) {
  %r:2 = nn.for 3 carried(%a0, %b0 : tensor<8xf32>, tensor<8xf32>) scanned(%p : tensor<3xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%iteration: tensor<i64>, %a: tensor<8xf32>, %b: tensor<8xf32>, %on: tensor<i1>):
    %next = nn.if %on : tensor<i1> -> (tensor<8xf32>) {
      %e = nn.unary exp %b : tensor<8xf32>
      nn.yield %e : tensor<8xf32>
    } else {
      nn.yield %b : tensor<8xf32>
    }
    nn.yield %next, %next : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// There is no second row to move to, and a GPU could not bind it.

// CHECK-LABEL: plan.entry @one_iteration
// CHECK-NOT:   step =
// CHECK:       plan.launch @exp
func.func @one_iteration(%xs: tensor<1x8xf32> {nn.name = "xs"}) -> (tensor<1x8xf32> {nn.name = "ys"}) {
  %ys = nn.for 1 scanned(%xs : tensor<1x8xf32>) -> (tensor<1x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<8xf32>):
    %y = nn.unary exp %x : tensor<8xf32>
    nn.yield stacked(%y : tensor<8xf32>)
  }
  return %ys : tensor<1x8xf32>
}
