
// ---- paper ------------------------------------------------------------------------------------

// What is printed becomes a handout: a small picture for each step of a walk, and the answers, with
// their numbers, at the end. All that is added before printing is taken away after it.
const STEPPED = ["walk", "twins", "sort"];
let added = [];

addEventListener("beforeprint", () => {
  document.documentElement.classList.add("paper");
  for (const live of liveViews.filter(({ kind }) => STEPPED.includes(kind))) addSheet(live);
  addAnswers();
});

addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  for (const slide of document.querySelectorAll("[data-sheets]")) delete slide.dataset.sheets;
  for (const part of added) part.remove();
  added = [];
});

/** Put the pictures of all steps behind a view; on a slide, onto pages behind the slide. */
function addSheet({ el, model }) {
  const last = Number(el.querySelector(".rw-bar input[type=range]").max);
  const before = model.get("index");
  const steps = [];
  // From the last to the first: only a step forward lets contributions travel.
  for (let index = last; index >= 0; index -= 1) {
    model.set("index", index);
    steps.unshift(pictureOfStep(el));
  }
  model.set("index", before);
  const slide = el.closest(".slides section");
  if (slide) slide.dataset.sheets = "";
  const count = slide ? 4 : steps.length;
  let after = slide ?? el;
  for (let place = 0; place < steps.length; place += count) {
    const sheet = make("div", { class: "rw-handout" }, ...steps.slice(place, place + count));
    after.after(sheet);
    added.push(sheet);
    after = sheet;
  }
}

function pictureOfStep(el) {
  const pictures = [...el.querySelectorAll(".rw-scene")].map((scene) => {
    const camera = cameras.get(scene);
    if (!camera) return scene.cloneNode(true);
    const { picture, width, height } = camera.shown;
    const copy = picture.cloneNode(true);
    for (const name of ["width", "height", "id"]) copy.removeAttribute(name);
    copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    copy.style.maxWidth = `${width}px`;
    return copy;
  });
  const told = [...el.querySelectorAll(".rw-said")].flatMap((said) => [...said.cloneNode(true).children]);
  return make("figure", { class: "rw-view", "data-theme": "light" },
    make("div", { class: "rw-pictures" }, ...pictures), make("figcaption", {}, ...told));
}

/** Number the questions whose answers are folded, and put the answers at the end. */
function addAnswers() {
  const folded = [...document.querySelectorAll(".text details:not(.notes)")];
  if (!folded.length) return;
  const answers = folded.map((details, place) => {
    const summary = details.querySelector("summary");
    const number = make("span", { class: "rw-number" }, ` (${place + 1}, at the end)`);
    summary.append(number);
    added.push(number);
    const answer = make("li", {}, ...details.cloneNode(true).childNodes);
    answer.querySelector("summary").remove();
    return answer;
  });
  const end = make("div", { class: "rw-answers text" }, make("h2", {}, "Answers"), make("ol", {}, ...answers));
  (document.querySelector("main:not(.slides)") ?? document.body).append(end);
  added.push(end);
}
