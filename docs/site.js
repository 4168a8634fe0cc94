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
