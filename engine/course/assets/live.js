
// ---- a page without a kernel ------------------------------------------------------------------

/** What a view asks of its model, from stored traits: steps work, and nothing reaches Python. */
function storedModel(traits) {
  const listeners = new Map();
  const heard = (event) => listeners.get(event) ?? [];
  return {
    widget_manager: { kernel: null },
    get: (name) => traits[name],
    set: (name, value) => {
      traits[name] = value;
      for (const act of heard(`change:${name}`)) act();
    },
    on: (event, act) => listeners.set(event, [...heard(event), act]),
    off: (event, act) => listeners.set(event, heard(event).filter((other) => other !== act)),
    save_changes: () => {},
    send: () => {},
  };
}

for (const el of document.querySelectorAll(".live")) {
  const traits = JSON.parse(el.querySelector("script").textContent);
  render({ model: storedModel(traits), el });
}
