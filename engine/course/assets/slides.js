
// ---- the deck ---------------------------------------------------------------------------------

// A theme for the room, space for every slide, and a way into the views and out of them.
{
  const SMALLEST = 0.7;
  const LARGEST = 1.3;
  const STEP = 0.05;
  const AIRY = 0.75;
  const EXPLORER_HINT = "Page Down walks back, box by box; a click on a box tells of it. F: full screen.";
  const page = document.documentElement;

  const wanted = new URLSearchParams(location.search).get("theme");
  if (wanted === "dark") page.dataset.theme = "dark";
  const otherTheme = () => {
    page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
  };

  /** Make what is on a slide as large as there is space for; few words may be larger than usual. */
  const fit = (content) => {
    const space = content.parentElement.getBoundingClientRect().height;
    if (!space) return;
    const fixed = content.querySelector("pre, .picture, .live, details");
    for (let size = fixed ? 1 : LARGEST; ; size -= STEP) {
      content.style.setProperty("--fit", Math.max(size, SMALLEST).toFixed(2));
      const { height } = content.getBoundingClientRect();
      if (size <= SMALLEST || height <= (size > 1.01 ? AIRY : 1) * space) return;
    }
  };
  const WIDEST_BESIDE = 1.2;
  const LONGEST_BESIDE = 66;
  /** Whether a slide has one picture about as high as wide, and code that leaves room beside it. */
  const standsBeside = (content) => {
    const images = content.querySelectorAll(".picture > img");
    if (images.length !== 1 || !images[0].matches(".highlight + .picture > img")) return false;
    const [width, height] = ["width", "height"].map((name) => images[0].getAttribute(name));
    const longest = Number(content.style.getPropertyValue("--longest"));
    return width < WIDEST_BESIDE * height && longest <= LONGEST_BESIDE;
  };
  for (const content of document.querySelectorAll(".fit")) {
    content.toggleAttribute("data-beside", standsBeside(content));
  }
  // In the next frame: a change of size while sizes are being reported would be reported again.
  const sizes = new ResizeObserver((entries) => {
    requestAnimationFrame(() => entries.forEach(({ target }) => fit(target)));
  });
  for (const content of document.querySelectorAll(".fit")) sizes.observe(content);

  const enterView = () => {
    Reveal.getCurrentSlide().querySelector(".rw-view")?.focus({ preventScroll: true });
  };
  // A word of a drawing can be read from 14 px on; where there is no room its key is a shorter one.
  const enlarge = (scene) => {
    const drawing = scene.querySelector("svg");
    if (!drawing || !scene.clientWidth) return;
    const { width, height } = drawing.viewBox.baseVal;
    const scale = Math.min(scene.clientWidth / width, scene.clientHeight / height);
    const larger = Math.max(1, 1 / scale);
    scene.style.setProperty("--larger", larger.toFixed(3));
    if (larger < 1.05) return;
    for (const node of scene.querySelectorAll(".rw-node")) {
      node.style.setProperty("--larger", larger);
      for (const key of node.querySelectorAll(".rw-key")) {
        key.textContent = key.textContent.replace("max |grad|", "max");
      }
      node.style.setProperty("--larger", Math.max(1, roomForText(node) * larger));
    }
  };
  const scenes = new ResizeObserver((entries) => {
    requestAnimationFrame(() => entries.forEach(({ target }) => enlarge(target)));
  });
  for (const scene of document.querySelectorAll(".rw-explorer .rw-scene")) scenes.observe(scene);

  for (const live of document.querySelectorAll(".live")) {
    const hint = live.querySelector(".rw-hint");
    if (live.querySelector(".rw-explorer")) hint.textContent = EXPLORER_HINT;
    hint?.append(" V comes here; Esc gives the keys back to the slides.");
    const drawing = live.querySelector(".rw-scene svg");
    const natural = drawing?.style.getPropertyValue("--rw-width");
    if (natural) drawing.parentElement.style.setProperty("--natural", natural);
    live.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      document.activeElement.blur();
    });
  }
  // A key that presses what has the focus must not turn the page as well.
  document.querySelector(".slides").addEventListener("keydown", (event) => {
    const presses = event.key === " " || event.key === "Enter";
    if (presses && event.target.closest("summary, a, button")) event.stopPropagation();
  });

  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    minScale: 0.1,
    maxScale: 4,
    center: false,
    hash: true,
    navigationMode: "linear",
    slideNumber: "c/t",
    transition: "none",
    backgroundTransition: "none",
    plugins: [RevealNotes],
  });
  Reveal.addKeyBinding({ keyCode: 86, key: "V", description: "Step the view" }, enterView);
  Reveal.addKeyBinding({ keyCode: 84, key: "T", description: "Light or dark" }, otherTheme);
}
