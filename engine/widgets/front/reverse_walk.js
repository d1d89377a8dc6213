// The front end of ReverseWalk: step back one node at a time.

const WALK_HINT = "Click here, then: arrow keys or a clicker step, Home and End jump, Space plays. "
  + "Or click a node.";

VIEWS.walk = (model) => {
  const payload = model.get("payload");
  const frames = framesOf(payload);
  const steps = stepper({
    last: () => frames.length - 1,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { slider: "Step of the walk" },
  });
  const parts = buildWalk(payload, steps.bar);
  const { root } = parts;

  root.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-step]");
    const node = event.target.closest(".rw-node");
    if (!row && !node) return;
    steps.stop();
    const index = row ? Number(row.dataset.step) : stepOf(frames, Number(node.dataset.node));
    change(model, { index });
    root.focus({ preventScroll: true });
  });
  listenToKeys(root, STEP_KEYS, steps.act);

  let shown = null;
  return {
    root,
    show: () => {
      const index = model.get("index");
      steps.show(frames[index].heading);
      showFrame(parts, frames[index], index, shown !== null && index === shown + 1);
      shown = index;
    },
    traits: ["index"],
    stop: () => {
      steps.stop();
      landAll(parts);
    },
  };
};

/** Everything that is on the page, made once so that a step only changes looks. */
function buildWalk(payload, bar) {
  const { positions, arrows } = payload;
  const story = storyOf(
    positions.map(({ sentences }) => sentences), positions.map(({ heading }) => heading),
  );
  const scene = sceneOf(payload);
  const rows = payload.rows.map(buildRow);
  const order = orderTable(rows);
  const { summary } = payload;
  const root = viewFrame({ summary, scene, story, bar, beside: [order], hint: WALK_HINT });
  const parts = { root, story, scene, order, rows, ...partsOf(scene) };
  lightTogether(root, (edge) => parts.told?.get(edge) ?? arrows[edge] ?? "");
  return parts;
}

function buildRow(row, index) {
  const sign = make("td", { class: "rw-sign" });
  const gradient = make("td", { class: "rw-gradient" });
  const element = make(
    "tr",
    { "data-step": index + 1, "data-key": `n${row.node}` },
    sign,
    make("td", {}, String(index + 1)),
    make("th", { scope: "row" }, row.title),
    make("td", {}, row.data),
    gradient,
  );
  return { element, sign, gradient, node: row.node };
}

function orderTable(rows) {
  const columns = ["", "step", "node", "data", "grad"];
  return tableBox(
    "The order of the walk",
    columns.map((text) => columnHead(text, text === "node")),
    make("tbody", {}, ...rows.map(({ element }) => element)),
    { class: "rw-order rw-long", "aria-label": "Order of the walk" },
  );
}

/** For each position the state and the gradient text of every node. */
function framesOf(payload) {
  let gradients = payload.gradients;
  let told = new Map();
  const done = new Set();
  return payload.positions.map((position) => {
    const before = gradients;
    const { contributions, sentences } = position;
    gradients = [...gradients];
    told = new Map(told);
    contributions.forEach(({ target, grad, edge }, place) => {
      gradients[target] = grad;
      told.set(edge, sentences[place + 1]);
    });
    const states = gradients.map((_, node) => {
      if (node === position.node) return "current";
      return done.has(node) ? "done" : "waiting";
    });
    if (position.node !== null) done.add(position.node);
    const keys = [
      `n${position.node ?? payload.output}`, ...contributions.map(({ edge }) => `e${edge}`),
    ];
    const inSight = [keys[0], ...contributions.map(({ target }) => `n${target}`)];
    const { receives } = payload;
    return { ...position, before, gradients, states, told, keys, inSight, sign: receives };
  });
}

function stepOf(frames, node) {
  return frames.findIndex((frame) => frame.node === node);
}

/** Show a position; a step forward lets its contributions travel, and each lands by itself. */
function showFrame(parts, frame, index, travels) {
  const { contributions } = frame;
  const arrived = new Set();
  tell(parts.story, frame.heading, frame.sentences, frame.keys);
  parts.told = frame.told;
  parts.rows.forEach((row, i) => showRow(row, frame, i + 1, index));
  const showOne = (node, grad) => {
    const group = parts.nodes.get(String(node));
    const receives = arrived.has(node);
    const state = frame.states[node];
    if (group) showNode(group, { state, receives, sign: receives ? frame.sign : SIGNS[state], grad });
    showGradient(parts.rows, frame, node, receives, grad);
  };
  frame.before.forEach((grad, node) => showOne(node, grad));
  showContributions(parts, contributions);
  scrollTo(parts.scene, frame.inSight);
  scrollDownTo(parts.order, parts.rows[Math.max(index - 1, 0)].element);
  const landed = (place) => {
    const { target, grad } = contributions[place];
    arrived.add(target);
    showOne(target, grad);
  };
  if (travels) return flyAll(parts, contributions, landed);
  landAll(parts);
  return contributions.forEach((_, place) => landed(place));
}

function showGradient(rows, frame, node, receives, grad) {
  for (const { element, sign, gradient } of rows.filter((row) => row.node === node)) {
    const { state } = element.dataset;
    gradient.textContent = grad;
    element.toggleAttribute("data-receives", receives && state !== "current");
    sign.textContent = receives && state !== "current" ? frame.sign : SIGNS[state];
  }
}

function showRow({ element }, frame, step, index) {
  const state = step === index ? "current" : step < index ? "done" : "waiting";
  element.dataset.state = state;
  if (state === "current") element.setAttribute("aria-current", "step");
  else element.removeAttribute("aria-current");
}
