// On a phone the filters start folded, so that companies are in sight; without script all is open.
(() => {
  const narrow = window.matchMedia("(max-width: 991.98px)");
  document.querySelectorAll("[data-narrow-closed]").forEach((filters) => {
    const fold = () => {
      filters.open = !narrow.matches || filters.dataset.narrowClosed === "no";
    };
    fold();
    narrow.addEventListener("change", fold);
  });
})();
