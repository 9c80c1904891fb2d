// exp, log and tanh with the arithmetic of lib/include/tamis/linalg/elementary.hpp, rounded after each step as there: the
// same bits, in single and in double precision.

const view = new DataView(new ArrayBuffer(8));

/** x · 2ⁿ for normal numbers, by their exponent. */
function scaled(x, n) {
  view.setFloat64(0, x);
  view.setInt32(0, view.getInt32(0) + (n << 20));
  return view.getFloat64(0);
}

const constants = {
  float: {
    round: Math.fround,
    whole: 12582912, inverseLn2: 1.44269502, ln2High: 0.693145752, ln2Low: 1.42860677e-6, rootHalf: 0.707106769, least: -87,
    exp: [0.5, 0.166665763, 0.0416665524, 0.00836335309, 0.00139264006],
    log: [0.666666865, 0.399887115, 0.295830578],
  },
  double: {
    round: Number,
    whole: 6755399441055744, inverseLn2: 1.4426950408889634, ln2High: 0.69314718056011770386, ln2Low: -1.7239444525614835e-13,
    rootHalf: Math.SQRT1_2, least: -708,
    exp: [0.5, 0.16666666666666669, 0.04166666666662313, 0.0083333333333299852, 0.0013888888917710368, 0.0001984126986343555,
      2.480152052648056e-5, 2.7557267868262007e-6, 2.7620453391695057e-7, 2.5100666142918374e-8],
    log: [0.66666666666666696, 0.39999999999897651, 0.28571428626813983, 0.22222210998123745, 0.18182899068063552,
      0.15331391597986554, 0.14620522556371995],
  },
};

/** { round, exponential(x ≤ 0), logarithm(x > 0), hyperbolicTangent(x) } of a precision. */
export function elementaryOf(precision) {
  const { round: r, exp, log, ...others } = constants[precision];
  const numbers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, r(value)]));
  const { whole, inverseLn2, ln2High, ln2Low, rootHalf, least } = numbers;
  const [ofExp, ofLog] = [exp, log].map((list) => list.map((value) => r(value)));
  view.setFloat64(0, rootHalf);
  const [rootHigh, rootLow] = [view.getInt32(0), view.getUint32(4)];
  const polynomial = (coefficients, x) => coefficients.reduceRight((value, c) => r(r(value * x) + c));

  const exponential = (x) => {
    if (x < least) return 0;
    const n = r(r(r(x * inverseLn2) + whole) - whole);
    const rest = r(r(x - r(n * ln2High)) - r(n * ln2Low));
    return scaled(r(1 + r(rest + r(r(rest * rest) * polynomial(ofExp, rest)))), n);
  };
  const logarithm = (x) => {
    view.setFloat64(0, x);
    const n = (view.getInt32(0) - rootHigh - Number(view.getUint32(4) < rootLow)) >> 20;
    const f = r(scaled(x, -n) - 1);
    const s = r(f / r(2 + f));
    const half = r(r(0.5 * f) * f);
    const square = r(s * s);
    const tail = r(square * polynomial(ofLog, square));
    return r(r(n * ln2High) - r(r(half - r(r(s * r(half + tail)) + r(n * ln2Low))) - f));
  };
  const hyperbolicTangent = (x) => {
    const size = Math.abs(x);
    if (!(size < 0.5)) {
      const e = exponential(r(-2 * size));
      return Math.sign(x) * r(r(1 - e) / r(1 + e));
    }
    const square = r(x * x);
    let denominator = 17;
    for (let odd = 15; odd > 0; odd -= 2) denominator = r(odd + r(square / denominator));
    return r(x / denominator);
  };
  return { round: r, exponential, logarithm, hyperbolicTangent };
}
