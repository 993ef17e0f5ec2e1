// The operations of the API, to read and to try; who is signed in here needs no token to try them.
(() => {
  const place = document.getElementById("api-operations");
  SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.headers["X-CSRFToken"] = place.dataset.csrf;
      return request;
    },
  });
})();
