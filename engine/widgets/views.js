// The front end of the views: it shows what Python computed, and computes no number itself.
//
// Each view is a function from a model to { root, show, traits, stop }: the element it lives in,
// what to do when one of the traits has changed, and what to end when it is taken away.

const PLAY_MILLISECONDS = 1600;
const PATIENCE_MILLISECONDS = 4000;
const SIGNS = { done: "\u2713", current: "now", waiting: "" };
const EDITING_KEYS = new Set([
  "a", "c", "v", "x", "y", "z", "ArrowLeft", "ArrowRight", "Backspace", "Delete", "Home", "End",
]);

const VIEWS = {
  walk: walkView,
  predict: predictView,
  playground: playgroundView,
  check: checkView,
  rates: ratesView,
  explorer: explorerView,
};

export default { render };

/** Show a model in an element; returns the function that takes it away again. */
function render({ model, el }) {
  const { root, show, traits, stop } = VIEWS[model.get("view")](model);
  const changes = traits.map((trait) => `change:${trait}`);
  const presenter = presenterMode(model, root, show);
  for (const change of changes) model.on(change, presenter.show);
  el.append(root);
  const forgetTheme = followTheme(root);
  const forgetWidths = followWidths(root);
  presenter.start();
  return () => {
    stop();
    presenter.stop();
    forgetTheme();
    forgetWidths();
    for (const change of changes) model.off(change, presenter.show);
    root.remove();
  };
}

// ---- ReverseWalk ------------------------------------------------------------------------------

const STEP_KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", " ": "play",
};
const STEP_HINT = "Click here, then: arrow keys or a clicker step, Home and End jump, Space plays. "
  + "Or click a node.";

function walkView(model) {
  const payload = model.get("payload");
  const frames = framesOf(payload);
  const last = frames.length - 1;
  const parts = buildWalk(payload);

  const position = () => model.get("index");
  const goTo = (index) => change(model, { index: clamped(index, last) });
  const jumps = {
    first: () => goTo(0),
    back: () => goTo(position() - 1),
    next: () => goTo(position() + 1),
    last: () => goTo(last),
  };
  const player = playButton(parts.buttons.play, () => position() === last, jumps);
  const act = (name) => {
    if (name === "play") return player.toggle();
    player.stop();
    jumps[name]();
  };

  for (const [name, button] of Object.entries(parts.buttons)) {
    button.addEventListener("click", () => act(name));
  }
  parts.slider.addEventListener("input", () => {
    player.stop();
    goTo(Number(parts.slider.value));
  });
  parts.root.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-step]");
    const node = event.target.closest(".rw-node");
    if (!row && !node) return;
    player.stop();
    goTo(row ? Number(row.dataset.step) : stepOf(frames, Number(node.dataset.node)));
    parts.root.focus({ preventScroll: true });
  });
  listenToKeys(parts.root, STEP_KEYS, act);

  return {
    root: parts.root,
    show: () => showFrame(parts, frames, position()),
    traits: ["index"],
    stop: player.stop,
  };
}

