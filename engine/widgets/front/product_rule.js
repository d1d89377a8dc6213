// The front end of ProductRule: a rectangle whose sides and steps can be dragged.

VIEWS.product = (model) => {
  const { svg: markup, scale, corner: [left, bottom], square, start, words } = model.get("payload");
  const say = (sentence, values) => filled(words[sentence], values);
  const text = (number) => fittingText(number, 9);
  const plane = make("div", { class: "rw-plane" });
  plane.innerHTML = markup;
  const svg = plane.querySelector("svg");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", words.summary);
  const { width, height } = svg.viewBox.baseVal;
  const part = (name) => svg.querySelector(`.rw-${name}`);
  const handles = { sides: part("at"), steps: part("end") };
  for (const [name, handle] of Object.entries(handles)) {
    setAll(handle, { role: "slider", tabindex: name === "sides" ? 0 : -1, "aria-label": words[name] });
  }
  const buttons = { half: button(words.half), tenth: button(words.tenth), reset: button(words.reset) };
  const story = storyOf([["", ""]]);
  const root = viewFrame({
    summary: words.summary,
    scene: make("div", { class: "rw-planes" }, plane),
    story,
    bar: make("div", { class: "rw-controls rw-bar" }, ...Object.values(buttons)),
    hint: words.hint,
  });
  root.classList.add("rw-rectangle");

  const now = () => Object.fromEntries(["x", "y", "dx", "dy"].map((name) => [name, model.get(name)]));
  const far = { x: (width - left - 12) / scale, y: (bottom - 12) / scale };
  function move(asked) {
    const next = { ...now(), ...asked };
    if (square) {
      const [side, step] = ["x" in asked ? next.x : next.y, "dx" in asked ? next.dx : next.dy];
      Object.assign(next, { x: side, y: side, dx: step, dy: step });
    }
    next.x = Math.max(far.x / 50, Math.min(next.x, far.x));
    next.y = Math.max(far.y / 50, Math.min(next.y, far.y));
    if (square) next.x = next.y = Math.min(next.x, next.y);
    next.dx = Math.max(0, Math.min(next.dx, far.x - next.x));
    next.dy = Math.max(0, Math.min(next.dy, far.y - next.y));
    if (square) next.dx = next.dy = Math.min(next.dx, next.dy);
    change(model, next);
  }

  function area(name, x, y, wide, high, label) {
    setAll(part(name), {
      x: left + x * scale, y: bottom - (y + high) * scale, width: wide * scale, height: high * scale,
    });
    const roomy = wide * scale > 40 && high * scale > 16;
    const written = part(`${name}-text`);
    setAll(written, { x: left + (x + wide / 2) * scale, y: bottom - (y + high / 2) * scale + 5 });
    write(written, roomy ? label : "");
  }

  function show() {
    const { x, y, dx, dy } = now();
    area("base", 0, 0, x, y, `x y = ${text(x * y)}`);
    area("right", x, 0, dx, y, "dx y");
    area("top", 0, y, x, dy, "x dy");
    area("corner", x, y, dx, dy, "dx dy");
    setAll(handles.sides, { cx: left + x * scale, cy: bottom - y * scale });
    setAll(handles.steps, { cx: left + (x + dx) * scale, cy: bottom - (y + dy) * scale });
    setAll(handles.sides, { "aria-valuenow": x, "aria-valuetext": say("spoken", { x: text(x), y: text(y) }) });
    setAll(handles.steps, { "aria-valuenow": dx, "aria-valuetext": say("spokenSteps", { dx: text(dx), dy: text(dy) }) });
    write(part("side-x"), `x = ${text(x)}`);
    write(part("side-y"), `y = ${text(y)}`);
    setAll(part("side-x"), { x: left + (x * scale) / 2 });
    setAll(part("side-y"), { y: bottom - (y * scale) / 2 });
    const gain = (x + dx) * (y + dy) - x * y;
    const strips = dx * y + x * dy;
    const told = [say("share", {
      share: numberText(gain ? (100 * strips) / gain : 100, 4), x: text(x), y: text(y),
    })];
    if (square && dx) told.push(say("square", { ratio: text(gain / dx), rate: text(2 * x) }));
    tell(story, say("gain", { gain: text(gain), right: text(dx * y), top: text(x * dy), corner: text(dx * dy) }), told);
  }

  const shrink = (factor) => {
    const { dx, dy } = now();
    move({ dx: Number((dx * factor).toPrecision(6)), dy: Number((dy * factor).toPrecision(6)) });
  };
  buttons.half.addEventListener("click", () => shrink(0.5));
  buttons.tenth.addEventListener("click", () => shrink(0.1));
  buttons.reset.addEventListener("click", () => change(model, start));
  root.addEventListener("keydown", (event) => {
    const along = { ArrowRight: ["x", 1], ArrowLeft: ["x", -1], ArrowUp: ["y", 1], ArrowDown: ["y", -1] }[event.key];
    const factor = { PageDown: 0.5, PageUp: 2 }[event.key];
    if (isShortcut(event) || event.target.matches("input, button") || !(along || factor)) return;
    event.preventDefault();
    event.stopPropagation();
    if (factor) return shrink(factor);
    const [axis, way] = along;
    const name = event.target === handles.steps ? `d${axis}` : axis;
    return move({ [name]: Number((model.get(name) + (way * far[axis]) / 100).toPrecision(3)) });
  });
  listenToKeys(root, {}, () => {});
  let holds = null;
  plane.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    holds = Object.values(handles).find((handle) => handle === event.target) ?? null;
    if (!holds) return;
    plane.setPointerCapture(event.pointerId);
    holds.focus({ preventScroll: true });
    event.preventDefault();
  });
  plane.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!holds) return;
    const box = svg.getBoundingClientRect();
    const x = (((clientX - box.left) * width) / box.width - left) / scale;
    const y = (bottom - ((clientY - box.top) * height) / box.height) / scale;
    const near = (number) => Number(number.toPrecision(3));
    if (holds === handles.sides) move(square ? { x: near(Math.max(x, y)) } : { x: near(x), y: near(y) });
    else move({ dx: near(x - model.get("x")), dy: near(y - model.get("y")) });
  });
  for (const end of ["pointerup", "pointercancel"]) plane.addEventListener(end, () => { holds = null; });
  return { root, show, traits: ["x", "y", "dx", "dy"], stop: () => {} };
};
