// What the views share. The page shows what Python computed; each view has one more file beside this
// one, and all are joined as text into one module (engine/widgets/front_end.py): no build step, and
// every name at the top of a file has to be the only one of its kind.
//
// A view says VIEWS.kind = (model) => ({ root, show, traits, stop }): the element it lives in, what to
// do when one of the traits has changed, and what to end when it is taken away. It gets from here:
// - render: theme, presenter mode, full screen, and show() called at the start and after changes;
// - sceneOf(payload), putDrawing(scene, svg), partsOf(scene): the drawing, found by data-node,
//   data-edge and data-caption; showNode and showContributions change how it looks;
// - scrollTo(scene, part): keep this part in sight, also when the width changes;
// - stepper({ last, position, goTo }): Next and the other buttons, the slider, Play, and their keys;
// - storyOf, tell: sentences that are read aloud when they change, in a place that does not jump;
// - tableOf, fillTable, tableBox; button, rest, textField, sliderOf, noticeLine, make;
// - listenToKeys: keys that act while the focus is inside, kept from JupyterLab;
// - change(model, traits): set traits here at once, and in Python when it can hear.

const PLAY_MILLISECONDS = 1600;
const PATIENCE_MILLISECONDS = 4000;
const SIGNS = { done: "\u2713", current: "now", waiting: "" };
const EDITING_KEYS = new Set([
  "a", "c", "v", "x", "y", "z", "ArrowLeft", "ArrowRight", "Backspace", "Delete", "Home", "End",
]);

const VIEWS = {};

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

// ---- the drawing ---------------------------------------------------------------------------------

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

// ---- presenter mode ------------------------------------------------------------------------------

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
  const row = root.querySelector(".rw-bar") ?? root.querySelector(".rw-controls");
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

// ---- what all views are made of ------------------------------------------------------------------

/** The frame of a view: the picture first, what is told of it, one bar; the rest beside or below. */
function viewFrame({ summary, above = [], scene, story, bar, beside = [], hint }) {
  const main = make("div", { class: "rw-main" }, scene, story, bar);
  return make(
    "div",
    { class: "rw-view", role: "group", tabindex: 0, "aria-label": summary },
    ...above,
    make("div", { class: "rw-parts" }, main, ...beside),
    make("p", { class: "rw-hint" }, hint),
  );
}

function button(text, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", (event) => {
    if ("rests" in element.dataset) event.stopImmediatePropagation();
  });
  return element;
}

function sliderOf(last, name) {
  return make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": name });
}

function textField(attributes) {
  return make("input", {
    type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes,
  });
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

const STEP_KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", " ": "play",
};

/**
 * What steps through positions: a bar of buttons with a slider, and keys that do the same.
 * last() and position() say how far it goes and where it is, goTo(index) goes there, and
 * words = { back, next, slider } names the parts. It gives the bar, act(name) for keys, stop(), and
 * show(text, place): what a slider says aloud, and what stands beside it.
 */
function stepper({ last, position, goTo, words = {}, plays = true }) {
  const { back = "Back", next = "Next", slider: name = "Position" } = words;
  const go = (index) => goTo(clamped(index, last()));
  const buttons = {
    back: button(back, { title: plays ? "Page Up" : "" }),
    next: button(next, { title: plays ? "Page Down" : "", class: "rw-next" }),
    ...(plays ? {
      first: button("First", { title: "Home" }),
      last: button("Last", { title: "End" }),
      play: button("Play", { "aria-pressed": "false", title: "Space" }),
    } : {}),
  };
  const slider = sliderOf(last(), name);
  const place = make("span", { class: "rw-place" });
  const { first, last: end, play } = buttons;
  const small = plays ? [first, end, play] : [];
  const bar = make("div", { class: "rw-controls rw-bar" }, buttons.back, buttons.next, slider, place, ...small);

  const moves = {
    first: () => go(0),
    back: () => go(position() - 1),
    next: () => go(position() + 1),
    last: () => go(last()),
  };
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play?.setAttribute("aria-pressed", "false");
  };
  const isAtEnd = () => position() === last();
  const playOn = () => {
    if (!isAtEnd()) moves.next();
    if (isAtEnd()) stop();
  };
  const act = (action) => {
    const played = timer;
    stop();
    if (action !== "play") return moves[action]();
    if (played) return undefined;
    if (isAtEnd()) moves.first();
    else moves.next();
    if (isAtEnd()) return undefined;
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(playOn, PLAY_MILLISECONDS);
  };
  for (const [action, element] of Object.entries(buttons)) {
    element.addEventListener("click", () => act(action));
  }
  slider.addEventListener("input", () => {
    stop();
    goTo(Number(slider.value));
  });
  const show = (text, beside = `${position()} / ${last()}`) => {
    slider.max = last();
    slider.value = position();
    slider.setAttribute("aria-valuetext", text);
    place.textContent = beside;
    for (const action of ["first", "back"]) if (buttons[action]) rest(buttons[action], position() === 0);
    for (const action of ["next", "last"]) if (buttons[action]) rest(buttons[action], isAtEnd());
  };
  return { bar, slider, act, stop, show };
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

/** Touch the page only where something changed. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

function shape(tag, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAll(element, attributes);
  return element;
}
