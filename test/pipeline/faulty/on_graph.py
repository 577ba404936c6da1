"""Faulty rewrites on the graph floor."""

from faulty.rewrite import FaultyRewrite

GRAPH = (
    FaultyRewrite(
        "maximum-as-compare-and-select",
        "a NaN on the left is not greater than anything, so that it is lost",
        """
func.func @f(%a: tensor<7xf16>, %b: tensor<7xf16>) -> tensor<7xf16> {
  %m = graph.max %a, %b : tensor<7xf16>
  func.return %m : tensor<7xf16>
}""",
        "%m = graph.max %a, %b : tensor<7xf16>",
        """%g = graph.compare gt %a, %b : tensor<7xf16>
  %m = graph.select %g, %a, %b : tensor<7xf16>""",
    ),
    FaultyRewrite(
        "shift-by-the-width-is-inside",
        "a shift by 32 bits is already one by too many",
        """
func.func @f(%a: tensor<5xi32>, %n: tensor<5xi32>) -> tensor<5xi32> {
  %s = graph.shl %a, %n : tensor<5xi32>
  func.return %s : tensor<5xi32>
}""",
        "%s = graph.shl %a, %n : tensor<5xi32>",
        """%mask = graph.constant dense<31> : tensor<5xi32>
  %low = graph.and %n, %mask : tensor<5xi32>
  %in = graph.shl %a, %low : tensor<5xi32>
  %zero = graph.constant dense<0> : tensor<5xi32>
  %width = graph.constant dense<32> : tensor<5xi32>
  %over = graph.compare gt %n, %width : tensor<5xi32>
  %negative = graph.compare lt %n, %zero : tensor<5xi32>
  %out = graph.or %over, %negative : tensor<5xi1>
  %s = graph.select %out, %zero, %in : tensor<5xi32>""",
    ),
    FaultyRewrite(
        "symmetric-least-integer",
        "the least i8 is -128: a maximum of nothing, or of those alone, is not -127",
        """
func.func @f(%x: tensor<?x3xi8, #graph.dims<[N, 3]>>) -> tensor<3xi8>
      attributes {graph.symbols = #graph.symbols<[N in 0..8]>} {
  %m = graph.reduce max %x axes [0] : tensor<?x3xi8, #graph.dims<[N, 3]>> -> tensor<3xi8>
  func.return %m : tensor<3xi8>
}""",
        "  func.return %m",
        """  %least = graph.constant dense<-127> : tensor<3xi8>
  %n = graph.max %m, %least : tensor<3xi8>
  func.return %n""",
    ),
    FaultyRewrite(
        "cast-of-cast",
        "the first cast saturates at the ends of i32, whose low halves are not the ends of i16",
        """
func.func @f(%x: tensor<6xf32>) -> tensor<6xi16> {
  %w = graph.cast %x : tensor<6xf32> to tensor<6xi32>
  %n = graph.cast %w : tensor<6xi32> to tensor<6xi16>
  func.return %n : tensor<6xi16>
}""",
        """%w = graph.cast %x : tensor<6xf32> to tensor<6xi32>
  %n = graph.cast %w : tensor<6xi32> to tensor<6xi16>""",
        "%n = graph.cast %x : tensor<6xf32> to tensor<6xi16>",
    ),
    FaultyRewrite(
        "double-rounding",
        "f64 to f32 to bf16 rounds twice: a little above a tie the first one makes a tie",
        """
func.func @f(%x: tensor<6xf64>) -> tensor<6xbf16> {
  %n = graph.cast %x : tensor<6xf64> to tensor<6xbf16>
  func.return %n : tensor<6xbf16>
}""",
        "%n = graph.cast %x : tensor<6xf64> to tensor<6xbf16>",
        """%w = graph.cast %x : tensor<6xf64> to tensor<6xf32>
  %n = graph.cast %w : tensor<6xf32> to tensor<6xbf16>""",
    ),
    FaultyRewrite(
        "integer-through-float",
        "f32 has 24 bits: an i32 does not always come back",
        """
func.func @f(%x: tensor<6xi32>) -> tensor<6xi32> {
  %w = graph.cast %x : tensor<6xi32> to tensor<6xf32>
  %n = graph.cast %w : tensor<6xf32> to tensor<6xi32>
  func.return %n : tensor<6xi32>
}""",
        "func.return %n",
        "func.return %x",
    ),
    FaultyRewrite(
        "equal-as-doubles",
        "neighbours above 2^53 are one double",
        """
func.func @f(%a: tensor<6xi64>, %b: tensor<6xi64>) -> tensor<6xi1> {
  %e = graph.compare eq %a, %b : tensor<6xi64>
  func.return %e : tensor<6xi1>
}""",
        "%e = graph.compare eq %a, %b : tensor<6xi64>",
        """%c = graph.cast %a : tensor<6xi64> to tensor<6xf64>
  %d = graph.cast %b : tensor<6xi64> to tensor<6xf64>
  %e = graph.compare eq %c, %d : tensor<6xf64>""",
    ),
    FaultyRewrite(
        "doubled-and-halved",
        "twice a great integer wraps, and half of that is another",
        """
func.func @f(%a: tensor<6xi32>) -> tensor<6xi32> {
  %two = graph.constant dense<2> : tensor<6xi32>
  %d = graph.mul %a, %two : tensor<6xi32>
  %h = graph.floordiv %d, %two : tensor<6xi32>
  func.return %h : tensor<6xi32>
}""",
        "func.return %h",
        "func.return %a",
    ),
    FaultyRewrite(
        "unsigned-by-difference",
        "the sign of a difference is not the order of what is unsigned",
        """
func.func @f(%a: tensor<6xui16>, %b: tensor<6xui16>) -> tensor<6xi1> {
  %l = graph.compare lt %a, %b : tensor<6xui16>
  func.return %l : tensor<6xi1>
}""",
        "%l = graph.compare lt %a, %b : tensor<6xui16>",
        """%d = graph.sub %a, %b : tensor<6xui16>
  %s = graph.cast %d : tensor<6xui16> to tensor<6xi16>
  %zero = graph.constant dense<0> : tensor<6xi16>
  %l = graph.compare lt %s, %zero : tensor<6xi16>""",
    ),
    FaultyRewrite(
        "not-less-is-greater-or-equal",
        "neither holds beside a NaN",
        """
func.func @f(%a: tensor<6xbf16>, %b: tensor<6xbf16>) -> tensor<6xi1> {
  %l = graph.compare lt %a, %b : tensor<6xbf16>
  %n = graph.not %l : tensor<6xi1>
  func.return %n : tensor<6xi1>
}""",
        """%l = graph.compare lt %a, %b : tensor<6xbf16>
  %n = graph.not %l : tensor<6xi1>""",
        "%n = graph.compare ge %a, %b : tensor<6xbf16>",
    ),
    FaultyRewrite(
        "zeros-are-one-constant",
        "0.0 equals -0.0, and divides into another infinity",
        """
func.func @f(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %p = graph.constant dense<0.0> : tensor<6xf32>
  %n = graph.constant dense<-0.0> : tensor<6xf32>
  %x = graph.max %a, %p : tensor<6xf32>
  %y = graph.add %a, %n : tensor<6xf32>
  func.return %x, %y : tensor<6xf32>, tensor<6xf32>
}""",
        "graph.add %a, %n",
        "graph.add %a, %p",
    ),
    FaultyRewrite(
        "division-by-a-denormal",
        "the reciprocal of a denormal constant is infinite",
        """
func.func @f(%a: tensor<6xf32>) -> tensor<6xf32> {
  %c = graph.constant dense<1.0e-40> : tensor<6xf32>
  %q = graph.div %a, %c : tensor<6xf32>
  func.return %q : tensor<6xf32>
}""",
        "%q = graph.div %a, %c : tensor<6xf32>",
        """%one = graph.constant dense<1.0> : tensor<6xf32>
  %r = graph.div %one, %c : tensor<6xf32>
  %q = graph.mul %a, %r : tensor<6xf32>""",
    ),
    FaultyRewrite(
        "gather-without-wrapping",
        "an index out of range gives 0, and not what is nearest",
        """
func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) -> tensor<5x4xf32> {
  %y = graph.gather %x, %i axes [0] : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  func.return %y : tensor<5x4xf32>
}""",
        "%y = graph.gather %x, %i",
        """%low = graph.constant dense<0> : tensor<5x1xi32>
  %high = graph.constant dense<8> : tensor<5x1xi32>
  %j = graph.max %i, %low : tensor<5x1xi32>
  %k = graph.min %j, %high : tensor<5x1xi32>
  %y = graph.gather %x, %k""",
    ),
    FaultyRewrite(
        "scatter-reads-indices-as-unsigned-bytes",
        "a negative index drops the update, and 255 as -1 would too; 128 would not",
        """
func.func @f(%x: tensor<200xf32>, %i: tensor<5x1xi8>, %u: tensor<5xf32>) -> tensor<200xf32> {
  %y = graph.scatter add %x, %i, %u axes [0] : (tensor<200xf32>, tensor<5x1xi8>, tensor<5xf32>)
      -> tensor<200xf32>
  func.return %y : tensor<200xf32>
}""",
        """%y = graph.scatter add %x, %i, %u axes [0] : (tensor<200xf32>, tensor<5x1xi8>,""",
        """%j = graph.cast %i : tensor<5x1xi8> to tensor<5x1xui8>
  %y = graph.scatter add %x, %j, %u axes [0] : (tensor<200xf32>, tensor<5x1xui8>,""",
    ),
    FaultyRewrite(
        "slice-not-moved-back-inside",
        "a dynamic slice that sticks out is moved, not clipped at its start",
        """
func.func @f(%x: tensor<9xf32>, %s: tensor<1xi32>) -> tensor<4xf32> {
  %y = graph.dynamic_slice %x, %s sizes [4] : (tensor<9xf32>, tensor<1xi32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}""",
        "%y = graph.dynamic_slice %x, %s sizes [4] : (tensor<9xf32>,",
        """%z = graph.constant dense<0.0> : tensor<f32>
  %w = graph.pad %x, %z low [0] high [3] : (tensor<9xf32>, tensor<f32>) -> tensor<12xf32>
  %y = graph.dynamic_slice %w, %s sizes [4] : (tensor<12xf32>,""",
    ),
    FaultyRewrite(
        "outputs-under-each-others-names",
        "the results are the same, and each has the other's name",
        """
func.func @f(%x: tensor<3xf32>)
      -> (tensor<3xf32> {graph.name = "lower"}, tensor<3xf32> {graph.name = "upper"}) {
  %n = graph.neg %x : tensor<3xf32>
  func.return %x, %n : tensor<3xf32>, tensor<3xf32>
}""",
        """(tensor<3xf32> {graph.name = "lower"}, tensor<3xf32> {graph.name = "upper"}) {
  %n = graph.neg %x : tensor<3xf32>
  func.return %x, %n""",
        """(tensor<3xf32> {graph.name = "upper"}, tensor<3xf32> {graph.name = "lower"}) {
  %n = graph.neg %x : tensor<3xf32>
  func.return %x, %n""",
    ),
    FaultyRewrite(
        "carried-value-is-invariant",
        "the loop swaps what it carries: only after an even number of iterations is it what it was",
        """
func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: tensor<i8>) -> tensor<3xf32> {
  %i, %x, %y = graph.while (%k = %n, %c = %a, %d = %b) cond {
    %zero = graph.constant dense<0> : tensor<i8>
    %go = graph.compare gt %k, %zero : tensor<i8>
    graph.yield %go
  } do {
    %one = graph.constant dense<1> : tensor<i8>
    %next = graph.sub %k, %one : tensor<i8>
    graph.yield %next, %d, %c
  }
  func.return %x : tensor<3xf32>
}""",
        "func.return %x",
        "func.return %a",
    ),
    FaultyRewrite(
        "loop-runs-at-least-once",
        "a loop whose condition is false at first gives what it began with",
        """
func.func @f(%a: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %i, %x = graph.while (%k = %n, %c = %a) cond {
    %limit = graph.constant dense<2147483000> : tensor<i32>
    %go = graph.compare lt %k, %limit : tensor<i32>
    graph.yield %go
  } do {
    %far = graph.constant dense<2147483600> : tensor<i32>
    %zero = graph.constant dense<0.0> : tensor<3xf32>
    graph.yield %far, %zero
  }
  func.return %x : tensor<3xf32>
}""",
        "func.return %x",
        """%zeros = graph.constant dense<0.0> : tensor<3xf32>
  func.return %zeros""",
    ),
)
