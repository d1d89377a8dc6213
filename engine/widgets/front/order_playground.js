// The front end of OrderPlayground: nodes are picked in any order.

const PICK_KEYS = {
  ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back",
  Home: "first", End: "last", Backspace: "undo", PageDown: "pick", PageUp: "undo",
};

VIEWS.playground = (model) => {
  const payload = model.get("payload");
  const parts = buildPlayground(payload);
  const { notice, buttons, root } = parts;
  const waiting = patience(notice, payload.noPython);
  let focused = 0;

  const setPicks = (picks) => {
    waiting.end();
    if (!payload.table && kernelIsGone(model)) return waiting.giveUp();
    if (!payload.table) waiting.begin();
    change(model, { picks });
  };
  const pick = (node) => {
    focused = node;
    if (!model.get("picks").includes(node)) return setPicks([...model.get("picks"), node]);
    waiting.end();
    notice.textContent = payload.nodes[node].refusal;
    rove(buttons, focused);
  };
  const undo = () => setPicks(model.get("picks").slice(0, -1));
  /** A clicker cannot choose: it picks the button with the focus, or else the node made last. */
  const pickNext = () => {
    const waits = (node) => !model.get("picks").includes(node);
    const own = buttons.indexOf(document.activeElement);
    const node = own >= 0 && waits(own) ? own : [...buttons.keys()].filter(waits).at(-1);
    if (node !== undefined) pick(node);
  };
  const moves = {
    next: () => clamped(focused + 1, buttons.length - 1),
    back: () => clamped(focused - 1, buttons.length - 1),
    first: () => 0,
    last: () => buttons.length - 1,
  };

  listenToKeys(root, PICK_KEYS, (name) => {
    if (name === "undo") return undo();
    if (name === "pick") return pickNext();
    const jumps = name === "first" || name === "last";
    if (jumps || buttons.includes(document.activeElement)) focused = moves[name]();
    rove(buttons, focused);
    buttons[focused].focus();
  });
  buttons.forEach((element, node) => element.addEventListener("click", () => pick(node)));
  parts.undo.addEventListener("click", undo);
  parts.again.addEventListener("click", () => setPicks([]));
  root.addEventListener("click", ({ target }) => {
    const node = target.closest(".rw-node");
    if (node) pick(Number(node.dataset.node));
  });

  return {
    root,
    show: () => {
      const page = playgroundPage(model, payload);
      if (!page) return;
      waiting.end();
      rove(buttons, focused);
      showPlayground(parts, payload, page);
    },
    traits: ["picks", "shown"],
    stop: waiting.end,
  };
};

/** The moments of the picks and the ending, from the table or from Python; null until it tells. */
function playgroundPage(model, { table }) {
  const picks = model.get("picks");
  if (!table) {
    const page = model.get("shown");
    return String(page.picks) === String(picks) ? page : null;
  }
  let state = 0;
  const moments = picks.map((node) => {
    const [moment, next] = table.states[state][node];
    state = next;
    return table.moments[moment];
  });
  return { picks, moments, ending: table.endings[state] ?? null };
}

function buildPlayground(payload) {
  const buttons = payload.nodes.map(({ name }) => button(name));
  const toolbar = make(
    "div",
    { class: "rw-controls", role: "toolbar", "aria-label": "Process next" },
    make("span", {}, "Process next:"),
    ...buttons,
  );
  const undo = button("Undo", { tabindex: -1, title: "Backspace, or Page Up" });
  const again = button("Start again");
  const place = make("span", { class: "rw-place" });
  const story = storyOf([["", "", ""]]);
  const notice = noticeLine();
  const scene = sceneOf(payload);
  const order = tableOf(payload.order.caption, payload.order.columns);
  const result = tableOf(payload.result.caption, payload.result.columns);
  const second = make("div", { class: "rw-controls rw-bar" }, undo, again, place);
  const root = viewFrame({
    summary: payload.summary,
    scene,
    story,
    bar: make("div", { class: "rw-picks" }, toolbar, second, notice),
    beside: [order.element, result.element],
    hint: payload.hint,
  });
  result.element.classList.add("rw-keep");
  lightTogether(root);
  const fields = { buttons, undo, again, place, story, notice, order, result };
  return { root, scene, ...fields, ...partsOf(scene) };
}

function showPlayground(parts, payload, { moments, ending }) {
  const latest = moments.at(-1) ?? { ...payload, node: null, contributions: [] };
  const end = ending ? [...ending.sentences, payload.walkIt] : [];
  const keys = latest.node === null ? [] : [
    `n${latest.node}`, ...latest.contributions.map(({ edge }) => `e${edge}`),
  ];
  tell(parts.story, latest.heading, [...latest.sentences, ...end], keys);
  parts.place.textContent = `${moments.length} / ${payload.nodes.length}`;
  for (const part of [parts.undo, parts.again]) {
    part.setAttribute("aria-disabled", moments.length === 0);
  }
  const picked = pickedNodes(payload, moments, ending);
  payload.nodes.forEach(({ name }, node) => {
    const { state, sign, place, grad } = picked[node];
    const told = place ? `${sign} ${place}` : "";
    parts.buttons[node].textContent = place ? `${name} ${told}` : name;
    parts.buttons[node].setAttribute("aria-disabled", Boolean(place));
    const receives = latest.contributions.some(({ target }) => target === node);
    const group = parts.nodes.get(String(node));
    const mark = receives ? `${told} +=`.trim() : told;
    if (group) showNode(group, { state, receives, sign: mark, grad });
  });
  showContributions(parts, latest.contributions);
  fillTable(parts.order, moments.map(({ node, upstream }) => {
    const { state, sign, place, grad } = picked[node];
    return { state, cells: [sign, payload.nodes[node].title, place, upstream, grad] };
  }));
  fillTable(parts.result, ending?.rows ?? []);
  parts.order.element.hidden = moments.length === 0;
  parts.result.element.hidden = !ending;
  const targets = latest.contributions.map(({ target }) => `n${target}`);
  scrollTo(parts.scene, [`n${latest.node ?? payload.output}`, ...targets]);
}

/** What the picks made of each node; the place and the sign of a pick are those of its node. */
function pickedNodes({ gradients, signs }, moments, ending) {
  const nodes = gradients.map((grad) => ({ state: "waiting", grad }));
  moments.forEach(({ node, early, contributions }, index) => {
    const sign = early ? signs.early : signs.fine;
    Object.assign(nodes[node], { state: early ? "early" : "done", sign, place: index + 1 });
    for (const { target, grad } of contributions) nodes[target].grad = grad;
  });
  if (moments.length && !ending) nodes[moments.at(-1).node].state = "current";
  return nodes;
}
