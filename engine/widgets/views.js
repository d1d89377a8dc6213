// The front end of the views: it shows what Python computed, and computes no number itself.

const PLAY_MILLISECONDS = 1600;
const SIGNS = { done: "\u2713", current: "\u25ba", receives: "+=", waiting: "" };
const KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", " ": "play",
};
const HINT = "Click here, then: arrow keys or a clicker step, Home and End jump, Space plays. "
  + "Or click a node.";

export default { render };

/** Show a model in an element; returns the function that takes it away again. */
function render({ model, el }) {
  const player = { timer: null };
  const parts = build(model.get("payload"));
  const frames = framesOf(model.get("payload"));
  const last = frames.length - 1;

  const position = () => model.get("index");
  const goTo = (index) => {
    model.set("index", Math.min(Math.max(index, 0), last));
    model.save_changes();
  };
  const stop = () => {
    clearInterval(player.timer);
    player.timer = null;
    parts.buttons.play.setAttribute("aria-pressed", "false");
  };
  const play = () => {
    if (player.timer) return stop();
    goTo(position() === last ? 0 : position() + 1);
    parts.buttons.play.setAttribute("aria-pressed", "true");
    player.timer = setInterval(() => {
      goTo(position() + 1);
      if (position() === last) stop();
    }, PLAY_MILLISECONDS);
  };
  const actions = {
    first: () => goTo(0),
    back: () => goTo(position() - 1),
    next: () => goTo(position() + 1),
    last: () => goTo(last),
  };
  const act = (name) => {
    if (name === "play") return play();
    stop();
    actions[name]();
  };

  for (const [name, button] of Object.entries(parts.buttons)) {
    button.addEventListener("click", () => act(name));
  }
  parts.slider.addEventListener("input", () => {
    stop();
    goTo(Number(parts.slider.value));
  });
  parts.root.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-step]");
    const node = event.target.closest(".rw-node");
    if (!row && !node) return;
    stop();
    goTo(row ? Number(row.dataset.step) : stepOf(frames, Number(node.dataset.node)));
    parts.root.focus({ preventScroll: true });
  });
  parts.root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab" || event.key === "Escape") return;
    event.stopPropagation();
    const name = KEYS[event.key];
    const pressesButton = event.target instanceof HTMLButtonElement && event.key === " ";
    if (!name || pressesButton) return;
    event.preventDefault();
    act(name);
  });

  const show = () => showFrame(parts, frames, position());
  model.on("change:index", show);
  el.append(parts.root);
  const forgetTheme = followTheme(parts.root);
  show();

  return () => {
    stop();
    forgetTheme();
    model.off("change:index", show);
    parts.root.remove();
  };
}

/** Everything that is on the page, found once so that a step only changes looks. */
function build(payload) {
  const buttons = {
    first: make("button", { type: "button" }, "First"),
    back: make("button", { type: "button" }, "Back"),
    next: make("button", { type: "button" }, "Next"),
    last: make("button", { type: "button" }, "Last"),
    play: make("button", { type: "button", "aria-pressed": "false" }, "Play"),
  };
  const slider = make("input", {
    type: "range", min: 0, max: payload.positions.length - 1, step: 1, "aria-label": "Step of the walk",
  });
  const place = make("span", { class: "rw-place" });
  const story = make("div", { class: "rw-story", role: "status", "aria-live": "polite" });
  const lines = 1 + Math.max(...payload.positions.map(({ sentences }) => sentences.length));
  story.style.setProperty("--rw-lines", lines + 0.2);
  const scene = make("div", { class: "rw-scene", role: "group", "aria-label": "Drawing", tabindex: 0 });
  if (payload.svg) scene.append(drawing(payload.svg));
  else scene.append(make("p", {}, payload.notice));
  const rows = payload.rows.map(buildRow);
  const root = make(
    "div",
    { class: "rw-view", role: "group", tabindex: 0, "aria-label": payload.summary },
    make("div", { class: "rw-controls" }, ...Object.values(buttons), slider, place),
    story,
    make("div", { class: "rw-parts" }, scene, table(rows)),
    make("p", { class: "rw-hint" }, HINT),
  );
  return { root, buttons, slider, place, story, scene, rows, ...drawn(scene) };
}

function drawing(markup) {
  const parsed = new DOMParser().parseFromString(markup, "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

function drawn(scene) {
  const byData = (selector, key) =>
    new Map([...scene.querySelectorAll(selector)].map((part) => [part.dataset[key], part]));
  return {
    nodes: byData("[data-node]", "node"),
    edges: byData("[data-edge]", "edge"),
    captions: byData("[data-caption]", "caption"),
  };
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

function table(rows) {
  const heads = ["", "step", "node", "data", "grad"].map((text) =>
    make(text ? "th" : "td", text ? { scope: "col", class: text === "node" ? "rw-name" : "" } : {}, text));
  return make(
    "div",
    { class: "rw-order" },
    make(
      "table",
      { class: "rw-table" },
      make("caption", {}, "The order of the walk"),
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows.map(({ element }) => element)),
    ),
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
    return { ...position, gradients, receives, states };
  });
}

function stepOf(frames, node) {
  return frames.findIndex((frame) => frame.node === node);
}

function showFrame(parts, frames, index) {
  const frame = frames[index];
  parts.story.replaceChildren(
    make("strong", {}, frame.heading),
    ...frame.sentences.map((sentence) => make("p", {}, sentence)),
  );
  parts.slider.value = index;
  parts.slider.setAttribute("aria-valuetext", frame.heading);
  parts.place.textContent = `${index} / ${frames.length - 1}`;
  parts.buttons.first.disabled = parts.buttons.back.disabled = index === 0;
  parts.buttons.last.disabled = parts.buttons.next.disabled = index === frames.length - 1;
  parts.rows.forEach((row, i) => showRow(row, frame, i + 1, index));
  for (const [node, group] of parts.nodes) showNode(group, frame, Number(node));
  showContributions(parts, frame);
  scrollTo(parts.scene, parts.nodes.get(String(frame.node)));
}

function showRow(row, frame, step, index) {
  const state = step === index ? "current" : step < index ? "done" : "waiting";
  const receives = frame.receives.has(row.node) && state !== "current";
  row.element.dataset.state = state;
  row.element.toggleAttribute("data-receives", receives);
  if (state === "current") row.element.setAttribute("aria-current", "step");
  else row.element.removeAttribute("aria-current");
  row.sign.textContent = SIGNS[receives ? "receives" : state];
  row.gradient.textContent = frame.gradients[row.node];
}

function showNode(group, frame, node) {
  const receives = frame.receives.has(node);
  group.dataset.state = frame.states[node];
  group.toggleAttribute("data-receives", receives);
  group.querySelector(".rw-grad").textContent = frame.gradients[node];
  group.querySelector(".rw-mark").textContent = SIGNS[receives ? "receives" : frame.states[node]];
}

function showContributions(parts, frame) {
  for (const part of [...parts.edges.values(), ...parts.captions.values()]) {
    part.removeAttribute("data-active");
  }
  for (const { edge, caption, width } of frame.contributions) {
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

function scrollTo(scene, group) {
  if (!group || scene.scrollWidth <= scene.clientWidth) return;
  const box = group.getBoundingClientRect();
  const view = scene.getBoundingClientRect();
  scene.scrollLeft += box.left + box.width / 2 - view.left - view.width / 2;
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
    const [red, green, blue, alpha = 1] = getComputedStyle(part).backgroundColor.match(/[\d.]+/g).map(Number);
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
