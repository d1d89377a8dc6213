// The front end of a training: how far it is, and a button that ends it after the current step.
//
// The button asks the server to interrupt the kernel, which Python takes as a wish to end in order.
// It takes its colors and its type from the page around, light or dark.

export default { render };

// Trainings whose button was pressed here: their last sentence gets the focus the button had.
const pressed = new Set();

/** Show a training in an element; returns the function that takes it away again. */
function render({ model, el }) {
  const bar = make("progress", { "aria-label": model.get("title") });
  const words = make("span", { class: "rw-training-words" });
  const stop = make("button", { type: "button" });
  const hint = make("span", {}, "To stop after a step, interrupt the kernel.");
  const end = make("p", { class: "rw-training-end", role: "status", tabindex: -1 });
  const root = make("div", { class: "rw-training" }, bar, words, stop, hint, end);
  const key = model.get("key");
  const kernel = model.widget_manager?.kernel;
  const hasButton = typeof kernel?.interrupt === "function";

  const show = () => {
    const { done, steps, text, ended, asked } = model.get("progress");
    bar.max = Math.max(steps, 1);
    bar.value = steps ? done : 1;
    words.textContent = ended ? "" : text;
    words.hidden = Boolean(ended);
    if (end.textContent !== ended) end.textContent = ended;
    end.hidden = !ended;
    if (ended && document.activeElement === stop) end.focus({ preventScroll: true });
    stop.hidden = Boolean(ended) || !hasButton || !model.get("can_stop");
    hint.hidden = Boolean(ended) || hasButton || !model.get("can_stop");
    label(stop, asked || pressed.has(key));
  };
  stop.addEventListener("click", async () => {
    // A second interrupt would break the step off.
    if (pressed.has(key) || model.get("progress").asked) return;
    pressed.add(key);
    label(stop, true);
    try {
      await kernel.interrupt();
    } catch {
      pressed.delete(key);
      label(stop, false);
    }
  });
  // JupyterLab acts on keys that reach the page: with a button focused, x would cut the cell.
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
  });

  model.on("change:progress", show);
  el.append(root);
  show();
  // How it was stopped is stored as a new output, whose view takes the place of the one before.
  if (model.get("progress").ended && pressed.delete(key)) {
    setTimeout(() => {
      if (document.activeElement === document.body) end.focus({ preventScroll: true });
    });
  }
  return () => {
    model.off("change:progress", show);
    root.remove();
  };
}

function label(stop, asked) {
  stop.textContent = asked ? "Stopping after this step …" : "Stop after this step";
  stop.setAttribute("aria-disabled", String(asked));
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
