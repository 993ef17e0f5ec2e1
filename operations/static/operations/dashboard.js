// The dashboard asks for new figures every few seconds while somebody can see it. What a reader has
// opened stays open, and a page that gets no answer says so.
(() => {
  const board = document.getElementById("dashboard");
  const lost = document.querySelector(".ops-lost");
  const every = Number(board.dataset.seconds) * 1000;
  let timer = 0;
  let open = [];

  const ask = () => document.hidden || window.htmx.trigger(board, "tick");
  const start = () => {
    window.clearInterval(timer);
    timer = window.setInterval(ask, every);
  };
  const tell = (isLost) => {
    board.classList.toggle("ops-old", isLost);
    lost.textContent = isLost ? lost.dataset.lost : "";
  };
  const openTables = () => board.querySelectorAll("details[open]");

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    ask();
    start();
  });
  board.addEventListener("htmx:beforeSwap", () => {
    open = [...openTables()].map((details) => [details.id, details.querySelector(".ops-scroll").scrollTop]);
  });
  board.addEventListener("htmx:afterSwap", () => {
    open.forEach(([id, scrolled]) => {
      const details = document.getElementById(id);
      if (!details) return;
      details.open = true;
      details.querySelector(".ops-scroll").scrollTop = scrolled;
    });
  });
  // A link or table that has the focus keeps it: there is one of the same place in the new figures.
  let place = -1;
  const places = () => [...board.querySelectorAll("a:not([tabindex]), summary, [tabindex='0']")];
  board.addEventListener("htmx:beforeSwap", () => { place = places().indexOf(document.activeElement); });
  board.addEventListener("htmx:afterSwap", () => places()[place]?.focus({ preventScroll: true }));
  board.addEventListener("htmx:afterRequest", (event) => tell(!event.detail.successful));

  const button = document.querySelector("[data-fullscreen]");
  if (button && document.fullscreenEnabled) {
    button.hidden = false;
    button.addEventListener("click", () =>
      document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  }
  start();
})();
