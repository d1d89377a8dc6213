// The front end of GradientCheck: a table of gradients, and the errors for each step h.

const CHECK_KEYS = {
  ...STEP_KEYS, PageUp: "next", PageDown: "back", ArrowUp: "up", ArrowDown: "down", " ": null,
};

VIEWS.check = (model) => {
  const payload = model.get("payload");
  const steps = stepper({
    last: () => payload.places.length - 1,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { back: "Smaller h", next: "Larger h", slider: payload.slider },
    plays: false,
  });
  const parts = buildCheck(payload, steps.bar);
  const { root } = parts;
  const choose = (to) => change(model, { chosen: clamped(to, payload.inputs.length - 1) });

  listenToKeys(root, CHECK_KEYS, (name) => {
    const slides = document.activeElement === steps.slider;
    if (name !== "up" && name !== "down") steps.act(name);
    else if (slides) steps.act(name === "up" ? "next" : "back");
    else choose(model.get("chosen") + (name === "up" ? -1 : 1));
  });
  root.addEventListener("click", ({ target }) => {
    const row = target.closest("tr[data-input]");
    if (!row) return;
    choose(Number(row.dataset.input));
    if (!target.closest("input")) root.focus({ preventScroll: true });
  });
  root.addEventListener("change", ({ target }) => {
    if (target.type === "radio") choose(Number(target.value));
  });

  let drawn = null;
  return {
    root,
    show: () => {
      const [index, chosen] = [model.get("index"), model.get("chosen")];
      if (drawn !== chosen) drawChart(parts, payload.inputs[chosen]);
      drawn = chosen;
      const { step } = payload.places[index];
      steps.show(`h = ${step}`, `h = ${step}`);
      showCheck(parts, payload, index, chosen);
    },
    traits: ["index", "chosen"],
    stop: steps.stop,
  };
};

function buildCheck(payload, bar) {
  const story = storyOf([["", ""], ...payload.inputs.flatMap(({ sentences }) => sentences)]);
  const table = tableOf(payload.caption, payload.columns);
  const group = `rw-${Math.random().toString(36).slice(2)}`;
  const rows = payload.inputs.map((input, index) => buildCheckRow(input, index, group));
  table.body.append(...rows.map(({ element }) => element));
  const scene = sceneOf({ notice: "" });
  scene.setAttribute("aria-label", "Plot");
  const note = make("p", { class: "rw-note" });
  const root = viewFrame({
    summary: payload.summary,
    scene: make("div", { class: "rw-plot" }, scene, note),
    story,
    bar,
    beside: [table.element],
    hint: payload.hint,
  });
  table.element.classList.add("rw-keep");
  root.classList.add("rw-check");
  return { root, story, rows, scene, note };
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
