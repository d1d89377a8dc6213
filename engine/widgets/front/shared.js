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
  for (const change of changes) model.on(change, show);
  el.append(root);
  const forgetTheme = followTheme(root);
  const forgetSizes = followSizes(root);
  leaveByKeys(root);
  presenter.start();
  root.addEventListener("turned", show);
  return () => {
    stop();
    presenter.stop();
    forgetTheme();
    forgetSizes();
    for (const change of changes) model.off(change, show);
    root.remove();
  };
}

// ---- the drawing ---------------------------------------------------------------------------------

const cameras = new WeakMap();
const CLOSEST = 4;
const LOWEST_SCENE = 120;
const WHEEL = 0.0022;
const DRAG_BEGINS = 4;
const TOOLS = 30;  // the height of the buttons that lie over a drawing

/** The element a drawing lives in, or the notice that there is none. */
function sceneOf({ svg, notice = "" }) {
  const scene = make("div", {
    class: "rw-scene", role: "group", "aria-label": "Drawing", tabindex: 0,
  });
  if (svg?.length) putDrawing(scene, svg);
  else scene.append(make("p", {}, notice));
  return scene;
}

/** Put up a drawing: SVG markup, or a list with the same drawing placed in several ways. */
function putDrawing(scene, markups) {
  const pictures = [markups].flat().map((markup) => {
    const parsed = new DOMParser().parseFromString(markup, "image/svg+xml");
    const picture = document.importNode(parsed.documentElement, true);
    const { width, height } = picture.viewBox.baseVal;
    prepare(picture);
    return { picture, width, height };
  });
  const camera = cameras.get(scene) ?? newCamera(scene);
  camera.shown?.picture.remove();
  Object.assign(camera, { pictures, shown: null, zoomed: null, follows: [], parts: [] });
  putUp(camera, pictures[0]);
  if (scene.clientWidth) fitScene(scene);
}

/** What can be pointed at has a key: n for a node, e for an arrow and what it carries. */
function prepare(picture) {
  for (const node of picture.querySelectorAll(".rw-node")) node.dataset.key = `n${node.dataset.node}`;
  for (const caption of picture.querySelectorAll("[data-caption]")) {
    caption.dataset.key = `e${caption.dataset.caption}`;
  }
  for (const edge of picture.querySelectorAll(".rw-edge")) {
    edge.dataset.key = `e${edge.dataset.edge}`;
    const wide = edge.querySelector(".rw-line").cloneNode();
    wide.setAttribute("class", "rw-hit");
    edge.prepend(wide);
  }
}

/** The parts of a drawing that change their looks, found by what they stand for. */
function partsOf(scene) {
  const parts = { nodes: new Map(), edges: new Map(), captions: new Map() };
  const camera = cameras.get(scene);
  if (camera) {
    camera.parts.push(parts);
    findParts(camera, parts);
  }
  return parts;
}

function findParts({ shown }, { nodes, edges, captions }) {
  const collect = (map, selector, key) => {
    map.clear();
    for (const part of shown.picture.querySelectorAll(selector)) map.set(part.dataset[key], part);
  };
  collect(nodes, "[data-node]", "node");
  collect(edges, "[data-edge]", "edge");
  collect(captions, "[data-caption]", "caption");
}

/** A window on a drawing: which placement is shown, how large, and which part of it. */
function newCamera(scene) {
  const overview = shape("svg", { class: "rw-overview", "aria-hidden": "true" });
  const tools = make("div", { class: "rw-zoom" });
  const camera = { scene, overview, tools, parts: [], x: 0, y: 0, k: 1, home: 1, whole: 1 };
  const zoom = (name, title, act) => tools.append(iconButton(name, title, act));
  zoom("minus", "Zoom out (\u2212)", () => zoomBy(camera, 1 / 1.25));
  zoom("home", "Usual size (0)", () => zoomBy(camera, 0));
  zoom("plus", "Zoom in (+), or Ctrl and the wheel", () => zoomBy(camera, 1.25));
  scene.querySelector("p")?.remove();
  scene.append(overview, tools);
  cameras.set(scene, camera);
  listenToHands(scene, camera);
  return camera;
}