/** Everything that is on the page, made once so that a step only changes looks. */
function buildWalk(payload) {
  const buttons = stepButtons();
  const slider = sliderOf(payload.positions, "Step of the walk");
  const place = make("span", { class: "rw-place" });
  const story = storyOf(payload.positions.map(({ sentences }) => sentences));
  const scene = sceneOf(payload);
  const rows = payload.rows.map(buildRow);
  const order = orderTable(rows);
  const root = viewRoot(
    payload.summary,
    make("div", { class: "rw-controls" }, ...Object.values(buttons), slider, place),
    story,
    make("div", { class: "rw-parts" }, scene, order),
    make("p", { class: "rw-hint" }, STEP_HINT),
  );
  return { root, buttons, slider, place, story, scene, order, rows, ...partsOf(scene) };
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

function showFrame(parts, frames, index) {
  const frame = frames[index];
  tell(parts.story, frame.heading, frame.sentences);
  parts.slider.value = index;
  parts.slider.setAttribute("aria-valuetext", frame.heading);
  parts.place.textContent = `${index} / ${frames.length - 1}`;
  for (const name of ["first", "back"]) rest(parts.buttons[name], index === 0);
  for (const name of ["next", "last"]) rest(parts.buttons[name], index === frames.length - 1);
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

// ---- Predict ----------------------------------------------------------------------------------

function predictView(model) {
  const payload = model.get("payload");
  const parts = buildPredict(payload);
  const waiting = patience(parts.notice, payload.noPython);
  let typedSince = false;
  const ask = (kind, text = "") => {
    if (kernelIsGone(model)) return waiting.giveUp();
    waiting.begin();
    parts.input.select();
    typedSince = false;
    model.send({ kind, text, turn: model.get("shown").turn });
  };
  const answer = () => ask("answer", parts.input.value);
  parts.input.addEventListener("input", () => { typedSince = true; });

  listenToTyping(parts.input, answer);
  listenToKeys(parts.root, {}, () => {});
  parts.root.addEventListener("keydown", (event) => {
    const types = event.key.length === 1 && event.key !== " " && !isShortcut(event);
    if (types && event.target !== parts.input) parts.input.focus();
  });
  parts.check.addEventListener("click", answer);
  parts.showMe.addEventListener("click", () => ask("show"));
  parts.again.addEventListener("click", () => ask("again"));

  let before = null;
  return {
    root: parts.root,
    show: () => {
      const page = model.get("shown");
      waiting.end();
      showPredict(parts, page, before, typedSince);
      before = page;
    },
    traits: ["shown"],
    stop: waiting.end,
  };
}

function buildPredict(payload) {
  const question = storyOf([[]]);
  const verdict = storyOf([[""]]);
  verdict.classList.add("rw-verdict");
  const input = textField({ size: 12 });
  const check = button("Check");
  const showMe = button("Show me");
  const again = button("Start again");
  const place = make("span", { class: "rw-place" });
  const form = make("div", { class: "rw-controls" }, input, check, showMe, again, place);
  const notice = noticeLine();
  const scene = sceneOf(payload);
  const table = tableOf(payload.caption, payload.columns);
  const hint = make("p", { class: "rw-hint" }, payload.hint);
  const root = viewRoot(
    payload.summary,
    question,
    form,
    notice,
    verdict,
    make("div", { class: "rw-parts" }, scene, table.element),
    hint,
  );
  root.classList.add("rw-asks");
  const fields = { input, check, showMe, again, place, question, verdict, notice, table, hint };
  return { root, scene, ...fields, ...partsOf(scene) };
}

function showPredict(parts, page, before, typedSince) {
  showVerdict(parts.verdict, page.verdict);  // first, so that it is read aloud before the question
  if (page.heading !== before?.heading) tell(parts.question, page.heading, page.summary);
  parts.place.textContent = page.place;
  showAnswerField(parts, page, before, typedSince);
  page.nodes.forEach((node, index) => {
    const group = parts.nodes.get(String(index));
    if (group) showNode(group, node);
  });
  showContributions(parts, page.contributions);
  fillTable(parts.table, page.rows);
  const current = page.nodes.findIndex(({ state }) => state === "current");
  scrollTo(parts.scene, parts.nodes.get(String(current)));
}

/** What was typed after the last answer stays; the focus stays in the view. */
function showAnswerField({ root, input, check, hint, showMe }, page, before, typedSince) {
  const hadFocus = page !== before && root.contains(document.activeElement);
  input.setAttribute("aria-label", page.question);
  for (const part of [input, check, hint]) part.hidden = page.finished;
  showMe.hidden = !page.mayShow;
  if (!typedSince && before && before.asked !== page.asked) input.value = "";
  else if (!typedSince && document.activeElement === input) input.select();
  if (hadFocus) (page.finished ? root : input).focus({ preventScroll: true });
}

function showVerdict(place, verdict) {
  if (!verdict) return place.replaceChildren();
  place.dataset.kind = verdict.kind;
  tell(place, verdict.heading, verdict.sentences);
}

// ---- GradientCheck ----------------------------------------------------------------------------

const CHECK_KEYS = {
  ArrowRight: "larger", PageUp: "larger", ArrowLeft: "smaller", PageDown: "smaller",
  Home: "smallest", End: "largest", ArrowUp: "up", ArrowDown: "down",
};

function checkView(model) {
  const payload = model.get("payload");
  const parts = buildCheck(payload);
  const last = { place: payload.places.length - 1, chosen: payload.inputs.length - 1 };
  const go = (name, to) => change(model, { [name]: clamped(to, last[name]) });
  const moves = {
    smallest: () => go("place", 0),
    smaller: () => go("place", model.get("place") - 1),
    larger: () => go("place", model.get("place") + 1),
    largest: () => go("place", last.place),
    up: () => go("chosen", model.get("chosen") - 1),
    down: () => go("chosen", model.get("chosen") + 1),
  };
  const onSlider = { up: "larger", down: "smaller" };

  listenToKeys(parts.root, CHECK_KEYS, (name) => {
    const slides = document.activeElement === parts.slider;
    moves[slides ? onSlider[name] ?? name : name]();
  });
  parts.smaller.addEventListener("click", moves.smaller);
  parts.larger.addEventListener("click", moves.larger);
  parts.slider.addEventListener("input", () => go("place", Number(parts.slider.value)));
  parts.root.addEventListener("click", ({ target }) => {
    const row = target.closest("tr[data-input]");
    if (!row) return;
    go("chosen", Number(row.dataset.input));
    if (!target.closest("input")) parts.root.focus({ preventScroll: true });
  });
  parts.root.addEventListener("change", ({ target }) => {
    if (target.type === "radio") go("chosen", Number(target.value));
  });

  let drawn = null;
  return {
    root: parts.root,
    show: () => {
      const [place, chosen] = [model.get("place"), model.get("chosen")];
      if (drawn !== chosen) drawChart(parts, payload.inputs[chosen]);
      drawn = chosen;
      showCheck(parts, payload, place, chosen);
    },
    traits: ["place", "chosen"],
    stop: () => {},
  };
}

function buildCheck(payload) {
  const smaller = button("Smaller h");
  const larger = button("Larger h");
  const slider = sliderOf(payload.places, payload.slider);
  const place = make("span", { class: "rw-place" });
  const story = storyOf([["", ""], ...payload.inputs.flatMap(({ sentences }) => sentences)]);
  const table = tableOf(payload.caption, payload.columns);
  const group = `rw-${Math.random().toString(36).slice(2)}`;
  const rows = payload.inputs.map((input, index) => buildCheckRow(input, index, group));
  table.body.append(...rows.map(({ element }) => element));
  const scene = sceneOf({ notice: "" });
  scene.setAttribute("aria-label", "Plot");
  const note = make("p", { class: "rw-note" });
  const root = viewRoot(
    payload.summary,
    make("div", { class: "rw-controls" }, smaller, slider, larger, place),
    story,
    make("div", { class: "rw-parts" }, table.element, make("div", { class: "rw-plot" }, scene, note)),
    make("p", { class: "rw-hint" }, payload.hint),
  );
  root.classList.add("rw-check");
  return { root, smaller, larger, slider, place, story, rows, scene, note };
}

function buildCheckRow({ name, data, gradient }, index, group) {
  const radio = make("input", {
    type: "radio", name: group, value: index, "aria-label": `plot of ${name}`,
  });
  const cells = {
    central: make("td", {}),
    absolute: make("td", {}),
    relative: make("td", {}),
    verdict: make("td", { class: "rw-verdict-cell" }),
  };
  const element = make(
    "tr",
    { "data-input": index },
    make("td", {}, radio),
    make("th", { scope: "row" }, name),
    make("td", {}, data),
    make("td", {}, gradient),
    ...Object.values(cells),
  );
  return { element, radio, cells };
}

function drawChart({ scene, note }, input) {
  putDrawing(scene, input.svg);
  note.textContent = input.note;
}

function showCheck(parts, payload, place, chosen) {
  const shown = payload.places[place];
  tell(parts.story, shown.heading, payload.inputs[chosen].sentences[place]);
  parts.slider.value = place;
  parts.slider.setAttribute("aria-valuetext", `h = ${shown.step}`);
  parts.place.textContent = `h = ${shown.step}`;
  rest(parts.smaller, place === 0);
  rest(parts.larger, place === payload.places.length - 1);
  parts.rows.forEach((row, index) => showCheckRow(row, shown.rows[index], index === chosen));
  const marker = parts.scene.querySelector(".rw-now");
  marker.setAttribute("transform", `translate(${shown.x} 0)`);
  scrollTo(parts.scene, marker);
  for (const point of parts.scene.querySelectorAll("[data-place]")) {
    point.toggleAttribute("data-now", point.dataset.place === String(place));
  }
}

function showCheckRow({ element, radio, cells }, row, isChosen) {
  element.dataset.state = row.state;
  element.toggleAttribute("data-chosen", isChosen);
  const radioHadFocus = document.activeElement?.name === radio.name;
  radio.checked = isChosen;
  if (isChosen && radioHadFocus) radio.focus({ preventScroll: true });
  cells.central.textContent = row.central;
  cells.absolute.textContent = row.absolute;
  cells.relative.textContent = row.relative;
  cells.verdict.textContent = `${row.mark} ${row.verdict}`;
}

// ---- LearningRates ----------------------------------------------------------------------------

const RATE_KEYS = {
  ArrowRight: "larger", ArrowUp: "larger", PageUp: "larger",
  ArrowLeft: "smaller", ArrowDown: "smaller", PageDown: "smaller",
  Home: "smallest", End: "largest",
};

function ratesView(model) {
  const payload = model.get("payload");
  const last = payload.places.length - 1;
  const parts = buildRates(payload);
  const place = () => model.get("place");
  const go = (to) => change(model, { place: clamped(to, last) });
  const moves = {
    smallest: () => go(0),
    smaller: () => go(place() - 1),
    larger: () => go(place() + 1),
    largest: () => go(last),
  };
  listenToKeys(parts.root, RATE_KEYS, (name) => moves[name]());
  parts.smaller.addEventListener("click", moves.smaller);
  parts.larger.addEventListener("click", moves.larger);
  parts.slider.addEventListener("input", () => go(Number(parts.slider.value)));
  return {
    root: parts.root,
    show: () => showRate(parts, payload.places[place()], place(), last),
    traits: ["place"],
    stop: () => {},
  };
}

function buildRates({ summary, slider: name, hint, places }) {
  const smaller = button("Smaller");
  const larger = button("Larger");
  const slider = sliderOf(places, name);
  const rate = make("span", { class: "rw-place" });
  const story = storyOf(places.map(({ sentences }) => sentences));
  const picture = make("img");
  const root = viewRoot(
    summary,
    make("div", { class: "rw-controls" }, smaller, slider, larger, rate),
    story,
    make("div", { class: "rw-parts" }, make("div", { class: "rw-scene" }, picture)),
    make("p", { class: "rw-hint" }, hint),
  );
  return { root, smaller, larger, slider, rate, story, picture };
}

function showRate(parts, shown, place, last) {
  tell(parts.story, shown.heading, shown.sentences);
  parts.slider.value = place;
  parts.slider.setAttribute("aria-valuetext", shown.rate);
  parts.rate.textContent = shown.rate;
  rest(parts.smaller, place === 0);
  rest(parts.larger, place === last);
  const { picture: src, alt, width, height } = shown;
  Object.assign(parts.picture, { src, alt, width, height });
}

// ---- OrderPlayground --------------------------------------------------------------------------

const PICK_KEYS = {
  ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back",
  Home: "first", End: "last", Backspace: "undo",
};

function playgroundView(model) {
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
  const moves = {
    next: () => clamped(focused + 1, buttons.length - 1),
    back: () => clamped(focused - 1, buttons.length - 1),
    first: () => 0,
    last: () => buttons.length - 1,
  };

  listenToKeys(root, PICK_KEYS, (name) => {
    if (name === "undo") return undo();
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
}

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
  const undo = button("Undo");
  const again = button("Start again");
  const place = make("span", { class: "rw-place" });
  const story = storyOf([["", "", ""]]);
  const notice = noticeLine();
  const scene = sceneOf(payload);
  const order = tableOf(payload.order.caption, payload.order.columns);
  const result = tableOf(payload.result.caption, payload.result.columns);
  const root = viewRoot(
    payload.summary,
    toolbar,
    make("div", { class: "rw-controls rw-second" }, undo, again, place),
    notice,
    story,
    make("div", { class: "rw-parts" }, scene, order.element, result.element),
    make("p", { class: "rw-hint" }, payload.hint),
  );
  const fields = { buttons, undo, again, place, story, notice, order, result };
  return { root, scene, ...fields, ...partsOf(scene) };
}

function showPlayground(parts, payload, { moments, ending }) {
  const latest = moments.at(-1) ?? { ...payload, node: null, contributions: [] };
  const end = ending ? [...ending.sentences, payload.walkIt] : [];
  tell(parts.story, latest.heading, [...latest.sentences, ...end]);
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
  scrollTo(parts.scene, parts.nodes.get(String(latest.node ?? payload.output)));
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

/** Of the buttons of a toolbar only one is in the way of the Tab key. */
function rove(buttons, focused) {
  buttons.forEach((element, place) => { element.tabIndex = place === focused ? 0 : -1; });
}

// ---- GraphExplorer ----------------------------------------------------------------------------

const EXPLORE_KEYS = {
  PageDown: "next", PageUp: "back", Home: "first", End: "last", Backspace: "undo",
};
const MOVE_KEYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function explorerView(model) {
  const payload = model.get("payload");
  const parts = buildExplorer(payload);
  const { root, scene, buttons, notice } = parts;
  const waiting = patience(notice, payload.noPython);
  let drawing = { page: { svg: null, hops: null }, items: [], nodes: new Map() };
  let chosen = null;

  const ask = (message) => {
    if (kernelIsGone(model)) return waiting.giveUp();
    waiting.begin();
    model.send(message);
  };
  const act = {
    open: (path) => ask({ do: "open", path }),
    close: (path) => ask({ do: "close", path }),
    each: (path) => ask({ do: "each", path }),
    path: (node) => ask({ do: "path", node }),
    around: (node) => ask({ do: "around", node, hops: Number(parts.hops.value) }),
    search: () => ask({ do: "search", text: parts.input.value }),
    boxes: () => ask({ do: "boxes" }),
  };

  const last = () => drawing.page.positions.length - 1;
  const position = () => {
    const [number, index] = model.get("stepped");
    return number === drawing.page.number ? clamped(index, last()) : 0;
  };
  const goTo = (index) => change(model, { stepped: [drawing.page.number, clamped(index, last())] });
  const jumps = {
    first: () => goTo(0),
    back: () => goTo(position() - 1),
    next: () => goTo(position() + 1),
    last: () => goTo(last()),
    undo: () => { if (drawing.page.canGoBack) ask({ do: "back" }); },
  };
  const player = playButton(buttons.play, () => position() === last(), jumps);
  const jump = (name) => {
    if (name === "play") return player.toggle();
    player.stop();
    jumps[name]();
  };

  const choose = (item) => {
    chosen = item;
    for (const other of drawing.items) {
      other.tabIndex = other === item ? 0 : -1;
      other.toggleAttribute("data-chosen", other === item);
    }
    showChosen(parts, payload, drawing.page, item, act);
  };
  const press = (item) => {
    const { frame, box } = itemOf(drawing.page, item);
    if (frame) return act.close(frame.path);
    if (box.node !== null) return act.around(box.node);
    if (box.path) act.open(box.path);
  };

  for (const [name, element] of Object.entries(buttons)) {
    element.addEventListener("click", () => jump(name));
  }
  listenToTyping(parts.input, act.search);
  parts.find.addEventListener("click", act.search);
  parts.undo.addEventListener("click", jumps.undo);
  parts.boxes.addEventListener("click", act.boxes);
  parts.larger.addEventListener("click", () => {
    const large = scene.toggleAttribute("data-large");
    parts.larger.setAttribute("aria-pressed", large);
  });
  listenToItems(scene, () => drawing.items, {
    choose: (item) => { if (item !== chosen) choose(item); },
    press,
  });
  root.addEventListener("keydown", (event) => {
    const name = EXPLORE_KEYS[event.key];
    if (event.target.matches("input, select") || !name || isShortcut(event)) return;
    event.preventDefault();
    jump(name);
  });
  listenToKeys(root, {}, () => {});

  /** Put a new drawing up, and keep what was chosen and where the focus was. */
  const draw = (page) => {
    const replaced = [scene, parts.details, parts.crumbs];
    const held = replaced.some((part) => part.contains(document.activeElement));
    const before = chosen ? itemOf(drawing.page, chosen) : {};
    player.stop();
    parts.boxes.hidden = !page.single;
    root.setAttribute("aria-label", page.summary);
    drawing = { page, ...putExplored(scene, page) };
    showCrumbs(parts.crumbs, page, act);
    chosen = null;
    const item = sameItem(drawing, before);
    if (item) choose(item);
    else showChosen(parts, payload, page, null, act);
    if (held) (item ?? root).focus({ preventScroll: !item });
  };
  return {
    root,
    show: () => {
      const page = model.get("shown");
      waiting.end();
      notice.textContent = page.notice;
      if (page.hops && page.hops !== drawing.page.hops) parts.hops.value = page.hops;
      if (page.svg !== drawing.page.svg || page.boxes.length !== drawing.page.boxes?.length) {
        draw(page);
      } else {
        drawing.page = page;
      }
      rest(parts.undo, !page.canGoBack);
      showFound(parts, payload, page, act);
      showExplored(parts, drawing, position());
    },
    traits: ["shown", "stepped"],
    stop: () => {
      player.stop();
      waiting.end();
    },
  };
}

/** Boxes and frames of a drawing: the focus chooses one, arrow keys go to its neighbors. */
function listenToItems(scene, items, { choose, press }) {
  const itemAt = (target) => target.closest("[data-node], [data-frame]");
  scene.addEventListener("focusin", ({ target }) => {
    const item = itemAt(target);
    if (item) choose(item);
  });
  scene.addEventListener("click", ({ target }) => {
    itemAt(target)?.focus({ preventScroll: true });
  });
  scene.addEventListener("dblclick", ({ target }) => {
    const item = itemAt(target);
    if (item) press(item);
  });
  scene.addEventListener("keydown", (event) => {
    const item = itemAt(event.target);
    const direction = MOVE_KEYS[event.key];
    const presses = event.key === "Enter" || event.key === " ";
    if (!item || !items().length || isShortcut(event) || !(direction || presses)) return;
    event.stopPropagation();
    event.preventDefault();
    if (direction) nearest(items(), item, direction)?.focus();
    else press(item);
  });
}

function buildExplorer(payload) {
  const input = textField({ size: 14, "aria-label": "Label of a node, or a part of it" });
  const [usual, most] = payload.hops;
  const choices = Array.from({ length: most }, (_, place) => make("option", {}, String(place + 1)));
  choices[usual - 1].selected = true;
  const hops = make("select", {}, ...choices);
  const find = button("Find");
  const undo = button("Drawing before");
  const boxes = button("Back to the boxes");
  const buttons = stepButtons();
  const place = make("span", { class: "rw-place" });
  const story = storyOf([["", "", ""]]);
  const notice = noticeLine();
  const scene = make("div", { class: "rw-scene", role: "group", "aria-label": "Drawing" });
  const crumbs = make("span", { class: "rw-controls", role: "group", "aria-label": "Open boxes" });
  const details = make("div", { class: "rw-details" });
  const found = make("div", { class: "rw-found" });
  const larger = button("Larger", { "aria-pressed": "false" });
  const walk = { class: "rw-controls rw-second", role: "group", "aria-label": "Walk back" };
  const root = viewRoot(
    payload.summary,
    make(
      "div",
      { class: "rw-controls" },
      input,
      find,
      make("label", {}, "Neighborhood: ", hops, " hops"),
    ),
    found,
    notice,
    make("div", { class: "rw-controls" }, undo, boxes, larger, crumbs),
    make("div", walk, "Walk back:", ...Object.values(buttons), place),
    story,
    make("div", { class: "rw-parts" }, scene, details),
    make("p", { class: "rw-hint" }, payload.hint),
  );
  root.classList.add("rw-explorer");
  return {
    root, input, hops, find, undo, boxes, larger, buttons, place, story, notice, scene, crumbs,
    details, found,
  };
}

/** Put a drawing up; each box and each open frame in it can be reached and pressed. */
function putExplored(scene, page) {
  if (!page.svg) {
    scene.replaceChildren(make("p", {}, page.noPicture));
    return { items: [], ...partsOf(scene) };
  }
  putDrawing(scene, page.svg);
  const picture = scene.querySelector("svg");
  picture.setAttribute("role", "group");
  const items = [...picture.querySelectorAll("[data-node], [data-frame]")];
  items.forEach((item, place) => {
    const { frame, box } = itemOf(page, item);
    item.tabIndex = place === 0 ? 0 : -1;
    item.setAttribute("role", "button");
    item.setAttribute("aria-label", frame ? `${frame.name}, open` : box.label);
    if (frame || box.path) item.setAttribute("aria-expanded", Boolean(frame));
  });
  return { items, ...partsOf(scene) };
}

/** The box or the frame that a part of the drawing stands for. */
function itemOf(page, { dataset }) {
  if (dataset.frame !== undefined) return { frame: page.frames[Number(dataset.frame)] };
  return { box: page.boxes[Number(dataset.node)], place: Number(dataset.node) };
}

/** What in a new drawing stands for the same scope or node as before. */
function sameItem({ page, items }, { frame, box }) {
  const path = frame?.path ?? box?.path;
  const same = items.find((item) => {
    const now = itemOf(page, item);
    if (path) return (now.frame ?? now.box).path === path;
    return box && box.node !== null && now.box?.node === box.node;
  });
  return same ?? items[0];
}

/** The item that lies next in a direction, sideways counting more than straight on. */
function nearest(items, from, [x, y]) {
  const middle = (item) => {
    const { left, top, width, height } = item.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [fromX, fromY] = middle(from);
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const [toX, toY] = middle(item);
    const ahead = (toX - fromX) * x + (toY - fromY) * y;
    const aside = Math.abs((toX - fromX) * y) + Math.abs((toY - fromY) * x);
    if (item === from || ahead < 4 || ahead + 2 * aside >= least) continue;
    best = item;
    least = ahead + 2 * aside;
  }
  return best;
}

function showCrumbs(crumbs, page, act) {
  const buttons = page.frames.map(({ path, title, name }) => {
    const element = button(title, { title: path, "aria-label": `Close ${name}` });
    element.addEventListener("click", () => act.close(path));
    return element;
  });
  crumbs.replaceChildren("Close:", ...buttons);
  crumbs.hidden = buttons.length === 0;
}

function showChosen({ details }, payload, page, item, act) {
  if (!item) return details.replaceChildren();
  const { frame, box } = itemOf(page, item);
  const buttons = [];
  const offer = (text, does, what) => {
    const element = button(text);
    element.addEventListener("click", () => does(what));
    buttons.push(element);
  };
  if (frame) offer("Close", act.close, frame.path);
  if (box?.path) offer("Open", act.open, box.path);
  if (box?.members.length) {
    offer("One by one", act.each, box.path);
    buttons.push(memberChoice(box, act));
  }
  if (box?.alone) offer("Fold with the others", act.close, box.path);
  const rows = box?.rows ?? [];
  const caption = box?.path ? "The largest gradients in it" : "This node";
  details.replaceChildren(
    make("strong", {}, (frame ?? box).title),
    ...(box?.sentences ?? []).map((sentence) => make("p", {}, sentence)),
    ...(buttons.length ? [make("div", { class: "rw-controls" }, ...buttons)] : []),
    ...(rows.length ? [nodeTable(caption, payload.columns, rows, act)] : []),
  );
}

function memberChoice({ members }, act) {
  const choices = members.map((path) => make("option", { value: path }, path));
  const choice = make("select", { "aria-label": "One of them" }, ...choices);
  const alone = button("Open this one");
  alone.addEventListener("click", () => act.open(choice.value));
  return make("span", { class: "rw-choice" }, choice, alone);
}

function showFound({ found }, payload, page, act) {
  if (!page.found) return found.replaceChildren();
  const { sentence, rows } = page.found;
  if (found.dataset.sentence === sentence && found.childElementCount) return;
  found.dataset.sentence = sentence;
  found.replaceChildren(
    make("p", { role: "status" }, sentence),
    ...(rows.length ? [nodeTable("Found", payload.columns, rows, act)] : []),
  );
}

/** A table of single nodes, each with a way to its strongest path and to its neighborhood. */
function nodeTable(caption, columns, rows, act) {
  const heads = [...columns.map((text, place) => columnHead(text, place < 2)), columnHead("")];
  const body = rows.map(({ node, cells: [name, scope, ...numbers] }) => {
    const path = button("Path", { "aria-label": `Strongest path from ${name}` });
    const near = button("Around", { "aria-label": `Neighborhood of ${name}` });
    path.addEventListener("click", () => act.path(node));
    near.addEventListener("click", () => act.around(node));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", { class: "rw-name" }, scope),
      ...numbers.map((text) => make("td", {}, text)),
      make("td", { class: "rw-controls" }, path, near),
    );
  });
  return tableBox(caption, heads, make("tbody", {}, ...body));
}

function showExplored(parts, { page, nodes, edges, captions }, index) {
  const { heading, sentences, box: current, contributions } = page.positions[index];
  const last = page.positions.length - 1;
  if (index === 0) tell(parts.story, page.story[0], page.story.slice(1));
  else tell(parts.story, heading, sentences);
  parts.place.textContent = `${index} / ${last}`;
  for (const name of ["first", "back"]) rest(parts.buttons[name], index === 0);
  for (const name of ["next", "last"]) rest(parts.buttons[name], index === last);
  const done = new Set(page.positions.slice(1, index).map(({ box }) => box));
  page.boxes.forEach(({ grad }, place) => {
    const receives = contributions.some(({ target }) => target === place);
    const state = place === current ? "current" : done.has(place) ? "done" : "waiting";
    const group = nodes.get(String(place));
    const sign = receives ? "+=" : SIGNS[state];
    if (group) showNode(group, { state, receives, sign, grad });
  });
  showContributions({ edges, captions }, contributions);
  scrollTo(parts.scene, nodes.get(String(current)));
}

// ---- the drawing ------------------------------------------------------------------------------

/** The element a drawing lives in, or the notice that there is none. */
function sceneOf({ svg, notice }) {
  const scene = make("div", {
    class: "rw-scene", role: "group", "aria-label": "Drawing", tabindex: 0,
  });
  if (svg) putDrawing(scene, svg);
  else scene.append(make("p", {}, notice));
  return scene;
}

function putDrawing(scene, markup) {
  const parsed = new DOMParser().parseFromString(markup, "image/svg+xml");
  const picture = document.importNode(parsed.documentElement, true);
  const width = `${picture.getAttribute("width")}px`;
  for (const part of [scene, picture]) part.style.setProperty("--rw-width", width);
  scene.replaceChildren(picture);
}

/** The parts of a drawing that change their looks, found by what they stand for. */
function partsOf(scene) {
  const byData = (selector, key) =>
    new Map([...scene.querySelectorAll(selector)].map((part) => [part.dataset[key], part]));
  return {
    nodes: byData("[data-node]", "node"),
    edges: byData("[data-edge]", "edge"),
    captions: byData("[data-caption]", "caption"),
  };
}

function showNode(group, { state, receives, sign, grad }) {
  group.dataset.state = state;
  group.toggleAttribute("data-receives", receives);
  group.querySelector(".rw-grad").textContent = grad;
  group.querySelector(".rw-mark").textContent = sign;
}

/** Let the arrows carry these contributions, and no others. */
function showContributions(parts, contributions) {
  for (const part of [...parts.edges.values(), ...parts.captions.values()]) {
    part.removeAttribute("data-active");
  }
  for (const { edge, caption, width } of contributions) {
    parts.edges.get(edge)?.setAttribute("data-active", "");
    const label = parts.captions.get(edge);
    if (!label) continue;
    label.setAttribute("data-active", "");
    label.querySelector(".rw-product").textContent = caption;
    const pill = label.querySelector(".rw-pill");
    pill.setAttribute("width", width);
    pill.setAttribute("x", -width / 2);
  }
}

/** The part of each drawing that has to be in sight. */
const inSight = new WeakMap();

function scrollTo(scene, group) {
  inSight.set(scene, group);
  if (!group) return;
  const box = group.getBoundingClientRect();
  const view = scene.getBoundingClientRect();
  scene.scrollLeft += box.left + box.width / 2 - view.left - view.width / 2;
  scene.scrollTop += box.top + box.height / 2 - view.top - view.height / 2;
}

/** Keep that part in sight when a drawing gets another width; returns the function that stops. */
function followWidths(root) {
  const widths = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect: { width } } of entries) {
      if (width === widths.get(target)) continue;
      widths.set(target, width);
      scrollTo(target, inSight.get(target));
    }
  });
  for (const scene of root.querySelectorAll(".rw-scene")) observer.observe(scene);
  return () => observer.disconnect();
}

