
// ---- the deck ---------------------------------------------------------------------------------

// A theme for the room, space for every slide, and a way into the views and out of them.
{
  const SMALLEST = 0.7;
  const LARGEST = 1.3;
  const STEP = 0.05;
  const AIRY = 0.75;
  const page = document.documentElement;

  const wanted = new URLSearchParams(location.search).get("theme");
  if (wanted === "dark") page.dataset.theme = "dark";
  const otherTheme = () => {
    page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
  };

  /** Let the drawings of a view take all the room that its slide leaves; a table gives way to them. */
  const fitView = (content) => {
    for (const root of content.querySelectorAll(".live .rw-view:not([data-full])")) {
      root.removeAttribute("data-crowded");
      fitDrawings(content, root);
      if (!root.querySelector(".rw-scene[data-part]")) continue;
      root.setAttribute("data-crowded", "");
      fitDrawings(content, root);
    }
  };
  const fitDrawings = (content, root) => {
    const main = root.querySelector(".rw-main");
    for (const scene of root.querySelectorAll(".rw-scene")) {
      const [space, taken, around, own, drawn] = [
        content.parentElement, content, main.parentElement, main, scene,
      ].map((part) => part.getBoundingClientRect());
      if (!drawn.height) continue;
      const stands = [...main.parentElement.children].every((part) => (
        part === main || part.getBoundingClientRect().top < own.bottom
      ));
      const left = space.height - taken.height + (stands ? around.height - own.height : 0);
      root.style.setProperty("--rw-room", Math.floor(scene.offsetHeight * (1 + left / drawn.height)));
      fitScene(scene);
    }
  };

  /** Make what is on a slide as large as there is space for; few words may be larger than usual. */
  const fit = (content) => {
    const space = content.parentElement.getBoundingClientRect().height;
    if (!space) return;
    const fixed = content.querySelector("pre, .picture, .live, details");
    for (let size = fixed ? 1 : LARGEST; ; size -= STEP) {
      content.style.setProperty("--fit", Math.max(size, SMALLEST).toFixed(2));
      fitView(content);
      const { height } = content.getBoundingClientRect();
      if (height <= (size > 1.01 ? AIRY : 1) * space) return;
      if (size <= SMALLEST) break;
    }
    for (const drawing of content.querySelectorAll(".picture > :is(img, svg)")) {
      const over = content.getBoundingClientRect().height - space;
      const { height } = drawing.getBoundingClientRect();
      if (over > 0 && height > over) {
        drawing.style.maxHeight = `${(1 - over / height) * parseFloat(getComputedStyle(drawing).height)}px`;
      }
    }
  };
  const WIDEST_BESIDE = 1.2;
  const LONGEST_BESIDE = 66;
  /** Whether a slide has one picture about as high as wide, and code that leaves room beside it. */
  const standsBeside = (content) => {
    const images = content.querySelectorAll(".picture > :is(img, svg)");
    if (images.length !== 1 || !images[0].matches(".highlight + .picture > *")) return false;
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

  addEventListener("beforeprint", () => {
    page.classList.add("print-pdf");  // ends what reveal.js has to say of paper
    document.querySelectorAll(".fit").forEach(fit);
  });
  addEventListener("afterprint", () => {
    page.classList.remove("print-pdf");
    Reveal.layout();
  });

  const enterView = () => {
    Reveal.getCurrentSlide().querySelector(".rw-view")?.focus({ preventScroll: true });
  };
  for (const live of document.querySelectorAll(".live")) {
    const hint = live.querySelector(".rw-hint");
    hint?.append(" V comes here; Esc gives the keys back to the slides.");
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
