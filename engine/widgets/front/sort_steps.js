// The front end of SortSteps: the visited set, the stack and the list behind the order of a walk.

VIEWS.sort = (model) => {
  const { summary, svg, notice, names, columns, nothing, positions, gradients, hint } = model.get("payload");
  const last = positions.length - 1;
  const steps = stepper({
    last: () => last,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { slider: summary },
  });
  const scene = sceneOf({ svg, notice });
  const parts = partsOf(scene);
  const story = storyOf(positions.map(({ sentence }) => [sentence]), positions.map(({ heading }) => heading));
  const held = columns.map((title) => {
    const items = make("ol", {});
    return { items, element: make("div", { class: "rw-held" }, make("strong", {}, title), items) };
  });
  const beside = make("div", { class: "rw-helds" }, ...held.map(({ element }) => element));
  const root = viewFrame({ summary, scene, story, bar: steps.bar, beside: [beside], hint });
  root.classList.add("rw-sort");
  listenToKeys(root, STEP_KEYS, steps.act);

  function show() {
    const position = positions[model.get("index")];
    steps.show(position.heading);
    tell(story, position.heading, [position.sentence]);
    columns.forEach((title, column) => {
      const items = position[title].map((node) => make("li", node === position.node ? { "data-now": "" } : {}, names[node]));
      held[column].items.replaceChildren(...items);
      held[column].element.toggleAttribute("data-empty", !items.length);
      if (!items.length) held[column].items.append(make("li", {}, nothing));
    });
    gradients.forEach((grad, node) => {
      const group = parts.nodes.get(String(node));
      const place = position.list.indexOf(node);
      const waits = position.stack.includes(node);
      const state = node === position.node ? "current" : place >= 0 ? "done" : waits ? "early" : "waiting";
      const sign = place >= 0 ? String(place + 1) : waits ? "stack" : "";
      if (group) showNode(group, { state, receives: false, sign, grad });
    });
    scrollTo(scene, parts.nodes.get(String(position.node ?? names.length - 1)));
  }
  return { root, show, traits: ["index"], stop: steps.stop };
};