function scrollDownTo(around, row) {
  if (around.scrollHeight <= around.clientHeight) return;
  const box = row.getBoundingClientRect();
  const view = around.getBoundingClientRect();
  around.scrollTop += box.top + box.height / 2 - view.top - view.height / 2;
}

// ---- presenter mode ---------------------------------------------------------------------------

const PRESENTER_HINT = " P: large type for a projector. F: full screen. "
  + "In presenter mode, ? shows this line.";
const LARGE_TYPE = 17;  // of a drawing, whose boxes are made for 14
const LARGEST_SCALE = 2.5;
const LEGIBLE_SCALE = 1.42;

/** The view for a projector: by its trait, by a button, or by the keys P, F and ?. */
function presenterMode(model, root, showView) {
  const large = button("Presenter", {
    title: "P: large type and strong contrast for a projector, the sentence first",
  });
  const full = button("Full screen", { title: "F: this view fills the screen; Esc leaves" });
  full.hidden = !document.fullscreenEnabled;
  const row = root.querySelector(".rw-second") ?? root.querySelector(".rw-controls");
  row.append(make("span", { class: "rw-present" }, large, full));
  root.querySelector(".rw-hint").append(PRESENTER_HINT);

  const isFull = () => root.matches(":fullscreen");
  const isLarge = () => root.hasAttribute("data-presenter");
  const show = () => {
    showView();
    if (isLarge() && fitLarge(root)) showView();
  };
  const look = () => {
    const looksLarge = isFull() || Boolean(model.get("presenter"));
    root.toggleAttribute("data-presenter", looksLarge);
    root.toggleAttribute("data-full", isFull());
    root.removeAttribute("data-tight");
    forgetLarge(root);
    // The screen has its own size, whatever the page around the view has zoomed to.
    root.style.zoom = isFull() ? 1 / (root.parentElement.currentCSSZoom ?? 1) : "";
    large.setAttribute("aria-pressed", looksLarge);
    full.setAttribute("aria-pressed", isFull());
    show();
  };
  const followScreen = () => {
    if (isFull() || root.hasAttribute("data-full")) look();
  };
  const setLarge = (presenter) => change(model, { presenter });
  const act = {
    p: () => {
      const before = isLarge();
      if (isFull()) document.exitFullscreen();
      setLarge(!before);
    },
    f: () => {
      if (isFull()) document.exitFullscreen();
      else if (document.fullscreenEnabled) root.requestFullscreen().catch(() => setLarge(true));
    },
    "?": () => root.toggleAttribute("data-helps"),
  };

  large.addEventListener("click", act.p);
  full.addEventListener("click", act.f);
  root.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const types = event.target.matches("input[type=text], select");
    if (types || isShortcut(event) || !(key in act)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    act[key]();
  }, true);
  return {
    show,
    start: () => {
      model.on("change:presenter", look);
      document.addEventListener("fullscreenchange", followScreen);
      addEventListener("resize", followScreen);
      look();
    },
    stop: () => {
      model.off("change:presenter", look);
      document.removeEventListener("fullscreenchange", followScreen);
      removeEventListener("resize", followScreen);
    },
  };
}