/** Say in words why there is no drawing. */
function noDrawing(scene, notice) {
  cameras.delete(scene);
  scene.style.height = "";
  scene.replaceChildren(make("p", {}, notice));
}

/** Show another placement, and say so to whoever has already looked for parts of the one before. */
function turnTo(camera, placement) {
  if (camera.shown === placement) return;
  const hadFocus = camera.shown.picture.contains(document.activeElement);
  putUp(camera, placement);
  if (!camera.parts.length) return;
  camera.scene.dispatchEvent(new CustomEvent("turned", { bubbles: true, detail: { hadFocus } }));
}

function putUp(camera, placement) {
  camera.shown?.picture.remove();
  camera.shown = placement;
  camera.scene.prepend(placement.picture);
  for (const parts of camera.parts) findParts(camera, parts);
  drawOverview(camera);
}

function drawOverview(camera) {
  const { picture, width, height } = camera.shown;
  const boxes = [...picture.querySelectorAll(".rw-node")].map((node) => (
    shape("rect", { ...areaOf(node), rx: 8 })
  ));
  camera.frame = shape("rect", { class: "rw-window" });
  camera.overview.replaceChildren(...boxes, camera.frame);
  camera.overview.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

/** A view that moved the parts of its drawing says how large it is now. */
function resizeDrawing(scene, width, height) {
  const camera = cameras.get(scene);
  if (!camera) return;
  Object.assign(camera.shown, { width, height });
  drawOverview(camera);
  fitScene(scene);
}

/** Choose the placement and the size that fit: all in sight, or texts that can still be read. */
function fitScene(scene) {
  const camera = cameras.get(scene);
  const width = scene.clientWidth;
  if (!camera || !width) return;
  const style = getComputedStyle(scene);
  const fills = style.getPropertyValue("--rw-fills").trim() === "1";
  const most = parseFloat(style.getPropertyValue("--rw-most")) || 1.15;
  const room = fills ? scene.clientHeight : roomOf(scene);
  const least = parseFloat(style.fontSize) / 14;
  const [first, ...others] = camera.pictures.map((placement) => {
    const whole = Math.min(width / placement.width, room / placement.height, most);
    const seen = Math.min(width / placement.width / least, 1) * Math.min(room / placement.height / least, 1);
    return { placement, whole, seen };
  });
  const isChart = first.placement.picture.matches(".rw-chart");
  const better = others.find(({ whole, seen }) => (
    first.whole < least && (whole >= least || seen > 1.1 * first.seen)
  ));
  const { placement, whole } = better ?? first;
  const home = isChart ? whole : Math.max(whole, least);
  const height = fills ? room : Math.ceil(Math.min(placement.height * home, room));
  turnTo(camera, placement);
  Object.assign(camera, { width, height, whole: Math.min(whole, home), home });
  scene.style.height = fills ? "" : `${height}px`;
  placement.picture.setAttribute("width", width);
  placement.picture.setAttribute("height", height);
  scene.style.setProperty("--rw-k", home.toFixed(4));
  lookAt(camera, { k: camera.zoomed ?? home });
  followParts(camera);
}

/** The height that leaves the sentences in sight beside a drawing. */
function roomOf(scene) {
  const root = scene.closest(".rw-view");
  const given = Number(root?.style.getPropertyValue("--rw-room"));
  if (given) return Math.max(LOWEST_SCENE, given);
  let seen = innerHeight;
  for (let part = root?.parentElement; part; part = part.parentElement) {
    const { overflowY } = getComputedStyle(part);
    const scrolls = overflowY === "auto" || overflowY === "scroll";
    if (scrolls && part.clientHeight > 100) seen = Math.min(seen, part.clientHeight);
  }
  const story = root?.querySelector(".rw-story")?.offsetHeight ?? 0;
  const bar = root?.querySelector(".rw-bar")?.offsetHeight ?? 0;
  const rest = seen - story - (seen > 450 ? bar + 40 : 20);
  return Math.max(LOWEST_SCENE, Math.min(rest, 0.75 * seen));
}

/** Look at a place of the drawing, never past its edges. */
function lookAt(camera, { x = camera.x, y = camera.y, k = camera.k }) {
  const { shown, width, height, whole, scene } = camera;
  const scale = Math.min(Math.max(k, whole), Math.max(CLOSEST, camera.home));
  const held = (at, window, size, more = 0) => (
    window >= size ? (size - window) / 2 : Math.min(Math.max(at, 0), size - window + more)
  );
  const [w, h] = [width / scale, height / scale];
  Object.assign(camera, {
    k: scale, x: held(x, w, shown.width), y: held(y, h, shown.height, TOOLS / scale),
  });
  shown.picture.setAttribute("viewBox", `${camera.x} ${camera.y} ${w} ${h}`);
  const isPart = w < shown.width - 1 || h < shown.height - 1;
  scene.toggleAttribute("data-part", isPart);
  const frame = { x: camera.x, y: camera.y, width: w, height: h };
  setAll(camera.frame, frame);
}

/** Zoom around a point of the scene; by 0 back to the usual size. */
function zoomBy(camera, factor, px = camera.width / 2, py = camera.height / 2) {
  const k = factor ? Math.min(Math.max(camera.k * factor, camera.whole), CLOSEST) : camera.home;
  camera.zoomed = factor ? k : null;
  lookAt(camera, { k, x: camera.x + px / camera.k - px / k, y: camera.y + py / camera.k - py / k });
  if (!factor) followParts(camera);
}

const ZOOM_KEYS = { "+": 1.25, "=": 1.25, "-": 1 / 1.25, 0: 0 };

/** Ctrl and the wheel, two fingers, and a drag. */
function listenToHands(scene, camera) {
  const fingers = new Map();
  let moved = false;
  scene.addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !camera.shown) return;
    event.preventDefault();
    const { left, top } = scene.getBoundingClientRect();
    zoomBy(camera, Math.exp(-event.deltaY * WHEEL), event.clientX - left, event.clientY - top);
  }, { passive: false });
  scene.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest('.rw-zoom, [role="slider"]')) return;
    if (!fingers.size) moved = false;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  scene.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before || !camera.shown) return;
    const now = [event.clientX, event.clientY];
    const [right, down] = now.map((at, side) => at - before[side]);
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const { left, top } = scene.getBoundingClientRect();
      const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
      zoomBy(camera, apart(now) / (apart(before) || 1), other[0] - left, other[1] - top);
    } else if (!scene.hasAttribute("data-part") || (!moved && Math.hypot(right, down) < DRAG_BEGINS)) {
      return;
    } else {
      scene.setPointerCapture(event.pointerId);
      lookAt(camera, { x: camera.x - right / camera.k, y: camera.y - down / camera.k });
    }
    moved = true;
    fingers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    scene.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId));
  }
  scene.addEventListener("click", (event) => {
    if (moved) event.stopPropagation();
    moved = false;
  }, true);
}

