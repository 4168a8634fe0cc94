// Names and focus for screen readers and keyboards, which the theme leaves out: each bar with a copy button gets a name of
// its own, and tables that scroll can be reached by the keyboard.
function nameParts() {
  document.querySelectorAll(".md-code__nav").forEach((bar, index) => {
    const name = `Code block ${index + 1}`;
    if (bar.getAttribute("aria-label") !== name) bar.setAttribute("aria-label", name);
  });
  document.querySelectorAll(".md-typeset__scrollwrap, .output").forEach((box) => {
    if (box.scrollWidth > box.clientWidth && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
  });
}
new MutationObserver(nameParts).observe(document.body, { childList: true, subtree: true });
window.addEventListener("resize", nameParts);
nameParts();

// Words of commands stay on one line, where a browser would break them after a hyphen, unless they are very long. Empty headers of tables are plain
// cells for screen readers, and the dialog of the search has a name.
function keepWordsWhole(code, word) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(word).map((part, index) => {
      if (index % 2 === 0) return part;
      return Object.assign(document.createElement("span"), { className: "word", textContent: part });
    });
    if (parts.length > 1) text.replaceWith(...parts);
  }
}
document.querySelectorAll(":is(.language-bash, .language-sh) pre code").forEach((code) => {
  keepWordsWhole(code, /(?<!\S)(?=\S{1,45}(?!\S))(\S*-\S+)/);
});
document.querySelectorAll(".usage pre code").forEach((code) => {
  keepWordsWhole(code, /(?<!\S)(\[[^\[\]]{1,38}\](?!\S))/);
});
document.querySelectorAll(":not(pre) > code").forEach((code) => {
  keepWordsWhole(code, /(?<!\S)(-[\w-]+)(?!\S)/);
});
document.querySelectorAll(".md-typeset th:empty").forEach((header) => {
  header.replaceWith(document.createElement("td"));
});
document.querySelector("[data-md-component=search][role=dialog]")?.setAttribute("aria-label", "Search");

// Parts of the navigation with the same title, such as the summaries of two sections, have different names.
const findTitle = (part) => part.querySelector(":scope > .md-nav__title").textContent.trim();
document.querySelectorAll(".md-nav[data-md-level='2']").forEach((part) => {
  const section = part.parentElement.closest(".md-nav");
  part.removeAttribute("aria-labelledby");
  part.setAttribute("aria-label", `${findTitle(section)}: ${findTitle(part)}`);
});