/** Use the room there is; says whether the drawing has another size than before. */
function fitLarge(root) {
  if (!root.matches(".rw-check, .rw-explorer")) fitTexts(root);
  const scene = root.querySelector(".rw-scene");
  const drawing = scene.querySelector("svg");
  if (!drawing || !root.hasAttribute("data-full")) return false;
  const { width, height } = drawing.viewBox.baseVal;
  const before = drawing.style.width;
  const wide = () => Math.min(scene.clientWidth / width, LARGEST_SCALE);
  const high = () => scene.clientHeight / height;
  const overflows = root.scrollHeight > root.clientHeight;
  if (overflows || high() < wide()) root.setAttribute("data-tight", "");
  const fits = Math.min(wide(), high());
  // What has to be scrolled anyway is scrolled at a size that the back row can read.
  const [least, scrolled] = root.matches(".rw-explorer") ? [0.6, 0.6] : [1, LEGIBLE_SCALE];
  drawing.style.width = `${Math.floor((fits < least ? scrolled : fits) * width)}px`;
  return drawing.style.width !== before;
}

/** Write as large as the boxes of a drawing and its arrows allow. */
function fitTexts(root) {
  const nodes = [...root.querySelectorAll(".rw-node")];
  for (const { style } of nodes) style.fontSize ||= `${LARGE_TYPE}px`;
  const shares = nodes.map(roomForText);
  nodes.forEach(({ style }, place) => {
    if (shares[place] < 1) style.fontSize = `${shares[place] * parseFloat(style.fontSize)}px`;
  });
  for (const caption of root.querySelectorAll(".rw-caption[data-active]")) fitCaption(caption);
}

