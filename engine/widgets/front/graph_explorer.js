// The front end of GraphExplorer: boxes that open, single nodes, paths.

const EXPLORE_KEYS = {
  PageDown: "next", PageUp: "back", Home: "first", End: "last", Backspace: "undo",
};
const MOVE_KEYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

VIEWS.explorer = (model) => {
  const payload = model.get("payload");
  const last = () => (drawing.page.positions ?? [null]).length - 1;
  const position = () => {
    const [number, index] = model.get("stepped");
    return number === drawing.page.number ? clamped(index, last()) : 0;
  };
  const goTo = (index) => change(model, { stepped: [drawing.page.number, index] });
  let drawing = { page: { svg: [], hops: null }, items: [], nodes: new Map() };
  let chosen = null;
  const steps = stepper({ last, position, goTo, words: { slider: "Step of the walk" } });
  const parts = buildExplorer(payload, steps.bar);
  const { root, scene, notice } = parts;
  root.toggleAttribute("data-alone", Boolean(model.isStored));
  const waiting = patience(notice, payload.noPython);

  const ask = (message) => {
    if (kernelIsGone(model)) return waiting.giveUp();
    waiting.begin();
    model.send(message);
  };
  const act = {
    open: (path) => ask({ do: "open", path }),
    close: (path) => ask({ do: "close", path }),
    each: (path) => ask({ do: "each", path }),
    path: (node) => ask({ do: "path", node }),
    around: (node) => ask({ do: "around", node, hops: Number(parts.hops.value) }),
    search: () => ask({ do: "search", text: parts.input.value }),
    boxes: () => ask({ do: "boxes" }),
  };

  const undo = () => { if (drawing.page.canGoBack) ask({ do: "back" }); };
  const jump = (name) => (name === "undo" ? undo() : steps.act(name));

  const choose = (item) => {
    chosen = item;
    for (const other of drawing.items) {
      other.tabIndex = other === item ? 0 : -1;
      other.toggleAttribute("data-chosen", other === item);
    }
    showChosen(parts, payload, drawing.page, item, act);
  };
  const press = (item) => {
    const { frame, box } = itemOf(drawing.page, item);
    if (frame) return act.close(frame.path);
    if (box.node !== null) return act.around(box.node);
    if (box.path) act.open(box.path);
  };

  listenToTyping(parts.input, act.search);
  parts.find.addEventListener("click", act.search);
  parts.undo.addEventListener("click", undo);
  parts.boxes.addEventListener("click", act.boxes);
  listenToItems(scene, () => drawing.items, {
    choose: (item) => { if (item !== chosen) choose(item); },
    press,
  });
  root.addEventListener("keydown", (event) => {
    const name = EXPLORE_KEYS[event.key];
    if (event.target.matches("input, select") || !name || isShortcut(event)) return;
    event.preventDefault();
    jump(name);
  });
  listenToKeys(root, {}, () => {});
  scene.addEventListener("turned", ({ detail }) => {
    if (!drawing.page.boxes) return;
    const before = chosen ? itemOf(drawing.page, chosen) : {};
    drawing.items = itemsOf(scene, drawing.page);
    const item = sameItem(drawing, before);
    if (item) choose(item);
    if (detail.hadFocus) item?.focus({ preventScroll: true });
  });

  /** Put a new drawing up, and keep what was chosen and where the focus was. */
  const draw = (page) => {
    const replaced = [scene, parts.details, parts.crumbs];
    const held = replaced.some((part) => part.contains(document.activeElement));
    const before = chosen ? itemOf(drawing.page, chosen) : {};
    steps.stop();
    parts.boxes.hidden = !page.single;
    root.setAttribute("aria-label", page.summary);
    drawing = { page, ...putExplored(scene, page) };
    showCrumbs(parts.crumbs, page, act);
    chosen = null;
    const item = sameItem(drawing, before);
    if (item) choose(item);
    else showChosen(parts, payload, page, null, act);
    if (held) (item ?? root).focus({ preventScroll: !item });
  };
  let told = {};  // what the notice belongs to
  return {
    root,
    show: () => {
      const page = model.get("shown");
      if (page !== told.page || position() !== told.at) {
        waiting.end();
        notice.textContent = page.notice;
      }
      told = { page, at: position() };
      if (page.hops && page.hops !== drawing.page.hops) parts.hops.value = page.hops;
      if (String(page.svg) !== String(drawing.page.svg) || page.boxes.length !== drawing.page.boxes?.length) {
        draw(page);
      } else {
        drawing.page = page;
      }
      rest(parts.undo, !page.canGoBack);
      showFound(parts, payload, page, act);
      steps.show(page.positions[position()].heading);
      showExplored(parts, drawing, position());
    },
    traits: ["shown", "stepped"],
    stop: () => {
      steps.stop();
      waiting.end();
    },
  };
};

