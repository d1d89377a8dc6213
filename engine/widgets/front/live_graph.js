// The front end of LiveGraph: numbers to take hold of, to wiggle, and to walk back over.

const PIXELS_PER_STEP = 5;
const MOST_STEPS_BACK = 200;
const STEPS_OF_H = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];
const COMMIT_MILLISECONDS = 150;
const LEAST_SCALE = 11 / 14;  // no text of a drawing below 11 pixels
const LIVE_CHARACTER = 8.47;
const BESIDE = 5;
const TYPED_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const HOLD_KEYS = {
  ArrowRight: "more", ArrowLeft: "less", ArrowDown: "next", ArrowUp: "back",
  PageDown: "more", PageUp: "less", Home: "restart", Enter: "type",
};
const WIGGLE_KEYS = { ...HOLD_KEYS, PageDown: "smaller", PageUp: "larger" };
const MODE_KEYS = { t: "hold", w: "wiggle", b: "walk" };

VIEWS.live = (model) => {
  const payload = model.get("payload");
  const { nodes, words, labels } = payload;
  const last = nodes.length - 1;
  const start = nodes.map(({ data }) => data);
  const leaves = nodes.flatMap(({ op }, place) => (op ? [] : [place]));
  const text = (number) => fittingText(number, payload.digits);
  const operand = (number) => (number < 0 ? `(${text(number)})` : text(number));
  const say = (sentence, values) => filled(words[sentence], values);

  let held = [...start];
  let result = evaluate(nodes, held, words);
  let chosen = leaves[0];
  let before = null;  // what everything was when the chosen number was taken hold of
  let refusal = "";
  let ahead = false;  // whether the model has yet to hear of the numbers here
  let timer = null;

  const mode = () => model.get("mode");
  const wiggled = () => nodes.findIndex(({ own }) => own === model.get("wiggle"));
  const steps = stepper({
    last: () => nodes.length,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { slider: labels.walk },
  });
  const parts = buildLive(payload, steps.bar);
  const { root, scene } = parts;

  // ---- the numbers -------------------------------------------------------------------------------

  /** Take over what Python, or another view of this model, has set. */
  function adopt() {
    const numbers = model.get("numbers");
    if (ahead || leaves.every((place) => held[place] === (numbers[nodes[place].own] ?? start[place]))) return;
    const asked = nodes.map(({ own, data }) => numbers[own] ?? data);
    try {
      result = evaluate(nodes, asked, words);
      held = asked;
      before = null;
    } catch (error) {
      if (!(error instanceof OutOfDomain)) throw error;
    }
  }

  function take(place) {
    chosen = place;
    before = { data: result.data, grads: result.grads };
  }

  /** Give a leaf a number; where an operation refuses, say so and go as near as steps allow. */
  function setLeaf(place, wanted, step = 0) {
    if (chosen !== place || !before) take(place);
    const from = held[place];
    const attempt = (number) => {
      const asked = held.with ? held.with(place, number) : Object.assign([...held], { [place]: number });
      result = evaluate(nodes, asked, words);
      held = asked;
      ahead = true;
    };
    refusal = "";
    try {
      attempt(wanted);
    } catch (error) {
      if (!(error instanceof OutOfDomain)) throw error;
      const far = step ? Math.min(MOST_STEPS_BACK, Math.round(Math.abs(wanted - from) / step)) : 0;
      for (let count = far - 1; count > 0; count -= 1) {
        try {
          attempt(onGrid(from + Math.sign(wanted - from) * count * step, step));
          break;
        } catch { /* one step nearer */ }
      }
      const { name } = nodes[place];
      refusal = say("stays", { why: error.message, name, data: text(held[place]) });
    }
    show();
  }

  function commit() {
    clearTimeout(timer);
    ahead = false;
    change(model, { numbers: Object.fromEntries(leaves.map((place) => [nodes[place].own, held[place]])) });
  }

  function commitSoon() {
    clearTimeout(timer);
    timer = setTimeout(commit, COMMIT_MILLISECONDS);
  }

  function stepLeaf(count) {
    const place = handled();
    if (nodes[place].op) return;
    if (chosen !== place || !before) take(place);
    const step = sizeOfStep(before.data[place]);
    setLeaf(place, onGrid(held[place] + count * step, step), step);
    commitSoon();
  }

  /** The number that keys act on. */
  const handled = () => (mode() === "wiggle" ? wiggled() : chosen);

  function choose(place) {
    if (mode() === "wiggle") change(model, { wiggle: nodes[place].own });
    if (!nodes[place].op && chosen !== place) {
      chosen = place;
      before = null;
    }
    refusal = "";
    show();
    parts.nodes.get(String(place))?.focus({ preventScroll: true });
    scrollTo(scene, parts.nodes.get(String(place)));
  }

  function chooseNext(way) {
    const among = mode() === "wiggle" ? nodes.map((_, place) => place) : leaves;
    choose(among[(among.indexOf(handled()) + way + among.length) % among.length]);
  }

  function setH(way) {
    const place = nearestStep(model.get("h"));
    change(model, { h: STEPS_OF_H[clamped(place + way, STEPS_OF_H.length - 1)] });
  }

  function setMode(name) {
    steps.stop();
    refusal = "";
    const wiggle = name === "wiggle" && mode() === "hold" && before ? { wiggle: nodes[chosen].own } : {};
    before = null;
    change(model, { ...wiggle, mode: name });
  }

  function restart() {
    held = [...start];
    result = evaluate(nodes, held, words);
    before = null;
    refusal = "";
    commit();
    show();
  }

  // ---- what is shown -----------------------------------------------------------------------------

  let placed = null;
  function arrange() {
    if (!parts.svg) return;
    const tall = mode() === "wiggle" ? " tall" : "";
    const [across, down] = ["across", "down"].map((way) => payload.placements[way + tall]);
    const width = scene.clientWidth || across.width;
    const fits = width / across.width >= LEAST_SCALE;
    const wanted = fits || down.width >= across.width ? across : down;
    if (wanted === placed) return;
    placed = wanted;
    putLive(parts, placed);
  }

  function show() {
    adopt();
    root.dataset.mode = mode();
    for (const [name, tab] of Object.entries(parts.tabs)) tab.setAttribute("aria-pressed", name === mode());
    for (const name of ["wiggle", "walk"]) parts.bars[name].hidden = name !== mode();
    const uses = parts.arrows.filter(({ target }) => target === handled()).length;
    const lines = { hold: 2.2, wiggle: uses > 1 ? 3.2 + uses : 2.2, walk: 4.2 }[mode()];
    parts.story.style.setProperty("--rw-lines", lines);
    write(parts.hint, payload.hints[mode()]);
    arrange();
    const { notice, told } = { hold: showHeld, wiggle: showWiggled, walk: showWalked }[mode()]();
    write(parts.notice, refusal || notice);
    const [heading, ...sentences] = told;
    if (parts.told !== told.join("\n")) tell(parts.story, heading, sentences);
    parts.told = told.join("\n");
    if (parts.table.open) showTable();
    parts.nodes.forEach((group, key) => {
      group.toggleAttribute("data-refuses", Boolean(refusal) && Number(key) === chosen);
    });
  }

  /** What every mode writes into a box: its numbers, its state, what is read aloud. */
  function showBox(place, { key = labels.grad, grad, state = "waiting", receives = false, sign = "", flags = [], spoken }) {
    const group = parts.nodes.get(String(place));
    if (!group) return;
    const { of } = parts.boxes[place];
    write(of.data, text(result.data[place]));
    if (group.dataset.state !== state) group.dataset.state = state;
    group.toggleAttribute("data-receives", receives);
    write(of.gradKey, key);
    write(of.grad, grad);
    write(of.mark, sign);
    for (const flag of ["chosen", "moved", "turned", "still"]) {
      group.toggleAttribute(`data-${flag}`, flags.includes(flag));
    }
    if (nodes[place].op) return group.setAttribute("aria-label", spoken);
    group.setAttribute("aria-valuenow", result.data[place]);
    return group.setAttribute("aria-valuetext", spoken);
  }

  function spokenNode(place, grads) {
    return say("node", { title: nodes[place].title, data: text(result.data[place]), grad: text(grads[place]) });
  }

  function showHeld() {
    nodes.forEach((_, place) => {
      const flags = place === chosen && before ? ["chosen"] : [];
      if (before && before.data[place] !== result.data[place]) flags.push("moved");
      if (before && before.grads[place] !== result.grads[place]) flags.push("turned");
      showBox(place, { grad: text(result.grads[place]), flags, spoken: spokenNode(place, result.grads) });
    });
    for (const arrow of parts.arrows) {
      showArrow(arrow, payload.dense ? [] : [`\u00d7 ${fittingText(localOf(arrow), 7)}`], {});
    }
    return { notice: "", told: toldHeld() };
  }

  function toldHeld() {
    const { name } = nodes[chosen];
    const output = nodes[last].name;
    const grad = text(result.grads[chosen]);
    const now = { name, output, grad, data: text(result.data[chosen]) };
    if (!before) return [words.ready, words.howto];
    const [was, wasOutput] = [before.data[chosen], before.data[last]];
    const run = result.data[chosen] - was;
    if (run === 0) return [say("at", now), say("rate", now)];
    const rise = result.data[last] - wasOutput;
    return [
      say("went", { ...now, before: text(was), outputBefore: text(wasOutput), outputData: text(result.data[last]) }),
      say("times", { ...now, ratio: text(rise / run) }),
    ];
  }

  function showWiggled() {
    const place = wiggled();
    const h = model.get("h");
    parts.slider.value = nearestStep(h);
    write(parts.h, `h = ${numberText(h)}`);
    parts.slider.setAttribute("aria-valuetext", `h = ${numberText(h)}`);
    parts.pick.value = String(place);
    let moved = null;
    let why = "";
    try {
      moved = wiggle(nodes, held, place, h, words);
    } catch (error) {
      if (!(error instanceof OutOfDomain)) throw error;
      why = error.message;
    }
    const far = moved ? nodes.map((_, i) => [moved.low[i] - moved.base[i], moved.high[i] - moved.base[i]]) : null;
    const farthest = far ? Math.max(...far.flat().map(Math.abs)) : 0;
    nodes.forEach((_, i) => showMoved(i, place, moved, far?.[i] ?? [0, 0], farthest));
    for (const arrow of parts.arrows) {
      const found = moved?.arrows.get(arrow.edge);
      const shares = found ? movingInto(moved, arrow.source) : [];
      const share = shares.length > 1 ? shares.findIndex(({ edge }) => edge === arrow.edge) : "";
      showArrow(arrow, found ? [`\u00d7 ${fittingText(found.ratio, 7)}`] : [], { moves: Boolean(found), still: !found, share });
    }
    if (moved) return { notice: "", told: toldWiggled(place, moved) };
    const { name } = nodes[place];
    return { notice: why, told: [say("stuck", { name, h: numberText(h) })] };
  }

  function movingInto(moved, source) {
    return parts.arrows.filter((arrow) => arrow.source === source && moved.arrows.has(arrow.edge));
  }

  function showMoved(place, own, moved, far, farthest) {
    const { of, half } = parts.boxes[place];
    const isOwn = place === own;
    const isStill = !moved || (far[0] === 0 && far[1] === 0);
    const delta = moved ? moved.high[place] - moved.low[place] : 0;
    const seen = isOwn ? last : place;
    const ratio = moved ? (moved.high[seen] - moved.low[seen]) / moved.run : 0;
    const values = { title: nodes[place].title, name: nodes[own].name, delta: text(delta), ratio: text(ratio) };
    const spoken = isStill ? spokenNode(place, result.grads) : say("nodeWiggled", values);
    const flags = isOwn ? ["chosen"] : isStill ? ["still"] : [];
    const grad = isOwn ? text(result.grads[place]) : isStill ? "" : text(delta);
    const key = isOwn ? labels.grad : isStill ? labels.still : labels.delta;
    showBox(place, { key, grad, flags, spoken });
    if (!of) return;
    write(of.ratioKey, isStill ? "" : isOwn ? labels.measured : ratioKey(place, own, text(ratio)));
    write(of.ratio, isStill ? "" : text(ratio));
    const scale = farthest ? half / farthest : 0;
    const [low, high] = far.map((by) => by * scale);
    for (const [bar, end] of [[of.low, low], [of.high, high]]) {
      setAll(bar, { x: Math.min(0, end).toFixed(1), width: Math.abs(end).toFixed(1) });
    }
    of.dot.style.setProperty("--low", `${low}px`);
    of.dot.style.setProperty("--high", `${high}px`);
    of.strip.toggleAttribute("data-moves", !isStill);
    const into = moved ? movingInto(moved, place) : [];
    let at = low;
    of.shares.replaceChildren(...(into.length < 2 ? [] : into.map(({ edge }) => {
      const from = at;
      at += moved.arrows.get(edge).delta * scale;
      return shape("line", { x1: from, x2: at, y1: 9, y2: 9 });
    })));
  }

  function ratioKey(place, own, written) {
    const key = filled(labels.ratio, { node: nodes[place].name, name: nodes[own].name });
    const room = (2 * parts.boxes[place].half) / LIVE_CHARACTER;
    return key.length + 1 + written.length > room ? labels.shortRatio : key;
  }

  function toldWiggled(place, moved) {
    const [{ name }, output] = [nodes[place], nodes[last].name];
    const rise = moved.high[last] - moved.low[last];
    const ratio = rise / moved.run;
    const grad = result.grads[place];
    const uses = parts.arrows.filter(({ target, edge }) => target === place && moved.arrows.has(edge));
    const shares = uses.map(({ edge }) => moved.arrows.get(edge).part);
    const lines = uses.map(({ source, side }, use) => say("through", {
      source: nodes[source].name,
      side: uses.filter((other) => other.source === source).length > 1 ? words[side ? "right" : "left"] : "",
      output,
      part: text(shares[use]),
    }));
    const sum = text(shares.reduce((total, share) => total + share, 0));
    lines.push(say("together", { parts: shares.map((share, use) => (use ? operand : text)(share)).join(" + "), sum }));
    const isSame = Math.abs(ratio - grad) < 1e-9 * Math.max(1, Math.abs(grad));
    const gap = isSame ? words.same : say("differ", { gap: numberText(Math.abs(ratio - grad), 2) });
    return [
      say("wiggled", { name, run: text(moved.run), output, rise: text(rise), ratio: text(ratio) }),
      ...(uses.length > 1 ? lines : []),
      say("measured", { ratio: text(ratio), name, grad: text(grad), gap }),
    ];
  }

  function showWalked() {
    const index = model.get("index");
    const step = index ? result.steps[index - 1] : null;
    const grads = nodes.map((_, place) => (place === last ? 1 : 0));
    for (const { given } of result.steps.slice(0, index)) for (const { target, after } of given) grads[target] = after;
    const done = new Set(result.steps.slice(0, Math.max(0, index - 1)).map(({ node }) => node));
    nodes.forEach((_, place) => {
      const state = step?.node === place ? "current" : done.has(place) ? "done" : "waiting";
      const receives = Boolean(step?.given.some(({ target }) => target === place));
      const sign = receives ? "+=" : SIGNS[state];
      showBox(place, { grad: text(grads[place]), state, receives, sign, spoken: spokenNode(place, grads) });
    });
    for (const arrow of parts.arrows) {
      const given = step?.given.find(({ edge }) => edge === arrow.edge);
      showArrow(arrow, given ? productOf(given, step.upstream) : [], { active: Boolean(given) });
    }
    const told = toldWalked(index, step);
    steps.show(told[0]);
    scrollTo(scene, parts.nodes.get(String(step?.node ?? last)));
    return { notice: "", told };
  }

  const productOf = ({ local, amount }, upstream) => [
    `${fittingText(local, 7)} \u00d7 ${upstream < 0 ? `(${fittingText(upstream, 7)})` : fittingText(upstream, 7)}`,
    `= ${fittingText(amount, 7)}`,
  ];

  function toldWalked(index, step) {
    const { name } = nodes[step?.node ?? last];
    if (!step) return [say("start", { steps: nodes.length }), say("seed", { name })];
    const grad = text(step.upstream);
    return [
      say("step", { step: index, steps: nodes.length, title: nodes[step.node].title }),
      say(step.given.length ? "complete" : "leafDone", { name, grad }),
      ...step.given.map((given) => {
        const values = {
          name: nodes[given.target].name,
          local: text(given.local),
          upstream: operand(step.upstream),
          before: text(given.before),
          after: text(given.after),
        };
        const multiplied = say("multiplied", { ...values, amount: text(given.amount) });
        return `${multiplied} ${say("added", { ...values, amount: operand(given.amount) })}`;
      }),
    ];
  }

  const localOf = ({ source, side }) => result.local[source][side];

  function showArrow({ edge }, lines, { active = false, moves = false, still = false, share = "" }) {
    const group = parts.edges.get(edge);
    if (!group) return;
    group.toggleAttribute("data-active", active);
    group.toggleAttribute("data-moves", moves);
    group.toggleAttribute("data-still", still);
    const caption = parts.captions.get(edge);
    caption.dataset.share = share;
    putCaption(caption, lines, placed.edges[edge]);
  }

  function toldArrow({ source, target, side }) {
    const [from, to] = [nodes[target].name, nodes[source].name];
    const [local, upstream] = [result.local[source][side], result.grads[source]];
    const numbers = { local: text(local), upstream: operand(upstream), amount: text(local * upstream) };
    return `${say("arrow", { target: from, source: to, ...numbers })} ${say("arrowBack", numbers)}`;
  }

  function showTable() {
    const rows = nodes.map(({ title }, place) => ({
      state: "", cells: ["", title, text(result.data[place]), text(result.grads[place])],
    }));
    fillTable(parts.rows, rows);
  }

  // ---- hands: pointer, keys, typing --------------------------------------------------------------

  for (const [name, tab] of Object.entries(parts.tabs)) tab.addEventListener("click", () => setMode(name));
  parts.again.addEventListener("click", restart);
  parts.pick.addEventListener("change", () => change(model, { wiggle: nodes[parts.pick.value].own }));
  parts.slider.addEventListener("input", () => change(model, { h: STEPS_OF_H[parts.slider.value] }));
  parts.table.addEventListener("toggle", show);

  let grip = null;
  let pan = null;  // touch scrolls the page up and down; sideways, a drag moves the drawing
  scene.addEventListener("pointerdown", (event) => {
    const place = placeOf(event);
    if (event.button > 0 || event.target.matches("input")) return undefined;
    if (place === null) {
      pan = { x: event.clientX, from: scene.scrollLeft };
      return undefined;
    }
    event.preventDefault();
    if (mode() === "walk") return goToNode(place);
    choose(place);
    if (nodes[place].op) return undefined;
    grip = { place, x: event.clientX, from: held[place], step: sizeOfStep(held[place]), went: false };
    return scene.setPointerCapture(event.pointerId);
  });
  scene.addEventListener("pointermove", ({ clientX, shiftKey }) => {
    if (pan) scene.scrollLeft = pan.from + pan.x - clientX;
    if (!grip) return;
    const count = Math.round((clientX - grip.x) / PIXELS_PER_STEP) * (shiftKey ? 10 : 1);
    if (!grip.went && !count) return;
    if (!grip.went) take(grip.place);
    grip.went = true;
    parts.story.setAttribute("aria-live", "off");  // a stream of numbers cannot be read aloud
    setLeaf(grip.place, onGrid(grip.from + count * grip.step, grip.step), grip.step);
  });
  const letGo = () => {
    if (grip?.went) commit();
    grip = null;
    pan = null;
    parts.story.setAttribute("aria-live", "polite");
  };
  for (const end of ["pointerup", "pointercancel"]) scene.addEventListener(end, letGo);
  scene.addEventListener("dblclick", (event) => {
    const place = placeOf(event);
    if (place !== null && !nodes[place].op && mode() !== "walk") type(place);
  });
  scene.addEventListener("pointerover", ({ target }) => {
    const edge = target.closest(".rw-edge")?.dataset.edge;
    const arrow = parts.arrows.find((other) => other.edge === edge);
    write(parts.aside, arrow ? toldArrow(arrow) : "");
  });

  function goToNode(place) {
    steps.stop();
    change(model, { index: result.steps.findIndex(({ node }) => node === place) + 1 });
    root.focus({ preventScroll: true });
  }

  /** Let a number be typed in its place. */
  function type(place, first = "") {
    const { name } = nodes[place];
    const input = textField({ "aria-label": say("leaf", { name }), class: "rw-typed", inputmode: "text" });
    const [box, around] = [parts.boxes[place].of.data, scene].map((part) => part.getBoundingClientRect());
    const width = 110;
    const left = Math.max(0, Math.min(box.right - around.left - width, around.width - width));
    input.style.left = `${left + scene.scrollLeft}px`;
    input.style.top = `${box.top - around.top + scene.scrollTop - 5}px`;
    input.value = first || numberText(held[place], 17).replace("\u2212", "-");
    scene.append(input);
    input.focus();
    if (!first) input.select();
    let over = false;
    const end = (keeps) => {
      if (over) return;
      over = true;
      const typed = input.value.trim();
      input.remove();
      parts.nodes.get(String(place)).focus({ preventScroll: true });
      const plain = typed.replace(/[\u2212\u2013]/g, "-").replace(",", ".");
      if (!keeps) return;
      take(place);
      if (TYPED_NUMBER.test(plain) && Number.isFinite(Number(plain))) {
        setLeaf(place, Number(plain));
        commit();
        return;
      }
      const why = say("noNumber", { typed: `\u2068${typed}\u2069` });
      refusal = say("stays", { why, name, data: text(held[place]) });
      show();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") {
        event.preventDefault();
        end(event.key === "Enter");
      }
    });
    input.addEventListener("blur", () => end(true));
  }

  const acts = {
    more: (big) => stepLeaf(big ? 10 : 1),
    less: (big) => stepLeaf(big ? -10 : -1),
    next: () => chooseNext(1),
    back: () => chooseNext(-1),
    smaller: () => setH(1),
    larger: () => setH(-1),
    restart: () => { setLeaf(handled(), start[handled()]); commitSoon(); },
    type: () => type(handled()),
  };
  root.addEventListener("keydown", (event) => {
    const keys = { hold: HOLD_KEYS, wiggle: WIGGLE_KEYS, walk: STEP_KEYS }[mode()];
    const inControl = event.target.matches("input, select, summary");
    const presses = event.target.matches("button, summary") && [" ", "Enter"].includes(event.key);
    if (isShortcut(event) || inControl || presses || event.key === "Tab" || event.key === "Escape") return;
    if (event.key === "Enter" && event.shiftKey) return;
    event.stopPropagation();
    const known = MODE_KEYS[event.key.toLowerCase()];
    const isLeaf = mode() !== "walk" && !nodes[handled()].op;
    const types = isLeaf && /^[0-9.,+\u2212-]$/.test(event.key);
    if (!known && !types && !keys[event.key]) return;
    event.preventDefault();
    if (known) setMode(known);
    else if (types) type(handled(), event.key);
    else if (mode() === "walk") steps.act(keys[event.key]);
    else if (isLeaf || ["next", "back", "smaller", "larger"].includes(keys[event.key])) {
      acts[keys[event.key]](event.shiftKey);
    }
  });

  const widths = new ResizeObserver(() => { if (parts.svg) show(); });
  widths.observe(scene);
  return {
    root,
    show,
    traits: ["numbers", "mode", "wiggle", "h", "index"],
    stop: () => {
      if (ahead) commit();
      steps.stop();
      widths.disconnect();
    },
  };
};