/** How much of the size of its texts a box has room for: 1 where they fit as they are. */
function roomForText(node) {
  const length = (name) => node.querySelector(name).getComputedTextLength();
  const width = Number(node.querySelector(".rw-box").getAttribute("width"));
  const line = length(".rw-key") + Math.max(length(".rw-data"), length(".rw-grad"));
  return Math.min(1, (width - 8) / length(".rw-title"), (width - 30) / line);
}

/** An arrow has room for its caption as it was, and for little more. */
function fitCaption(caption) {
  const product = caption.querySelector(".rw-product");
  const pill = caption.querySelector(".rw-pill");
  const room = Number(pill.getAttribute("width")) + 2;
  product.style.fontSize = `${LARGE_TYPE}px`;
  const length = product.getComputedTextLength();
  product.style.fontSize = `${Math.min(1, room / length) * LARGE_TYPE}px`;
  const width = Math.min(length, room) + 6;
  pill.setAttribute("width", width);
  pill.setAttribute("x", -width / 2);
}

function forgetLarge(root) {
  for (const part of root.querySelectorAll(".rw-node, .rw-product")) part.style.fontSize = "";
  for (const drawing of root.querySelectorAll(".rw-scene svg")) drawing.style.width = "";
}

// ---- what all views are made of ---------------------------------------------------------------

