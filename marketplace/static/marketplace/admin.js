// Select2 gives no name to the box in which one types to find a row: the field's label is its name.
(() => {
  const nameBoxes = () => {
    for (const box of document.querySelectorAll(".select2-container")) {
      const field = box.previousElementSibling;
      const label = field?.labels?.[0];
      if (!label) continue;
      for (const part of box.querySelectorAll("[role=combobox], [role=textbox]")) {
        if (part.hasAttribute("aria-label")) continue;
        part.removeAttribute("aria-labelledby");
        part.setAttribute("aria-label", label.textContent.replace("*", "").trim());
      }
    }
  };
  // Boxes come when Select2 is ready, which no event tells, and with every row that is added.
  const watch = () => {
    new MutationObserver(nameBoxes).observe(document.body, { childList: true, subtree: true });
    nameBoxes();
  };
  document.addEventListener("DOMContentLoaded", watch);
})();