/** Everything that is on the page, made once so that a change only changes looks. */
function buildLive(payload, walkBar) {
  const { nodes, labels } = payload;
  const tabs = Object.fromEntries(Object.keys(payload.hints).map((mode) => [mode, button(labels[mode])]));
  const again = button(labels.reset);
  const pick = make("select", { "aria-label": labels.wiggledNumber },
    ...nodes.map(({ title }, place) => make("option", { value: place }, title)));
  const slider = sliderOf(STEPS_OF_H.length - 1, labels.step);
  const h = make("output", { class: "rw-place" });
  const wiggleBar = make("div", { class: "rw-controls" }, labels.wiggledNumber, pick, labels.step, slider, h);
  const modes = make("span", { class: "rw-tabs", role: "group", "aria-label": labels.modes }, ...Object.values(tabs));
  const bar = make("div", { class: "rw-controls rw-bar" }, modes, again);
  const scene = sceneOf(payload);
  const story = storyOf([["", "", ""]]);
  const notice = noticeLine();
  const aside = make("p", { class: "rw-aside" });
  const rows = tableOf(labels.table, ["", labels.node, labels.data, labels.grad]);
  const table = make("details", { class: "rw-all" }, make("summary", {}, labels.table), rows.element);
  const below = make("div", { class: "rw-below" }, notice, wiggleBar, walkBar);
  const root = viewFrame({
    summary: payload.summary, above: [bar], scene, story, bar: below, beside: [aside, table], hint: "",
  });
  root.classList.add("rw-live");
  root.dataset.types = "";
  const svg = scene.querySelector("svg");
  svg?.setAttribute("role", "group");
  const found = partsOf(scene);
  const boxes = nodes.map(({ op, name }, place) => boxOf(found.nodes.get(String(place)), op, name, payload));
  const arrows = nodes.flatMap((_, place) => arrowsInto(nodes, place));
  const hint = make("span", {});
  root.querySelector(".rw-hint").prepend(hint);
  return {
    root, scene, svg, story, notice, aside, tabs, again, pick, slider, h, rows, table, boxes, arrows,
    bars: { wiggle: wiggleBar, walk: walkBar }, hint, ...found,
  };
}

