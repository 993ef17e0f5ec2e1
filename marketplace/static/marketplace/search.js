// Results come by htmx; without script the form and the links load whole pages. Here: what a page
// load does by itself — say what was found, keep what was folded, and leave the focus somewhere.
(() => {
  let wasOpen = null;
  const part = (event) => ["search", "results"].includes(event.detail.target.id);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const more = document.querySelector("details.ml-more");
    if (part(event) && more) wasOpen = more.open;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!part(event)) return;
    const more = document.querySelector("details.ml-more");
    if (more && wasOpen !== null && more.dataset.narrowClosed === "yes") more.open = wasOpen;
    const count = document.getElementById("result-count");
    document.getElementById("search-status").textContent = count.textContent;
    if (document.activeElement === document.body) count.focus({ preventScroll: true });
  });
})();
