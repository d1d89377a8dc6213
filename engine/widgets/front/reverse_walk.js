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

  return {
    root,
    show: () => {
      const frame = frames[model.get("index")];
      steps.show(frame.heading);
      showFrame(parts, frame, model.get("index"));
    },
    traits: ["index"],
    stop: steps.stop,
  };
};

/** Everything that is on the page, made once so that a step only changes looks. */
function buildWalk(payload, bar) {
  const story = storyOf(payload.positions.map(({ sentences }) => sentences));
  const scene = sceneOf(payload);
  const rows = payload.rows.map(buildRow);
  const order = orderTable(rows);
  const { summary } = payload;
  const root = viewFrame({ summary, scene, story, bar, beside: [order], hint: WALK_HINT });
  return { root, story, scene, order, rows, ...partsOf(scene) };
}

function buildRow(row, index) {
  const sign = make("td", { class: "rw-sign" });
  const gradient = make("td", { class: "rw-gradient" });
  const element = make(
    "tr",
    { "data-step": index + 1 },
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
  const done = new Set();
  return payload.positions.map((position) => {
    gradients = [...gradients];
    const receives = new Set();
    for (const { target, grad } of position.contributions) {
      gradients[target] = grad;
      receives.add(target);
    }
    const states = gradients.map((_, node) => {
      if (node === position.node) return "current";
      return done.has(node) ? "done" : "waiting";
    });
    if (position.node !== null) done.add(position.node);
    const inSight = position.node ?? payload.output;
    return { ...position, gradients, receives, states, inSight, receivesSign: payload.receives };
  });
}

function stepOf(frames, node) {
  return frames.findIndex((frame) => frame.node === node);
}

function showFrame(parts, frame, index) {
  tell(parts.story, frame.heading, frame.sentences);
  parts.rows.forEach((row, i) => showRow(row, frame, i + 1, index));
  for (const [node, group] of parts.nodes) {
    const receives = frame.receives.has(Number(node));
    const state = frame.states[node];
    const sign = receives ? frame.receivesSign : SIGNS[state];
    showNode(group, { state, receives, sign, grad: frame.gradients[node] });
  }
  showContributions(parts, frame.contributions);
  scrollTo(parts.scene, parts.nodes.get(String(frame.inSight)));
  scrollDownTo(parts.order, parts.rows[Math.max(index - 1, 0)].element);
}

function showRow(row, frame, step, index) {
  const state = step === index ? "current" : step < index ? "done" : "waiting";
  const receives = frame.receives.has(row.node) && state !== "current";
  row.element.dataset.state = state;
  row.element.toggleAttribute("data-receives", receives);
  if (state === "current") row.element.setAttribute("aria-current", "step");
  else row.element.removeAttribute("aria-current");
  row.sign.textContent = receives ? frame.receivesSign : SIGNS[state];
  row.gradient.textContent = frame.gradients[row.node];
}
