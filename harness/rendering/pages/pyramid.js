
// Pyramids: an open SCU is the chosen one. Its marks are highlighted in all texts, and a bar steps through them.
const scus = Array.from(document.querySelectorAll(".scu"), (element) => {
  const pairs = element.dataset.marks.split(" ").filter(Boolean).map((pair) => pair.split("-").map(Number));
  return { element, pairs };
});
const bar = document.querySelector(".chosen-bar");
let chosen = null;
let places = [];
let step = -1;

for (const scu of scus) {
  scu.element.addEventListener("toggle", () => {
    if (scu.element.open) keepPlace(scu.element, () => choose(scu));
    else if (scu === chosen) choose(null);
  });
}

// What the user chose stays where it is, although an SCU above it opens or closes. Not all browsers care for that.
function keepPlace(element, change) {
  const top = element.getBoundingClientRect().top;
  change();
  const list = element.closest(".scus");
  const scroller = list && list.scrollHeight > list.clientHeight ? list : window;
  scroller.scrollBy(0, element.getBoundingClientRect().top - top);
}

function choose(scu) {
  if (scu === chosen) return;
  for (const mark of document.querySelectorAll("mark.chosen")) mark.classList.remove("chosen", "current");
  const before = chosen;
  chosen = scu;
  if (before) before.element.open = false;
  bar.hidden = scu === null;
  places = scu ? scu.pairs.map(([first]) => document.getElementById("m" + first)) : [];
  places.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  step = -1;
  if (scu === null) return;
  scu.element.open = true;
  for (const [first, last] of scu.pairs) {
    for (let number = first; number <= last; number += 1) document.getElementById("m" + number).classList.add("chosen");
  }
  tell();
}

function tell() {
  const count = places.length + (places.length === 1 ? " place" : " places");
  const place = step < 0 ? count : "place " + (step + 1) + " of " + places.length;
  const { number, label } = chosen.element.dataset;
  bar.querySelector("[role=status]").textContent = "SCU " + number + ", " + place + ": " + label;
}

bar.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const change = Number(button.dataset.step);
  if (change === 0) {
    const { element } = chosen;
    choose(null);
    element.querySelector("summary").focus();
    return;
  }
  if (!places.length) return;
  step = (step < 0 && change < 0 ? places.length - 1 : step + change + places.length) % places.length;
  for (const mark of places) mark.classList.toggle("current", mark === places[step]);
  places[step].scrollIntoView({ block: "center" });
  tell();
});

// A click on a mark chooses its heaviest SCU, and another click the next one. A link chooses its SCU and goes there.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#u']");
  if (link) {
    event.preventDefault(); // following the link would take the focus away
    choose(scus[Number(link.hash.slice(2)) - 1]);
    chosen.element.querySelector("summary").focus();
    return;
  }
  const mark = event.target.closest("mark");
  if (!mark || !getSelection().isCollapsed) return; // the user selects text
  const number = Number(mark.id.slice(1));
  const covering = scus.filter((scu) => scu.pairs.some(([first, last]) => first <= number && number <= last));
  if (!covering.length) return;
  keepPlace(mark, () => choose(covering[(covering.indexOf(chosen) + 1) % covering.length]));
  if (matchMedia("(min-width: 48.01rem)").matches) chosen.element.scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && chosen) choose(null);
});