function viewRoot(summary, ...children) {
  return make(
    "div",
    { class: "rw-view", role: "group", tabindex: 0, "aria-label": summary },
    ...children,
  );
}

function button(text, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", (event) => {
    if ("rests" in element.dataset) event.stopImmediatePropagation();
  });
  return element;
}

function sliderOf(places, name) {
  return make("input", {
    type: "range", min: 0, max: places.length - 1, step: 1, "aria-label": name,
  });
}

function textField(attributes) {
  return make("input", {
    type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes,
  });
}

function stepButtons() {
  return {
    first: button("First", { title: "Home" }),
    back: button("Back", { title: "Page Up" }),
    next: button("Next", { title: "Page Down" }),
    last: button("Last", { title: "End" }),
    play: button("Play", { "aria-pressed": "false" }),
  };
}

/** Let a button rest: it does nothing, but keeps the focus, without which keys go to JupyterLab. */
function rest(element, rests) {
  element.toggleAttribute("data-rests", rests);
  element.setAttribute("aria-disabled", rests);
}

/** A place for sentences, read aloud when they change, with room for the longest of them. */
function storyOf(stories) {
  const story = make("div", { class: "rw-story", role: "status", "aria-live": "polite" });
  const lines = 1 + Math.max(...stories.map((sentences) => sentences.length));
  story.style.setProperty("--rw-lines", lines + 0.2);
  return story;
}