/** Keep these parts in sight, the first of them above all. */
function scrollTo(scene, parts) {
  const camera = cameras.get(scene);
  if (!camera) return;
  const keys = [parts].flat().filter(Boolean).map((part) => part.dataset?.key ?? part);
  camera.follows = keys;
  followParts(camera);
}

function followParts(camera) {
  const { scene, shown, follows, k, width, height } = camera;
  if (!follows.length || !width) return;
  const areas = follows.map((key) => (
    typeof key === "string" ? shown.picture.querySelector(`[data-key="${key}"]`) : key
  )).filter(Boolean).map(areaOf);
  const [w, h] = [width / k, height / k];
  let { x, y } = camera;
  const below = scene.hasAttribute("data-part") ? 6 + TOOLS / k : 6;
  // The last wish is granted first, so that the first one stands in the end.
  for (const { x: left, y: top, width: wide, height: high } of [unionOf(areas), areas[0]]) {
    const [right, bottom] = [left + wide, top + high];
    if (wide <= w) x = Math.max(Math.min(x, left - 6), right + 6 - w);
    if (high <= h) y = Math.max(Math.min(y, top - 18), bottom + below - h);
  }
  lookAt(camera, { x, y });
}

function areaOf(part) {
  const { x, y, width, height } = part.getBBox();
  const [right, down] = (part.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [0, 0];
  const box = part.querySelector(".rw-box");
  if (!box) return { x: x + right, y: y + down, width, height };
  const [wide, high] = ["width", "height"].map((name) => Number(box.getAttribute(name)));
  return { x: right, y: down, width: wide, height: high };
}

function unionOf(areas) {
  const [x, y] = ["x", "y"].map((side) => Math.min(...areas.map((area) => area[side])));
  const width = Math.max(...areas.map((area) => area.x + area.width)) - x;
  const height = Math.max(...areas.map((area) => area.y + area.height)) - y;
  return { x, y, width, height };
}

/** Fit all drawings again when the room for them changes; returns the function that stops. */
function followSizes(root) {
  const sizes = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect: { width, height } } of entries) {
      const fills = getComputedStyle(target).getPropertyValue("--rw-fills").trim() === "1";
      const size = fills ? `${width} ${height}` : `${width}`;
      if (size === sizes.get(target)) continue;
      sizes.set(target, size);
      requestAnimationFrame(() => fitScene(target));
    }
  });
  for (const scene of root.querySelectorAll(".rw-scene")) observer.observe(scene);
  const fitAll = () => root.querySelectorAll(".rw-scene").forEach(fitScene);
  addEventListener("resize", fitAll);
  return () => {
    observer.disconnect();
    removeEventListener("resize", fitAll);
  };
}

