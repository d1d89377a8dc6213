// The front end of Predict: each gradient is asked for before it is shown.

VIEWS.predict = (model) => {
  const payload = model.get("payload");
  const parts = buildPredict(payload);
  const waiting = patience(parts.notice, payload.noPython);
  let typedSince = false;
  const ask = (kind, text = "") => {
    if (kernelIsGone(model)) return waiting.giveUp();
    waiting.begin();
    parts.input.select();
    typedSince = false;
    model.send({ kind, text, turn: model.get("shown").turn });
  };
  const answer = () => ask("answer", parts.input.value);
  parts.input.addEventListener("input", () => { typedSince = true; });

  listenToTyping(parts.input, answer);
  listenToKeys(parts.root, {}, () => {});
  parts.root.addEventListener("keydown", (event) => {
    const types = event.key.length === 1 && event.key !== " " && !isShortcut(event);
    if (types && event.target !== parts.input) parts.input.focus();
  });
  parts.check.addEventListener("click", answer);
  parts.showMe.addEventListener("click", () => ask("show"));
  parts.again.addEventListener("click", () => ask("again"));

  let before = null;
  return {
    root: parts.root,
    show: () => {
      const page = model.get("shown");
      waiting.end();
      showPredict(parts, page, before, typedSince);
      before = page;
    },
    traits: ["shown"],
    stop: waiting.end,
  };
};

function buildPredict(payload) {
  const question = storyOf([[]]);
  const verdict = storyOf([[""]]);
  verdict.classList.add("rw-verdict");
  const input = textField({ size: 12 });
  const check = button("Check", { class: "rw-next" });
  const showMe = button("Show me");
  const again = button("Start again");
  const place = make("span", { class: "rw-place" });
  const form = make("div", { class: "rw-controls rw-bar" }, input, check, showMe, again, place);
  const notice = noticeLine();
  const scene = sceneOf(payload);
  const table = tableOf(payload.caption, payload.columns);
  const root = viewFrame({
    summary: payload.summary,
    scene,
    story: make("div", { class: "rw-tell" }, verdict, question),
    bar: make("div", { class: "rw-answer" }, form, notice),
    beside: [table.element],
    hint: payload.hint,
  });
  root.classList.add("rw-asks");
  root.dataset.types = "";
  roveAmong([check, showMe, again]);
  lightTogether(root);
  const hint = root.querySelector(".rw-hint");
  const fields = { input, check, showMe, again, place, question, verdict, notice, table, hint };
  return { root, scene, ...fields, ...partsOf(scene) };
}

function showPredict(parts, page, before, typedSince) {
  showVerdict(parts.verdict, page.verdict);  // first, so that it is read aloud before the question
  if (page.heading !== before?.heading) tell(parts.question, page.heading, page.summary);
  parts.place.textContent = page.place;
  showAnswerField(parts, page, before, typedSince);
  page.nodes.forEach((node, index) => {
    const group = parts.nodes.get(String(index));
    if (group) showNode(group, node);
  });
  showContributions(parts, page.contributions);
  fillTable(parts.table, page.rows);
  const current = page.nodes.findIndex(({ state }) => state === "current");
  const receives = page.nodes.findIndex((node) => node.receives);
  scrollTo(parts.scene, [current, receives].filter((node) => node >= 0).map((node) => `n${node}`));
}

/** What was typed after the last answer stays; the focus stays in the view. */
function showAnswerField({ root, input, check, hint, showMe }, page, before, typedSince) {
  const hadFocus = page !== before && root.contains(document.activeElement);
  input.setAttribute("aria-label", page.question);
  for (const part of [input, check, hint]) part.hidden = page.finished;
  showMe.hidden = !page.mayShow;
  if (!typedSince && before && before.asked !== page.asked) input.value = "";
  else if (!typedSince && document.activeElement === input) input.select();
  if (hadFocus) (page.finished ? root : input).focus({ preventScroll: true });
}

function showVerdict(place, verdict) {
  if (!verdict) return tell(place, "", []);
  place.dataset.kind = verdict.kind;
  tell(place, verdict.heading, verdict.sentences);
}
