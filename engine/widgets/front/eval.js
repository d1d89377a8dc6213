// The one evaluator in the page: the ten operations, forward and back, and how numbers are written.
//
// A graph is a list of nodes { op, operands, title }, inputs before results, the output last; an
// operand is the place of a node, or { c: number }. Sentences are Python's, as templates.

/** What an operation refuses, told in Python's words. */
class OutOfDomain extends Error {}

// For each operation its value, one local derivative for each operand (from the operands a and b
// and the result y), and the name of the template that says why it refuses its operands, if so.
const OPERATIONS = {
  "+": { value: (a, b) => a + b, local: [() => 1, () => 1] },
  "-": { value: (a, b) => a - b, local: [() => 1, () => -1] },
  "*": { value: (a, b) => a * b, local: [(a, b) => b, (a) => a] },
  "/": {
    value: (a, b) => a / b,
    local: [(a, b) => 1 / b, (a, b, y) => -y / b],
    refuses: (a, b) => b === 0 && "divideByZero",
  },
  "**": {
    value: (a, b) => a ** b,
    local: [
      (a, b) => (b === 0 || (a === 0 && b < 1) ? 0 : b * a ** (b - 1)),
      (a, b, y) => y * Math.log(a),
    ],
    refuses: (a, b, varies) => {
      if (varies && a <= 0) return "exponentVaries";
      if (a === 0 && b < 0) return "powerOfZero";
      return a < 0 && !Number.isInteger(b) && "notReal";
    },
  },
  neg: { value: (a) => -a, local: [() => -1] },
  exp: { value: Math.exp, local: [(a, b, y) => y] },
  log: { value: Math.log, local: [(a) => 1 / a], refuses: (a) => a <= 0 && "logarithm" },
  relu: { value: (a) => (a <= 0 ? 0 : a), local: [(a, b, y) => (y > 0 ? 1 : 0)] },
  tanh: { value: Math.tanh, local: [(a, b, y) => 1 - y * y] },
};
const TOO_LARGE = { "/": "quotientTooLarge", "**": "powerTooLarge", exp: "expTooLarge" };

const isPlace = (operand) => typeof operand === "number";

function operandsOf(node, data) {
  return node.operands.map((operand) => (isPlace(operand) ? data[operand] : operand.c));
}

function refuse(words, template, { op, title }, operands) {
  const wrapped = operands.map((x) => (x < 0 ? `(${numberText(x)})` : numberText(x)));
  const applied = wrapped.length > 1 ? wrapped.join(` ${op} `) : `${op}(${numberText(operands[0])})`;
  const [a, b] = operands.map((x) => numberText(x));
  throw new OutOfDomain(filled(words[template], { a, b, applied, title }));
}

/** The value of one node from its operands, or an error in Python's words. */
function valueOf(node, operands, words) {
  const { value, refuses } = OPERATIONS[node.op];
  const why = refuses?.(...operands, isPlace(node.operands[1]));
  if (why) refuse(words, why, node, operands);
  const y = value(...operands);
  if (!Number.isFinite(y)) refuse(words, TOO_LARGE[node.op] ?? "valueTooLarge", node, operands);
  return y;
}

/** How fast a node changes with each of its inputs: null where an operand is a constant. */
function localDerivativesOf(node, operands, y, words) {
  return OPERATIONS[node.op].local.map((derivative, side) => {
    if (!isPlace(node.operands[side])) return null;
    const local = derivative(operands[0], operands[1], y);
    if (!Number.isFinite(local)) refuse(words, "localTooLarge", node, operands);
    return local;
  });
}

/**
 * All numbers of the forward pass. `moved` gives one node, a leaf or not, another number, or one
 * operand of one node, by `side`.
 */
function forwardPass(nodes, leaves, words, moved = {}) {
  const data = [];
  nodes.forEach((node, place) => {
    const moves = moved.place === place;
    if (moves && moved.side === undefined) return data.push(moved.data);
    if (!node.op) return data.push(leaves[place]);
    const operands = operandsOf(node, data);
    if (moves) operands[moved.side] = moved.data;
    return data.push(valueOf(node, operands, words));
  });
  return data;
}

/** Data, local derivatives, gradients and the steps of the walk back. */
function evaluate(nodes, leaves, words) {
  const data = [];
  const local = [];
  nodes.forEach((node, place) => {
    const operands = node.op ? operandsOf(node, data) : [];
    data.push(node.op ? valueOf(node, operands, words) : leaves[place]);
    local.push(node.op ? localDerivativesOf(node, operands, data[place], words) : []);
  });
  return { data, local, ...reverseWalk(nodes, local, words) };
}