function scrollDownTo(around, row) {
  if (around.scrollHeight <= around.clientHeight) return;
  const box = row.getBoundingClientRect();
  const view = around.getBoundingClientRect();
  around.scrollTop += box.top + box.height / 2 - view.top - view.height / 2;
}

function showNode(group, { state, receives, sign, grad }) {
  group.dataset.state = state;
  group.toggleAttribute("data-receives", receives);
  group.querySelector(".rw-grad").textContent = grad;
  group.querySelector(".rw-mark").textContent = sign;
}

const CHARACTER = 8.47;
const LINE = 18;

/** Let the arrows carry these contributions, and no others. */
function showContributions(parts, contributions) {
  for (const part of [...parts.edges.values(), ...parts.captions.values()]) {
    part.removeAttribute("data-active");
  }
  for (const { edge, caption } of contributions) {
    parts.edges.get(edge)?.setAttribute("data-active", "");
    const label = parts.captions.get(edge);
    if (!label) continue;
    label.setAttribute("data-active", "");
    writeCaption(label, caption);
  }
}

/** Write a product into its pill: what comes after the equals sign has a line of its own. */
function writeCaption(label, caption) {
  const [product, result] = caption.split(" = ");
  const lines = result === undefined ? [product] : [product, ` = ${result}`];
  const width = Math.max(...lines.map((line) => line.trim().length)) * CHARACTER + 16;
  const height = 4 + LINE * lines.length;
  label.querySelector(".rw-product").replaceChildren(...lines.map((line, place) => {
    const y = 5 + LINE * (place - (lines.length - 1) / 2);
    const span = shape("tspan", { x: 0, y });
    span.textContent = line;
    return span;
  }));
  const size = { width, x: -width / 2, height, y: -height / 2 };
  setAll(label.querySelector(".rw-pill"), size);
}

// ---- contributions travel ------------------------------------------------------------------------

const FLIGHT = 260;
const SECOND_LATER = 170;
const flights = new WeakMap();

/** End what is under way: all has landed. */
function landAll(parts) {
  const flight = flights.get(parts);
  flights.delete(parts);
  flight?.();
}

/**
 * Let each contribution leave its node, slide along its arrow and land, one after the other; then
 * landed(place) is told. It takes less than half a second, and less motion is none.
 */
