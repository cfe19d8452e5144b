import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["static/vendor/", "tests/vendor/", "staticfiles/", "var/", ".venv/", ".environments/", ".tools/"] },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" }, rules: { eqeqeq: "error", "no-implicit-globals": "error", "no-var": "error", "prefer-const": "error" } },
  { files: ["static/js/*.js"], ignores: ["static/js/judging.js", "static/js/site.js", "static/js/copying.js"], languageOptions: { sourceType: "script", globals: { ...globals.browser, htmx: "readonly" } }, rules: { "no-implicit-globals": "off" } },
  { files: ["static/js/site.js", "static/js/copying.js"], languageOptions: { globals: { ...globals.browser, htmx: "readonly" } } },
  { files: ["static/js/judging.js", "static/js/judging/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/*.js", "eslint.config.js"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