/** The walk back: upstream gradients, and what each arrow `source-slot` hands on. */
function reverseWalk(nodes, local, words) {
  const grads = nodes.map(() => 0);
  grads[nodes.length - 1] = 1;
  const steps = [];
  for (let place = nodes.length - 1; place >= 0; place -= 1) {
    const upstream = grads[place];
    const given = arrowsInto(nodes, place).map(({ target, side, edge }) => {
      const amount = local[place][side] * upstream;
      const before = grads[target];
      grads[target] += amount;
      if (!Number.isFinite(grads[target])) refuse(words, "gradTooLarge", nodes[target], []);
      return { target, side, edge, local: local[place][side], amount, before, after: grads[target] };
    });
    steps.push({ node: place, upstream, given });
  }
  return { grads, steps };
}

/** The arrows that come into a node: from which node, on which side, and by which name. */
function arrowsInto(nodes, place) {
  const arrows = [];
  nodes[place].operands.forEach((target, side) => {
    if (isPlace(target)) arrows.push({ source: place, target, side, edge: `${place}-${arrows.length}` });
  });
  return arrows;
}

/**
 * One number, of a leaf or not, goes h down and h up: where every node goes; for each arrow how
 * many times as far its node goes as its input, were this input the only one that moves; and for
 * each arrow that leaves the number how far the output goes, were this use the only one.
 */
function wiggle(nodes, leaves, place, h, words) {
  const base = forwardPass(nodes, leaves, words);
  const ends = [base[place] - h, base[place] + h];
  const run = ends[1] - ends[0];
  if (run === 0) {
    const values = { h: numberText(h), number: numberText(base[place]) };
    throw new OutOfDomain(filled(words.stepTooSmall, values));
  }
  const [low, high] = ends.map((data) => forwardPass(nodes, leaves, words, { place, data }));
  const arrows = new Map();
  for (const arrow of nodes.flatMap((_, source) => arrowsInto(nodes, source))) {
    const { source, target, side, edge } = arrow;
    const gap = high[target] - low[target];
    if (source === place || gap === 0) continue;
    const [down, up] = [low, high].map((data) => {
      const operands = operandsOf(nodes[source], base);
      operands[side] = data[target];
      return valueOf(nodes[source], operands, words);
    });
    arrows.set(edge, { ...arrow, delta: up - down, ratio: (up - down) / gap });
    if (target !== place) continue;
    const [least, most] = ends.map((data) =>
      forwardPass(nodes, leaves, words, { place: source, side, data }).at(-1));
    arrows.get(edge).part = (most - least) / run;
  }
  return { base, low, high, arrows, run };
}

// ---- numbers and sentences --------------------------------------------------------------------

/** A number as the course writes it: Python's number_text, with a typographic minus. */
function numberText(number, digits = 6) {
  if (Number.isInteger(number) && Math.abs(number) < 1e9) {
    return String(number || 0).replace("-", "\u2212");
  }
  if (!Number.isFinite(number)) return String(number).replace("-", "\u2212");
  const [figures, power] = rounded(number, digits);
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) {
    return bare(Number(`${figures}e${exponent}`).toFixed(digits - 1 - exponent)).replace("-", "\u2212");
  }
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${bare(figures)}e${exponent < 0 ? "-" : "+"}${size}`.replaceAll("-", "\u2212");
}

/** Figures and power of ten; halfway between two, the even one, as Python rounds. */
function rounded(number, digits) {
  const [figures, power] = number.toExponential(digits - 1).split("e");
  const [exact, exactPower] = number.toExponential(60).split("e");
  const cut = exact.length - (61 - digits);
  const isOdd = Number(figures.at(-1)) % 2 === 1;
  if (!isOdd || !/^50*$/.test(exact.slice(cut))) return [figures, power];
  return [exact.slice(0, cut).replace(/\.$/, ""), exactPower];
}

function bare(figures) {
  return figures.includes(".") ? figures.replace(/\.?0+$/, "") : figures;
}

/** A number with as many digits as fit in some characters, so that no box ever grows. */
function fittingText(number, room) {
  for (let digits = 6; digits > 1; digits -= 1) {
    const text = numberText(number, digits);
    if (text.length <= room) return text;
  }
  return numberText(number, 1);
}

/** A sentence of Python's, its named places filled. */
function filled(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