/** Boxes and frames of a drawing: the focus chooses one, arrow keys go to its neighbors. */
function listenToItems(scene, items, { choose, press }) {
  const itemAt = (target) => target.closest("[data-node], [data-frame]");
  scene.addEventListener("focusin", ({ target }) => {
    const item = itemAt(target);
    if (!item) return;
    choose(item);
    scrollTo(scene, item);
  });
  scene.addEventListener("click", ({ target }) => {
    itemAt(target)?.focus({ preventScroll: true });
  });
  scene.addEventListener("dblclick", ({ target }) => {
    const item = itemAt(target);
    if (item) press(item);
  });
  scene.addEventListener("keydown", (event) => {
    const item = itemAt(event.target);
    const direction = MOVE_KEYS[event.key];
    const presses = event.key === "Enter" || event.key === " ";
    if (!item || !items().length || isShortcut(event) || !(direction || presses)) return;
    event.stopPropagation();
    event.preventDefault();
    if (direction) nearest(items(), item, direction)?.focus();
    else press(item);
  });
}

function buildExplorer(payload, bar) {
  const input = textField({ size: 14, "aria-label": "Label of a node, or a part of it" });
  const [usual, most] = payload.hops;
  const choices = Array.from({ length: most }, (_, place) => make("option", {}, String(place + 1)));
  choices[usual - 1].selected = true;
  const hops = make("select", {}, ...choices);
  const find = button("Find");
  const undo = button("Drawing before");
  const boxes = button("Back to the boxes");
  const story = storyOf([["", "", ""]]);
  const notice = noticeLine();
  const scene = sceneOf({});
  scene.removeAttribute("tabindex");
  const crumbs = make("span", { class: "rw-controls", role: "group", "aria-label": "Open boxes" });
  const details = make("div", { class: "rw-details" });
  const found = make("div", { class: "rw-found" });
  const root = viewFrame({
    summary: payload.summary,
    above: [
      make(
        "div",
        { class: "rw-controls rw-tools" },
        input,
        find,
        make("label", {}, "Neighborhood: ", hops, " hops"),
        undo,
        boxes,
        crumbs,
      ),
      notice,
    ],
    scene,
    story,
    bar,
    beside: [found, details],
    hint: payload.hint,
  });
  root.classList.add("rw-explorer");
  roveAmong([find, hops, undo, boxes]);
  return {
    root, input, hops, find, undo, boxes, story, notice, scene, crumbs, details, found,
  };
}

/** Put a drawing up; each box and each open frame in it can be reached and pressed. */
function putExplored(scene, page) {
  if (!page.svg.length) {
    noDrawing(scene, page.noPicture);
    return { items: [], ...partsOf(scene) };
  }
  putDrawing(scene, page.svg);
  return { items: itemsOf(scene, page), ...partsOf(scene) };
}

/** The boxes and frames of the placement that is shown, ready to be reached by keys. */
function itemsOf(scene, page) {
  const picture = scene.querySelector("svg.rw-drawing");
  picture.setAttribute("role", "group");
  const items = [...picture.querySelectorAll("[data-node], [data-frame]")];
  items.forEach((item, place) => {
    const { frame, box } = itemOf(page, item);
    item.tabIndex = place === 0 ? 0 : -1;
    item.setAttribute("role", "button");
    item.setAttribute("aria-label", frame ? `${frame.name}, open` : box.label);
    if (frame || box.path) item.setAttribute("aria-expanded", Boolean(frame));
  });
  return items;
}

/** The box or the frame that a part of the drawing stands for. */
function itemOf(page, { dataset }) {
  if (dataset.frame !== undefined) return { frame: page.frames[Number(dataset.frame)] };
  return { box: page.boxes[Number(dataset.node)], place: Number(dataset.node) };
}

/** What in a new drawing stands for the same scope or node as before. */
function sameItem({ page, items }, { frame, box }) {
  const path = frame?.path ?? box?.path;
  const same = items.find((item) => {
    const now = itemOf(page, item);
    if (path) return (now.frame ?? now.box).path === path;
    return box && box.node !== null && now.box?.node === box.node;
  });
  return same ?? items[0];
}