function flyAll(parts, contributions, landed) {
  landAll(parts);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const travelers = contributions.map(({ edge }, place) => {
    const label = parts.captions.get(edge);
    const line = parts.edges.get(edge)?.querySelector(".rw-line");
    return { label, line, place, home: label?.getAttribute("transform"), starts: place * SECOND_LATER };
  });
  if (calm || travelers.some(({ label, line }) => !label || !line)) {
    return travelers.forEach(({ place }) => landed(place));
  }
  const scene = travelers[0]?.label.closest(".rw-scene");
  const arrive = () => {
    flights.delete(parts);
    scene?.removeAttribute("data-travels");
  };
  const rest = (traveler) => {
    traveler.rests = true;
    traveler.label.setAttribute("transform", traveler.home);
    traveler.label.style.opacity = "";
    landed(traveler.place);
  };
  let frame = 0;
  const begun = performance.now();
  const move = (now) => {
    for (const traveler of travelers.filter(({ rests }) => !rests)) {
      const share = Math.min((now - begun - traveler.starts) / FLIGHT, 1);
      traveler.label.style.opacity = share < 0 ? 0 : 1;
      if (share >= 1) rest(traveler);
      else if (share > 0) {
        const length = traveler.line.getTotalLength();
        const { x, y } = traveler.line.getPointAtLength(length * (1 - share));
        traveler.label.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      }
    }
    if (travelers.some(({ rests }) => !rests)) frame = requestAnimationFrame(move);
    else arrive();
  };
  flights.set(parts, () => {
    cancelAnimationFrame(frame);
    travelers.filter(({ rests }) => !rests).forEach(rest);
    arrive();
  });
  scene?.setAttribute("data-travels", "");
  return move(begun);
}

// ---- what belongs together lights up together ----------------------------------------------------

/**
 * Point at a node, an arrow, a row or a sentence (whatever has a data-key), or focus it, and all
 * that belongs to it lights up; an arrow says in words what it does: told(edge).
 */
function lightTogether(root, told = () => "") {
  const tip = make("div", { class: "rw-tip", role: "status" });
  root.querySelector(".rw-scene")?.append(tip);
  let lit = null;
  const reach = (key) => {
    const edges = [...root.querySelectorAll(".rw-edge[data-active]")];
    const own = root.querySelector(`.rw-edge[data-key="${key}"]`)?.dataset;
    if (own) return [key, `n${own.edge.split("-")[0]}`, `n${own.target}`];
    return [key, ...edges.filter(({ dataset }) => `n${dataset.target}` === key).map((e) => e.dataset.key)];
  };
  const light = (part) => {
    const key = part?.dataset.key ?? null;
    if (key === lit) return;
    lit = key;
    const keys = new Set(key ? reach(key) : []);
    for (const other of root.querySelectorAll("[data-key]")) {
      other.toggleAttribute("data-lit", keys.has(other.dataset.key));
    }
    tip.textContent = key?.startsWith("e") && part.closest("svg") ? told(key.slice(1)) : "";
  };
  const at = ({ target }) => light(target.closest?.("[data-key]"));
  root.addEventListener("pointerover", at);
  root.addEventListener("focusin", at);
  root.addEventListener("pointerleave", () => light(null));
  root.addEventListener("turned", () => { lit = undefined; });
}

// ---- presenter mode ------------------------------------------------------------------------------

