// A form is sent once, however often its button is pressed; the server bears repeats as well.
(() => {
  const sent = new WeakSet();
  const buttonsOf = (form) =>
    [...form.elements].filter((element) => element.type === "submit");
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (sent.has(form)) return event.preventDefault();
    sent.add(form);
    // Afterwards: a button that is disabled at once would not be sent along with its form.
    setTimeout(() => {
      if (event.defaultPrevented) return sent.delete(form);
      buttonsOf(form).forEach((button) => { button.disabled = true; });
    });
  });
  // Back in the history the page comes as it was left.
  window.addEventListener("pageshow", () => {
    [...document.forms].filter((form) => sent.delete(form)).forEach((form) => {
      buttonsOf(form).forEach((button) => { button.disabled = false; });
    });
  });
})();