function tell(story, heading, sentences) {
  story.replaceChildren(
    make("strong", {}, heading),
    ...sentences.map((sentence) => make("p", {}, sentence)),
  );
}

/** A button that goes on to the end, until it is pressed again; pressed at the end it starts over. */
function playButton(element, isAtEnd, { first, next }) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    element.setAttribute("aria-pressed", "false");
  };
  const goOn = () => {
    if (!isAtEnd()) next();
    if (isAtEnd()) stop();
  };
  const toggle = () => {
    if (timer) return stop();
    if (isAtEnd()) first();
    else next();
    if (isAtEnd()) return;
    element.setAttribute("aria-pressed", "true");
    timer = setInterval(goOn, PLAY_MILLISECONDS);
  };
  return { toggle, stop };
}

/** A line that says what is in the way, read aloud when it appears. */
function noticeLine() {
  return make("p", { class: "rw-notice", role: "status" });
}

/** Say so where no answer of Python's comes in time. */
function patience(notice, silence) {
  let timer = null;
  const giveUp = () => { notice.textContent = silence; };
  const end = () => {
    clearTimeout(timer);
    notice.textContent = "";
  };
  const begin = () => {
    end();
    timer = setTimeout(giveUp, PATIENCE_MILLISECONDS);
  };
  return { begin, end, giveUp };
}