/** The item that lies next in a direction, sideways counting more than straight on. */
function nearest(items, from, [x, y]) {
  const middle = (item) => {
    const { left, top, width, height } = item.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [fromX, fromY] = middle(from);
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const [toX, toY] = middle(item);
    const ahead = (toX - fromX) * x + (toY - fromY) * y;
    const aside = Math.abs((toX - fromX) * y) + Math.abs((toY - fromY) * x);
    if (item === from || ahead < 4 || ahead + 2 * aside >= least) continue;
    best = item;
    least = ahead + 2 * aside;
  }
  return best;
}

function showCrumbs(crumbs, page, act) {
  const buttons = page.frames.map(({ path, title, name }) => {
    const element = button(title, { title: path, "aria-label": `Close ${name}` });
    element.addEventListener("click", () => act.close(path));
    return element;
  });
  roveAmong(buttons);
  crumbs.replaceChildren("Close:", ...buttons);
  crumbs.hidden = buttons.length === 0;
}

function showChosen({ details }, payload, page, item, act) {
  if (!item) return details.replaceChildren();
  const { frame, box } = itemOf(page, item);
  const buttons = [];
  const offer = (text, does, what) => {
    const element = button(text);
    element.addEventListener("click", () => does(what));
    buttons.push(element);
  };
  if (frame) offer(`Close ${frame.title}`, act.close, frame.path);
  if (box?.path) offer("Open", act.open, box.path);
  if (box?.members.length) {
    offer("One by one", act.each, box.path);
    buttons.push(memberChoice(box, act));
  }
  if (box?.alone) offer("Fold with the others", act.close, box.path);
  const rows = box?.rows ?? [];
  const caption = box?.path ? "The largest gradients in it" : "This node";
  details.replaceChildren(
    make("strong", {}, (frame ?? box).title),
    ...(box?.sentences ?? []).map((sentence) => make("p", {}, sentence)),
    ...(buttons.length ? [make("div", { class: "rw-controls" }, ...buttons)] : []),
    ...(rows.length ? [nodeTable(caption, payload.columns, rows, act)] : []),
  );
}

function memberChoice({ members }, act) {
  const choices = members.map((path) => make("option", { value: path }, path));
  const choice = make("select", { "aria-label": "One of them" }, ...choices);
  const alone = button("Open this one");
  alone.addEventListener("click", () => act.open(choice.value));
  return make("span", { class: "rw-choice" }, choice, alone);
}

function showFound({ found }, payload, page, act) {
  if (!page.found) return found.replaceChildren();
  const { sentence, rows } = page.found;
  if (found.dataset.sentence === sentence && found.childElementCount) return;
  found.dataset.sentence = sentence;
  found.replaceChildren(
    make("p", { role: "status" }, sentence),
    ...(rows.length ? [nodeTable("Found", payload.columns, rows, act)] : []),
  );
}

/** A table of single nodes, each with a way to its strongest path and to its neighborhood. */
function nodeTable(caption, columns, rows, act) {
  const heads = [...columns.map((text, place) => columnHead(text, place < 2)), columnHead("")];
  const body = rows.map(({ node, cells: [name, scope, ...numbers] }) => {
    const path = button("Path", { "aria-label": `Strongest path from ${name}` });
    const near = button("Around", { "aria-label": `Neighborhood of ${name}` });
    path.addEventListener("click", () => act.path(node));
    near.addEventListener("click", () => act.around(node));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", { class: "rw-name" }, scope),
      ...numbers.map((text) => make("td", {}, text)),
      make("td", { class: "rw-controls" }, path, near),
    );
  });
  return tableBox(caption, heads, make("tbody", {}, ...body));
}

function showExplored(parts, { page, nodes, edges, captions }, index) {
  const { heading, sentences, box: current, contributions } = page.positions[index];
  if (index === 0) tell(parts.story, page.story[0], page.story.slice(1));
  else tell(parts.story, heading, sentences);
  const done = new Set(page.positions.slice(1, index).map(({ box }) => box));
  page.boxes.forEach(({ grad }, place) => {
    const receives = contributions.some(({ target }) => target === place);
    const state = place === current ? "current" : done.has(place) ? "done" : "waiting";
    const group = nodes.get(String(place));
    const sign = receives ? "+=" : SIGNS[state];
    if (group) showNode(group, { state, receives, sign, grad });
  });
  showContributions({ edges, captions }, contributions);
  const targets = contributions.map(({ target }) => `n${target}`);
  scrollTo(parts.scene, current === null ? [] : [`n${current}`, ...targets]);
}
