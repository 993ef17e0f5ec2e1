// The operations of the API, to read and to try; who is signed in here needs no token to try them.
(() => {
  const place = document.getElementById("api-operations");
  // What Swagger UI leaves without a name, or out of the keyboard's reach.
  const unnamed = [
    [".copy-to-clipboard > button", place.dataset.copy],
    [".close-modal", place.dataset.close],
    ["textarea.body-param__text", place.dataset.body],
  ];
  new MutationObserver(() => {
    for (const [selector, name] of unnamed) {
      for (const part of place.querySelectorAll(selector)) part.setAttribute("aria-label", name);
    }
    for (const code of place.querySelectorAll("pre.microlight")) code.tabIndex = 0;
  }).observe(place, { childList: true, subtree: true });
  SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    // With links to operations, each would be a link within a button.
    deepLinking: false,
    // Its colours stand out too little.
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.headers["X-CSRFToken"] = place.dataset.csrf;
      return request;
    },
  });
})();
