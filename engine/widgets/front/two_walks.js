// The front end of TwoWalks: two walks under one clicker; it uses that of ReverseWalk for each.

VIEWS.twins = (model) => {
  const { summary, walks, titles, hint, differs } = model.get("payload");
  const steps = stepper({
    last: () => differs.length - 1,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { slider: summary },
  });
  const twins = walks.map((payload, side) => {
    const frames = framesOf(payload);
    const scene = sceneOf(payload);
    const story = storyOf(
      payload.positions.map(({ sentences }) => sentences), payload.positions.map(({ heading }) => heading),
    );
    const element = make("div", { class: "rw-twin", role: "group", "aria-label": titles[side] || payload.summary },
      make("strong", {}, titles[side]), scene, story);
    return { frames, scene, story, element, rows: [], order: element, receives: payload.receives, ...partsOf(scene) };
  });
  const story = storyOf(differs.map(({ sentence }) => [sentence]), differs.map(({ heading }) => heading));
  const root = viewFrame({
    summary,
    scene: make("div", { class: "rw-twins" }, ...twins.map(({ element }) => element)),
    story,
    bar: steps.bar,
    hint,
  });
  root.classList.add("rw-two");
  listenToKeys(root, STEP_KEYS, steps.act);

  function show() {
    const index = model.get("index");
    const { nodes, heading, sentence } = differs[index];
    steps.show(heading);
    tell(story, heading, sentence ? [sentence] : []);
    twins.forEach((parts, side) => showTwin(parts, Math.min(index, parts.frames.length - 1), nodes[side]));
  }
  return { root, show, traits: ["index"], stop: steps.stop };
};

function showTwin(parts, index, differs) {
  const frame = parts.frames[index];
  tell(parts.story, frame.heading, frame.sentences);
  const receives = new Set(frame.contributions.map(({ target }) => target));
  for (const [key, group] of parts.nodes) {
    const node = Number(key);
    const [state, gets] = [frame.states[node], receives.has(node)];
    showNode(group, { state, receives: gets, sign: gets ? parts.receives : SIGNS[state], grad: frame.gradients[node] });
    group.toggleAttribute("data-differs", differs.includes(node));
  }
  showContributions(parts, frame.contributions);
  scrollTo(parts.scene, parts.nodes.get(String(frame.node ?? frame.gradients.length - 1)));
}
