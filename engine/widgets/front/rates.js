// The front end of LearningRates: one descent for each learning rate.

const RATE_KEYS = {
  ...STEP_KEYS, PageUp: "next", ArrowUp: "next", PageDown: "back", ArrowDown: "back", " ": null,
};

VIEWS.rates = (model) => {
  const { summary, slider, hint, places } = model.get("payload");
  const shown = () => places[model.get("index")];
  const steps = stepper({
    last: () => places.length - 1,
    position: () => model.get("index"),
    goTo: (index) => change(model, { index }),
    words: { back: "Smaller", next: "Larger", slider },
    plays: false,
  });
  const story = storyOf(places.map(({ sentences }) => sentences));
  const picture = make("img");
  const scene = make("div", { class: "rw-scene" }, picture);
  const root = viewFrame({ summary, scene, story, bar: steps.bar, hint });
  listenToKeys(root, RATE_KEYS, steps.act);
  return {
    root,
    show: () => {
      const { rate, heading, sentences, picture: src, alt, width, height } = shown();
      tell(story, heading, sentences);
      steps.show(rate, rate);
      Object.assign(picture, { src, alt, width, height });
    },
    traits: ["index"],
    stop: steps.stop,
  };
};
