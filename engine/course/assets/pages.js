
// ---- links ------------------------------------------------------------------------------------

// An address that ends in #view-2/step-3 opens the page at that step of its second view.
{
  const STEP = /^#(view-\d+)\/step-(\d+)$/;
  const follow = () => {
    const [, id, step] = location.hash.match(STEP) ?? [];
    const live = liveViews.find(({ el }) => el.id === id);
    const slider = live?.el.querySelector(".rw-bar input[type=range]");
    if (!slider || live.model.get("index") === undefined) return;
    live.model.set("index", clamped(Number(step), Number(slider.max)));
    live.el.scrollIntoView();
    live.el.querySelector(".rw-view").focus({ preventScroll: true });
  };
  for (const { el, model } of liveViews) {
    model.on("change:index", () => {
      history.replaceState(null, "", `#${el.id}/step-${model.get("index")}`);
    });
  }
  addEventListener("hashchange", follow);
  follow();
}