/** A table in a box that scrolls when it is too large. */
function tableBox(caption, heads, body, attributes = {}) {
  const table = make(
    "table",
    { class: "rw-table" },
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads)),
    body,
  );
  const box = { class: "rw-order", role: "group", "aria-label": caption, tabindex: 0 };
  return make("div", { ...box, ...attributes }, table);
}

/** The head of a column of numbers, or of names; without a text it is no head. */
function columnHead(text, holdsNames = false) {
  if (!text) return make("td", {});
  return make("th", { scope: "col", ...(holdsNames ? { class: "rw-name" } : {}) }, text);
}

/** A table whose rows are { state, cells }; the second cell of a row names it. */
function tableOf(caption, columns) {
  const heads = columns.map((text, place) => columnHead(text, place === 1));
  const body = make("tbody", {});
  return { element: tableBox(caption, heads, body), body };
}

function fillTable({ body }, rows) {
  body.replaceChildren(
    ...rows.map(({ state, cells }) => {
      const [sign, name, ...others] = cells;
      return make(
        "tr",
        { "data-state": state, ...(state === "current" ? { "aria-current": "step" } : {}) },
        make("td", { class: "rw-sign" }, sign),
        make("th", { scope: "row" }, name),
        ...others.map((text) => make("td", {}, text)),
      );
    }),
  );
}

/** Keys with these belong to the browser or to JupyterLab. */
function isShortcut({ ctrlKey, metaKey, altKey }) {
  return ctrlKey || metaKey || altKey;
}

/** In a text field typing and editing stay there, and Enter acts. */
function listenToTyping(input, act) {
  input.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && EDITING_KEYS.has(event.key)) event.stopPropagation();
    if (event.key !== "Enter" || event.isComposing) return;
    event.stopPropagation();
    event.preventDefault();
    act();
  });
}

/** Act on keys while the focus is inside, and keep JupyterLab from acting on any of them. */
function listenToKeys(root, keys, act) {
  root.addEventListener("keydown", (event) => {
    if (isShortcut(event)) return;
    if (event.key === "Tab" || event.key === "Escape") return;
    event.stopPropagation();
    const name = keys[event.key];
    const pressesButton = event.target instanceof HTMLButtonElement && event.key === " ";
    if (!name || pressesButton) return;
    event.preventDefault();
    act(name);
  });
}

/** The nearest place from 0 to the last. */
function clamped(place, last) {
  return Math.min(Math.max(place, 0), last);
}

/** Set traits, here at once and in Python when it can hear. */
function change(model, traits) {
  for (const [name, value] of Object.entries(traits)) model.set(name, value);
  if (!kernelIsGone(model)) model.save_changes();
}

/** JupyterLab tells of its kernel; other hosts say nothing, and are asked to pass changes on. */
function kernelIsGone(model) {
  const kernel = model.widget_manager?.kernel;
  return kernel === null || Boolean(kernel?.isDisposed) || kernel?.status === "dead";
}

/** Keep data-theme in step with the page around; returns the function that stops. */
function followTheme(root) {
  const update = () => {
    root.dataset.theme = isDark(root) ? "dark" : "light";
  };
  const observer = new MutationObserver(update);
  for (const page of [document.documentElement, document.body]) {
    observer.observe(page, { attributes: true });
  }
  update();
  return () => observer.disconnect();
}

function isDark(root) {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return !vscodeThemeKind.includes("light");
  for (let part = root.parentElement; part; part = part.parentElement) {
    const color = getComputedStyle(part).backgroundColor.match(/[\d.]+/g) ?? [];
    const [red, green, blue, alpha = 1] = color.map(Number);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return false;
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
