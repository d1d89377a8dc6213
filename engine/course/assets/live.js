
// ---- a page without a kernel ------------------------------------------------------------------

/** What a view asks of its model, from stored traits: steps work, and nothing reaches Python. */
function storedModel(traits) {
  const listeners = new Map();
  const { answers } = traits.payload;
  const round = answers && keptRound(uncurtained(answers));
  if (round) traits.shown = round.page();
  const heard = (event) => listeners.get(event) ?? [];
  const model = {
    isStored: true,
    widget_manager: { kernel: round ? undefined : null },
    get: (name) => traits[name],
    set: (name, value) => {
      traits[name] = value;
      for (const act of heard(`change:${name}`)) act();
    },
    on: (event, act) => listeners.set(event, [...heard(event), act]),
    off: (event, act) => listeners.set(event, heard(event).filter((other) => other !== act)),
    save_changes: () => {},
    send: (message) => {
      if (round?.hear(message)) model.set("shown", round.page());
    },
  };
  return model;
}

// What follows stands in for Python in Predict. All numbers and sentences are Python's: here they
// are only chosen and put together.

function uncurtained(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A round of Predict from the beginning: what it shows, and what a message does to it. */
function keptRound(kept) {
  const { questions, end } = kept;
  let turn = 0;
  let done, tries, mistakes, verdict;
  const begin = () => { [done, tries, mistakes, verdict] = [[], 0, [], null]; };
  const finish = (words, how) => {
    done.push(how);
    tries = 0;
    verdict = words;
  };
  const mayShow = () => tries >= kept.triesBeforeShowing;
  const answer = (question, text) => {
    const { words, right, counted, mistake } = keptVerdict(kept, question, text);
    if (mistake) mistakes.push(mistake);
    if (right) return finish(words, tries + 1);
    tries += Number(counted);
    const last = counted && mayShow() ? [kept.afterTries] : [];
    verdict = { ...words, sentences: [...words.sentences, ...last] };
  };
  begin();
  return {
    page: () => {
      const question = questions[done.length];
      const page = question ? question.page : end;
      const contributions = question && tries ? question.arrowsAfterTry : page.contributions;
      const rows = page.rows.map((row, place) => {
        const howItWent = done.filter((_, number) => questions[number].row === place).join(", ");
        const [sign, ...cells] = row.cells.slice(0, -1);
        const gaveAway = row.state === "done" && howItWent.includes("shown");
        return { ...row, cells: [gaveAway ? kept.shownSign : sign, ...cells, howItWent] };
      });
      const summary = question ? [] : keptSummary(kept.summary, done, mistakes);
      return { ...page, turn, verdict, mayShow: mayShow(), contributions, rows, summary };
    },
    hear: (message) => {
      const question = questions[done.length];
      if (message.turn !== turn) return false;
      if (message.kind === "again") begin();
      else if (message.kind === "answer" && question) answer(question, message.text);
      else if (message.kind === "show" && question && mayShow()) finish(question.shown, "shown");
      else return false;
      turn += 1;
      return true;
    },
  };
}

/** The verdict that was kept for a number; what is no number gets the sentence that says why. */
function keptVerdict(kept, { below, turns, verdicts }, text) {
  const { number, problem } = typedNumber(kept.reading, text);
  let place = below;
  for (const [turningPoint, at, above] of problem ? [] : turns) {
    if (number < turningPoint) break;
    place = number === turningPoint ? at : above;
  }
  const unread = { words: kept.unread, right: false, counted: false, mistake: "" };
  const verdict = problem ? unread : verdicts[place];
  const fill = (sentence) => sentence.replaceAll(kept.typed, () => problem ?? numberText(number));
  const { kind, heading, sentences } = verdict.words;
  return { ...verdict, words: { kind, heading: fill(heading), sentences: sentences.map(fill) } };
}

function keptSummary(words, done, mistakes) {
  const shown = done.filter((how) => how === "shown").length;
  const first = filled(words.first, {
    count: done.filter((how) => how === 1).length,
    total: done.length,
    shown: shown ? filled(words.shown, { count: shown }) : "",
  });
  if (!mistakes.length) return [first, words.none];
  const counts = new Map();
  for (const mistake of mistakes) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
  const made = [...counts].sort(([, one], [, other]) => other - one).map(([mistake, count]) =>
    filled(words.made, { mistake, times: filled(words[count] ?? words.times, { count }) }));
  return [first, words.some, ...made];
}

/** What was typed as { number }, or the { problem } with it: Python's patterns and sentences. */
function typedNumber({ longest, longestQuoted, same, patterns, sentences }, text) {
  const problem = (why, read) => {
    const values = { text: quotedText(text, longestQuoted), ...read };
    return { problem: filled(sentences[why], values) };
  };
  const find = (pattern) => written.match(new RegExp(patterns[pattern], "u"));
  if ([...text].length > longest) return problem("long");
  let written = [...text].map((sign) => plainDigit(same[sign] ?? sign)).join("").trim();
  if (!written) return problem("empty");
  if (find("space")) return problem("space");
  const unclear = find("twoWays");
  if (unclear) {
    const [whole, decimal] = ["", "."].map((instead) => unclear[0].replaceAll(",", instead));
    return problem("twoWays", { whole, decimal });
  }
  written = written.replace(/\s+/g, "");
  const [numerator, denominator] = (find("number") ?? find("fraction")?.slice(1) ?? [])
    .map((part) => Number(part.replace(",", ".")));
  if (denominator === 0) return problem("zero");
  const number = denominator === undefined ? numerator : numerator / denominator;
  if (number !== undefined) return Number.isFinite(number) ? { number } : problem("large");
  if (written.includes(",") && written.includes(".")) return problem("separators");
  return problem(find("digit") && find("calculation") ? "calculation" : "other");
}

/** A decimal digit of any script as 0 to 9: each script has its ten one after the other. */
function plainDigit(sign) {
  const isDigit = (code) => /\p{Nd}/u.test(String.fromCodePoint(code));
  const code = sign.codePointAt(0);
  if (!isDigit(code)) return sign;
  let first = code;
  while (isDigit(first - 1)) first -= 1;
  return String((code - first) % 10);
}

function quotedText(text, longest) {
  const visible = text.replace(/\s/g, " ").replace(/(?![\u200c\u200d])\p{C}/gu, "\ufffd");
  const signs = [...visible];
  const short = signs.length > longest ? [...signs.slice(0, longest - 1), "\u2026"] : signs;
  return `\u2068${short.join("")}\u2069`;  // words of any direction keep to themselves
}

const liveViews = [...document.querySelectorAll(".live")].map((el, place) => {
  const traits = JSON.parse(el.querySelector("script").textContent);
  const model = storedModel(traits);
  el.id ||= `view-${place + 1}`;
  render({ model, el });
  return { el, model, kind: traits.view };
});