/** The view for a projector: by its trait, by a button, or by the keys P, F and ?. */
function presenterMode(model, root, showView) {
  const large = iconButton("large", "Presenter mode (P): large type for a projector", () => act.p());
  const full = iconButton("full", "Full screen (F); Esc leaves", () => act.f());
  const help = iconButton("help", "What the keys do (?)", () => act["?"]());
  full.hidden = !document.fullscreenEnabled;
  const row = root.querySelector(".rw-bar") ?? root.querySelector(".rw-controls");
  row.append(make("span", { class: "rw-present" }, large, full, help));
  root.querySelector(".rw-hint").append(
    " P: large type for a projector. F: full screen. +, \u2212 and 0 zoom. Esc leaves the view.",
  );

  const isFull = () => root.matches(":fullscreen");
  const setLarge = (presenter) => change(model, { presenter });
  const refit = () => root.querySelectorAll(".rw-scene").forEach(fitScene);
  const looks = () => {
    const isLarge = isFull() || Boolean(model.get("presenter"));
    root.toggleAttribute("data-presenter", isLarge);
    root.toggleAttribute("data-full", isFull());
    // The screen has its own size, whatever the page around the view has zoomed to.
    root.style.zoom = isFull() ? 1 / (root.parentElement.currentCSSZoom ?? 1) : "";
    large.setAttribute("aria-pressed", isLarge);
    full.setAttribute("aria-pressed", isFull());
    refit();
    showView();
  };
  const followScreen = () => {
    if (isFull() || root.hasAttribute("data-full")) looks();
  };
  const act = {
    p: () => {
      const before = root.hasAttribute("data-presenter");
      if (isFull()) document.exitFullscreen();
      setLarge(!before);
    },
    f: () => {
      if (isFull()) document.exitFullscreen();
      else if (document.fullscreenEnabled) root.requestFullscreen().catch(() => setLarge(true));
    },
    "?": () => help.setAttribute("aria-expanded", root.toggleAttribute("data-helps")),
  };
  root.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const types = event.target.matches("input[type=text], select, g[role=slider]");
    const scene = root.querySelector(".rw-scene");
    const camera = cameras.get(scene);
    // Where numbers are typed, minus and 0 belong to them, except on the drawing itself.
    const listens = !("types" in root.dataset) || event.target === scene;
    const zooms = key in ZOOM_KEYS && camera?.shown && listens;
    if (types || isShortcut(event) || !(key in act || zooms)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (key in act) act[key]();
    else zoomBy(camera, ZOOM_KEYS[key]);
  }, true);
  return {
    start: () => {
      model.on("change:presenter", looks);
      document.addEventListener("fullscreenchange", followScreen);
      addEventListener("resize", followScreen);
      looks();
    },
    stop: () => {
      model.off("change:presenter", looks);
      document.removeEventListener("fullscreenchange", followScreen);
      removeEventListener("resize", followScreen);
    },
  };
}

// ---- what all views are made of ------------------------------------------------------------------

/** The frame of a view: the picture first, what is told of it, one bar; the rest beside or below. */
function viewFrame({ summary, above = [], scene, story, bar, beside = [], hint }) {
  const main = make("div", { class: "rw-main" }, scene, story, bar);
  return make(
    "div",
    { class: "rw-view", role: "group", tabindex: -1, "aria-label": summary },
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

/** Of the buttons of a toolbar only one is in the way of the Tab key. */
function rove(buttons, focused) {
  buttons.forEach((element, place) => { element.tabIndex = place === focused ? 0 : -1; });
}

/** Let left and right arrow keys go from one of some buttons to the next that is there. */
function roveAmong(buttons) {
  rove(buttons, 0);
  for (const element of buttons) {
    element.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const there = buttons.filter(({ hidden }) => !hidden);
      if (!by || isShortcut(event)) return;
      const next = there[clamped(there.indexOf(element) + by, there.length - 1)];
      rove(buttons, buttons.indexOf(next));
      next.focus();
    });
  }
}

const ICONS = {
  first: "M4 3v10M13 3 6 8l7 5z", last: "M12 3v10M3 3l7 5-7 5z", play: "M4 2l10 6-10 6z",
  back: "M10 3 5 8l5 5", minus: "M3 8h10", plus: "M3 8h10M8 3v10", home: "M3 6V3h3M13 10v3h-3M6 6h4v4H6z",
  large: "M2 13 6 3l4 10M3.5 10h5M11 13l2-5 2 5", full: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  help: "M6 6a2 2 0 1 1 3 1.7c-.8.5-1 .8-1 1.8M8 12v.6",
};

