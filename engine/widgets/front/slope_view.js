// The front end of SlopeView: a point to drag along a curve, and a microscope on it.

const LENS = 300;
const SLOPE_STEPS = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-5];
const SLOPE_KEYS = {
  ArrowRight: "more", ArrowUp: "more", ArrowLeft: "less", ArrowDown: "less",
  PageDown: "smaller", PageUp: "larger",
};

VIEWS.slope = (model) => {
  const payload = model.get("payload");
  const { nodes, words, ends: [left, right], range: [low, high] } = payload;
  const place = payload.x;
  const say = (sentence, values) => filled(words[sentence], values);
  const text = (number) => fittingText(number, 9);
  const starts = nodes.map(({ data }) => data);
  const leavesAt = (x) => starts.map((data, i) => (i === place ? x : data));
  const heightAt = (x) => forwardPass(nodes, leavesAt(x), words).at(-1);
  const tried = (compute) => {
    try { return compute(); } catch (error) {
      if (!(error instanceof OutOfDomain)) throw error;
      return error;
    }
  };

  const plane = make("div", { class: "rw-plane" });
  plane.innerHTML = payload.svg;
  const svg = plane.querySelector("svg");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", words.summary);
  const { width, height } = svg.viewBox.baseVal;
  const part = (name) => svg.querySelector(name);
  const point = part(".rw-at");
  setAll(point, { tabindex: 0, role: "slider", "aria-label": words.point, "aria-valuemin": left, "aria-valuemax": right });
  const lens = shape("svg", { viewBox: `0 0 ${LENS} ${LENS}`, class: "rw-lens", role: "img", "aria-label": words.lens });
  const magnified = Object.fromEntries(["curve", "tangent", "secant"].map((name) => {
    const line = shape(name === "curve" ? "path" : "line", { class: `rw-${name}`, fill: "none" });
    return [name, line];
  }));
  const marks = ["low", "high", "at"].map((name) => shape("circle", { class: `rw-point rw-${name}`, r: 7 }));
  lens.append(shape("rect", { class: "rw-sheet", width: LENS, height: LENS }), ...Object.values(magnified), ...marks);
  const caption = make("p", { class: "rw-note" });
  const slider = sliderOf(SLOPE_STEPS.length - 1, words.h);
  const shownH = make("span", { class: "rw-place" });
  const story = storyOf([[""]]);
  const notice = noticeLine();
  const bar = make("div", { class: "rw-controls rw-bar" }, "h", slider, shownH);
  const scene = make("div", { class: "rw-planes" }, plane, make("div", { class: "rw-beside" }, lens, caption));
  const root = viewFrame({ summary: words.summary, scene, story, bar: make("div", {}, notice, bar), hint: words.hint });
  root.classList.add("rw-slope");

  const toX = (x) => (width * (x - left)) / (right - left);
  const toY = (y) => Math.max(-5000, Math.min(5000, (height * (high - y)) / (high - low)));

  function move(asked) {
    const x = asked.at ?? model.get("at");
    const h = asked.h ?? model.get("h");
    const found = tried(() => [heightAt(x - h), heightAt(x + h), evaluate(nodes, leavesAt(x), words)]);
    if (found instanceof OutOfDomain) {
      const kept = { x: text(model.get("at")), h: numberText(model.get("h")) };
      write(notice, say("refused", { why: found.message, ...kept }));
      return;
    }
    write(notice, "");
    change(model, asked);
  }

  function line(element, x, y, slope, [from, to], [across, down]) {
    setAll(element, {
      x1: across(from), x2: across(to), y1: down(y + slope * (from - x)), y2: down(y + slope * (to - x)),
    });
  }

  function show() {
    const [x, h] = [model.get("at"), model.get("h")];
    const { data, grads } = evaluate(nodes, leavesAt(x), words);
    const [y, slope, below, above] = [data.at(-1), grads[place], heightAt(x - h), heightAt(x + h)];
    const run = x + h - (x - h);
    const secant = (above - below) / run;
    const middle = (above + below) / 2;
    line(part(".rw-tangent"), x, y, slope, [left, right], [toX, toY]);
    line(part(".rw-secant"), x, middle, secant, [left, right], [toX, toY]);
    const spots = [[x - h, below], [x + h, above], [x, y]];
    ["low", "high", "at"].forEach((name, i) => {
      setAll(part(`.rw-${name}`), { cx: toX(spots[i][0]), cy: toY(spots[i][1]) });
    });
    setAll(point, { "aria-valuenow": x, "aria-valuetext": say("spoken", { x: text(x), y: text(y), slope: text(slope) }) });
    showLens(spots, x, y, h, middle, secant, slope);
    const difference = Math.abs(secant - slope);
    const isNone = difference < 1e-9 * Math.max(1, Math.abs(slope));
    const values = { x: text(x), y: text(y), slope: text(slope), gap: isNone ? "0" : numberText(difference, 2) };
    tell(story, say("secant", { rise: text(above - below), run: text(run), secant: text(secant) }), [say("tangent", values)]);
    slider.value = nearestSlopeStep(h);
    slider.setAttribute("aria-valuetext", `h = ${numberText(h)}`);
    write(shownH, `h = ${numberText(h)}`);
  }

  /** The same lines from so near that both ends of the secant always fit. */
  function showLens(spots, x, y, h, middle, secant, slope) {
    const [perX, perY] = [width / (right - left), height / (high - low)];
    const reach = Math.max(h * perX, ...spots.map(([, other]) => Math.abs(other - y) * perY));
    const zoom = LENS / (2.5 * reach);
    const across = (other) => LENS / 2 + (other - x) * perX * zoom;
    const down = (other) => LENS / 2 - (other - y) * perY * zoom;
    const half = LENS / 2 / (perX * zoom);
    const samples = Array.from({ length: 121 }, (_, i) => x - half + (half * i) / 60);
    let pen = "M";
    const path = samples.map((at) => {
      const found = tried(() => heightAt(at));
      if (found instanceof OutOfDomain) {
        pen = "M";
        return "";
      }
      const written = `${pen}${across(at).toFixed(1)} ${Math.max(-2000, Math.min(2000, down(found))).toFixed(1)}`;
      pen = "L";
      return written;
    });
    magnified.curve.setAttribute("d", path.join(""));
    line(magnified.tangent, x, y, slope, [x - half, x + half], [across, down]);
    line(magnified.secant, x, middle, secant, [x - half, x + half], [across, down]);
    marks.forEach((mark, i) => setAll(mark, { cx: across(spots[i][0]), cy: down(spots[i][1]) }));
    write(caption, say("magnified", { times: numberText(zoom, 3) }));
  }

  const setH = (by) => {
    const step = clamped(nearestSlopeStep(model.get("h")) + by, SLOPE_STEPS.length - 1);
    move({ h: SLOPE_STEPS[step] });
  };
  const moveBy = (steps) => {
    const step = (right - left) / 120;
    move({ at: onSlopeGrid(Math.max(left, Math.min(right, model.get("at") + steps * step))) });
  };
  const acts = { more: (big) => moveBy(big ? 10 : 1), less: (big) => moveBy(big ? -10 : -1), smaller: () => setH(1), larger: () => setH(-1) };
  root.addEventListener("keydown", (event) => {
    const act = SLOPE_KEYS[event.key];
    if (!act || isShortcut(event) || event.target.matches("input, button")) return;
    event.preventDefault();
    event.stopPropagation();
    acts[act](event.shiftKey);
  });
  listenToKeys(root, {}, () => {});
  slider.addEventListener("input", () => move({ h: SLOPE_STEPS[slider.value] }));
  let holds = false;
  const follow = ({ clientX }) => {
    const box = svg.getBoundingClientRect();
    const x = left + ((clientX - box.left) / box.width) * (right - left);
    move({ at: onSlopeGrid(Math.max(left, Math.min(right, x))) });
  };
  plane.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    holds = true;
    plane.setPointerCapture(event.pointerId);
    point.focus({ preventScroll: true });
    event.preventDefault();
    follow(event);
  });
  plane.addEventListener("pointermove", (event) => { if (holds) follow(event); });
  for (const end of ["pointerup", "pointercancel"]) plane.addEventListener(end, () => { holds = false; });
  return { root, show, traits: ["at", "h"], stop: () => {} };
};

function nearestSlopeStep(h) {
  const far = SLOPE_STEPS.map((step) => Math.abs(Math.log(step / h)));
  return far.indexOf(Math.min(...far));
}

function onSlopeGrid(x) {
  return Number(x.toFixed(2));
}