/** The parts of one box that change, and half the width of its bar. */
function boxOf(group, op, name, { words }) {
  if (!group) return { of: null, half: 0 };
  const part = (selector) => group.querySelector(selector);
  const [, gradKey, ratioKey] = group.querySelectorAll(".rw-key");
  const of = {
    gradKey, ratioKey, box: part(".rw-box"), data: part(".rw-data"), grad: part(".rw-grad"),
    ratio: part(".rw-ratio"), mark: part(".rw-mark"), strip: part(".rw-strip"), low: part(".rw-low"),
    high: part(".rw-high"), dot: part(".rw-dot"), shares: part(".rw-shares"),
  };
  const label = { "aria-label": filled(words.leaf, { name }), "aria-orientation": "horizontal" };
  setAll(group, { tabindex: -1, ...(op ? { role: "img" } : { role: "slider", ...label }) });
  return { of, half: Number(part(".rw-track").getAttribute("x2")) };
}

/** Move every part of the drawing to its place in a placement. */
function putLive({ scene, nodes, edges }, { width, height, boxes, edges: lines }) {
  boxes.forEach(([x, y, , high], place) => {
    const group = nodes.get(String(place));
    group.setAttribute("transform", `translate(${x} ${y})`);
    group.querySelector(".rw-box").setAttribute("height", high);
  });
  for (const [edge, { line, forward, backward }] of Object.entries(lines)) {
    const group = edges.get(edge);
    for (const path of group.querySelectorAll(".rw-line, .rw-hit")) path.setAttribute("d", line);
    group.querySelector(".rw-forward").setAttribute("points", forward);
    group.querySelector(".rw-backward").setAttribute("points", backward);
  }
  resizeDrawing(scene, width, height);
}