/** A small button: an icon, and a name that is also its tooltip; keys do the same. */
function iconButton(icon, name, act) {
  const picture = shape("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  picture.append(shape("path", { d: ICONS[icon] }));
  const element = button("", { class: "rw-icon", "aria-label": name.split(" (")[0], title: name, tabindex: -1 });
  element.append(picture);
  if (act) element.addEventListener("click", act);
  return element;
}

function sliderOf(last, name) {
  return make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": name, tabindex: -1 });
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
function storyOf(stories, headings = []) {
  const said = make("div", { class: "rw-said", role: "status", "aria-live": "polite" });
  const story = make("div", { class: "rw-story" }, said);
  const lines = 1 + Math.max(...stories.map((sentences) => sentences.length));
  story.style.setProperty("--rw-lines", lines + 0.2);
  const length = (sentences) => sentences.join("").length;
  const longest = stories.map((sentences, place) => [headings[place] ?? "", sentences])
    .sort(([, one], [, other]) => length(other) - length(one)).slice(0, headings.length ? 4 : 0);
  for (const [heading, sentences] of longest) {
    const room = make("div", { class: "rw-room", "aria-hidden": "true" });
    fillStory(room, heading, sentences);
    story.append(room);
  }
  return story;
}

function tell(story, heading, sentences, keys = []) {
  fillStory(story.querySelector(".rw-said"), heading, sentences, keys);
}

/** Sentences are [text] or text; those with a key light up with what they speak of. */
function fillStory(place, heading, sentences, keys = []) {
  place.replaceChildren(
    ...(heading ? [make("strong", {}, heading)] : []),
    ...sentences.map((text, at) => make("p", keys[at] ? { "data-key": keys[at] } : {}, text)),
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
    back: plays ? iconButton("back", `${back} (Page Up)`) : button(back, { tabindex: -1 }),
    next: button(next, { title: plays ? "Page Down" : "", class: "rw-next" }),
    ...(plays ? {
      first: iconButton("first", "First (Home)"),
      play: iconButton("play", "Play (Space)"),
      last: iconButton("last", "Last (End)"),
    } : {}),
  };
  const slider = sliderOf(last(), name);
  const place = make("span", { class: "rw-place" });
  const { first, play, last: end } = buttons;
  const small = plays ? [first, play, end] : [];
  const bar = make(
    "div", { class: "rw-controls rw-bar" }, buttons.back, buttons.next, slider, place, ...small,
  );

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

// The Tab key stops at a table only where there is something to scroll.
const tables = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest(".rw-order");
    if (!box) continue;
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
});

/** A table in a box that scrolls when it is too large. */
function tableBox(caption, heads, body, attributes = {}) {
  const table = make(
    "table",
    { class: "rw-table" },
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads)),
    body,
  );
  const box = { class: "rw-order", role: "group", "aria-label": caption };
  const element = make("div", { ...box, ...attributes }, table);
  tables.observe(element);
  tables.observe(table);
  return element;
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
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.stopPropagation();
    event.preventDefault();
    act();
  });
}

/** Act on keys while the focus is inside, and keep JupyterLab from acting on any of them. */
function listenToKeys(root, keys, act) {
  root.addEventListener("keydown", (event) => {
    if (isShortcut(event) || event.key === "Tab" || event.key === "Escape") return;
    if (event.key === "Enter" && event.shiftKey) return;
    event.stopPropagation();
    const name = keys[event.key];
    const pressesButton = event.target instanceof HTMLButtonElement && event.key === " ";
    if (!name || pressesButton) return;
    event.preventDefault();
    act(name);
  });
}

/** Esc gives the keys back to the page around; Shift and Enter run JupyterLab's cell, also from a field. */
function leaveByKeys(root) {
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.target.matches(".rw-typed")) {
      const cell = root.closest(".jp-Cell");
      event.preventDefault();
      event.stopPropagation();
      document.activeElement.blur();
      cell?.closest(".jp-Notebook")?.focus({ preventScroll: true });
      if (cell && !document.activeElement?.closest(".jp-Notebook")) cell.focus({ preventScroll: true });
    } else if (event.key === "Enter" && event.shiftKey && event.target.matches("input, select")) {
      event.stopPropagation();
      event.preventDefault();
      root.focus({ preventScroll: true });
      const key = { key: "Enter", code: "Enter", keyCode: 13, shiftKey: true, bubbles: true };
      root.dispatchEvent(new KeyboardEvent("keydown", { ...key, cancelable: true }));
    }
  }, true);
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
