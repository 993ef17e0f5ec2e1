// Menus are <details> and work without this; here they also close by Escape and by a click outside.
(() => {
  const openMenus = () => document.querySelectorAll("details.ml-menu[open]");
  document.addEventListener("click", (event) => {
    openMenus().forEach((menu) => menu.contains(event.target) || menu.removeAttribute("open"));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    openMenus().forEach((menu) => {
      menu.removeAttribute("open");
      menu.querySelector("summary").focus();
    });
  });
})();