/** Write one or two lines beside an arrow. */
function putCaption(caption, lines, { middle: [x, y], aside: [across, up] }) {
  caption.toggleAttribute("data-active", lines.length > 0);
  if (!lines.length) return;
  const width = Math.max(...lines.map(({ length }) => length)) * LIVE_CHARACTER + 14;
  const height = 4 + 18 * lines.length;
  const room = BESIDE + (Math.abs(across) * width + Math.abs(up) * height) / 2;
  caption.setAttribute("transform", `translate(${x + across * room} ${y + up * room})`);
  setAll(caption.querySelector(".rw-pill"), { x: -width / 2, width, y: -height / 2, height });
  const label = caption.querySelector(".rw-product");
  if (label.dataset.lines === lines.join("\n")) return;
  label.dataset.lines = lines.join("\n");
  label.replaceChildren(...lines.map((line, place) => {
    const part = shape("tspan", { x: 0, y: 5 + 17 * (place - (lines.length - 1) / 2) });
    part.textContent = line;
    return part;
  }));
}

function placeOf({ target }) {
  const group = target.closest?.(".rw-node");
  return group ? Number(group.dataset.node) : null;
}

/** The step of a drag: about a fiftieth of a number, a power of ten. */
function sizeOfStep(number) {
  return 10 ** (Math.floor(Math.log10(Math.max(Math.abs(number), 0.5))) - 1);
}

function onGrid(number, step) {
  return Number((Math.round(number / step) * step).toPrecision(12));
}

function nearestStep(h) {
  const far = STEPS_OF_H.map((step) => Math.abs(Math.log(step / h)));
  return far.indexOf(Math.min(...far));
}
