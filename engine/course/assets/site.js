// What every page of the site does by itself: the theme, the contents on a phone, the search, boxes
// that scroll, and paper. Loaded before the page is painted, so that no theme flashes up.

{
  const KEPT = "reverse-walk-theme";
  const MOST_FOUND = 20;
  const BOXES = "pre, .picture, .table";
  const BOX_NAMES = { PRE: "Code or output", DIV: "Table or picture", SPAN: "Picture" };
  const page = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");

  // ---- the theme ----

  let chosen = "";
  try {
    chosen = localStorage.getItem(KEPT) ?? "";
  } catch {
    // A browser that keeps nothing follows the system on each page.
  }
  const showTheme = () => {
    const system = systemIsDark.matches ? "dark" : "light";
    page.dataset.theme = paper.matches ? "light" : chosen || system;
  };
  const chooseTheme = (name) => {
    chosen = name;
    try {
      localStorage.setItem(KEPT, name);
    } catch {
      // As above: then it holds for this page.
    }
    showTheme();
  };
  page.dataset.script = "";
  showTheme();
  systemIsDark.addEventListener("change", showTheme);
  paper.addEventListener("change", showTheme);

  // ---- the search ----

  /** Headings and words that hold all that was typed; what begins with it comes first. */
  const search = (typed) => {
    const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (!parts.length) return [];
    const whole = parts.join(" ");
    const rank = (words) => {
      const lower = words.toLowerCase();
      return lower === whole ? 0 : lower.startsWith(whole) ? 1 : lower.includes(whole) ? 2 : 3;
    };
    return courseTitles
      .filter(([words, where]) => {
        const all = `${words} ${where}`.toLowerCase();
        return words.toLowerCase().includes(parts[0]) && parts.every((part) => all.includes(part));
      })
      .sort(([one], [other]) => rank(one) - rank(other));
  };

  const entry = ([words, where, address]) => {
    const link = document.createElement("a");
    link.href = page.dataset.top + address;
    link.append(words);
    if (where !== words) {
      const place = document.createElement("span");
      place.append(where);
      link.append(" ", place);
    }
    const item = document.createElement("li");
    item.append(link);
    return item;
  };

  const startSearch = (root) => {
    const [input, found] = [root.querySelector("input"), root.querySelector(".found")];
    const [status, list] = [found.querySelector("p"), found.querySelector("ul")];
    const links = () => [...list.querySelectorAll("a")];
    const close = () => { found.hidden = true; };
    const show = () => {
      const all = search(input.value);
      found.hidden = !input.value.trim();
      const more = all.length > MOST_FOUND ? `, the first ${MOST_FOUND} of them` : "";
      status.textContent = all.length ? `${all.length} found${more}` : "Nothing found";
      list.replaceChildren(...all.slice(0, MOST_FOUND).map(entry));
    };
    input.addEventListener("input", show);
    input.addEventListener("focus", show);
    root.addEventListener("keydown", (event) => {
      const every = links();
      const place = every.indexOf(document.activeElement);
      if (event.key === "Escape") {
        if (place >= 0) input.focus();
        close();
      } else if (event.key === "Enter" && place < 0) {
        every[0]?.click();
      } else if (event.key === "ArrowDown") {
        every[Math.min(place + 1, every.length - 1)]?.focus();
      } else if (event.key === "ArrowUp") {
        (place > 0 ? every[place - 1] : input).focus();
      } else {
        return;
      }
      event.preventDefault();
    });
    root.addEventListener("click", ({ target }) => { if (target.closest("a")) close(); });
    document.addEventListener("focusin", ({ target }) => { if (!root.contains(target)) close(); });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!root.contains(target)) close();
    });
  };

  // ---- what needs the page to be there ----

  /** A box that scrolls can be reached with the Tab key, and has a name. */
  const watchBox = (box) => {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.toggleAttribute("data-scrolls", scrolls);
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", BOX_NAMES[box.tagName]);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    const select = document.querySelector(".theme select");
    select.value = chosen;
    select.addEventListener("change", () => chooseTheme(select.value));

    const [menu, contents] = [document.querySelector(".menu"), document.querySelector("#contents")];
    menu.addEventListener("click", () => {
      const open = contents.toggleAttribute("data-open");
      menu.setAttribute("aria-expanded", open);
    });
    contents.addEventListener("click", ({ target }) => {
      if (!target.closest("a")) return;
      contents.removeAttribute("data-open");
      menu.setAttribute("aria-expanded", "false");
    });

    startSearch(document.querySelector(".search"));

    const sizes = new ResizeObserver((entries) => {
      requestAnimationFrame(() => entries.forEach(({ target }) => watchBox(target)));
    });
    for (const box of document.querySelectorAll(BOXES)) sizes.observe(box);
  });
}
