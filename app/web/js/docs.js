// The documentation of the API, drawn by Swagger UI, whose script comes before this one.
const { SwaggerUIBundle } = /** @type {any} */ (globalThis);
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis],
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
});
