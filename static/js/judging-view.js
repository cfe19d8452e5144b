// Before the first paint: one question in view, or the list of all. Where comparing is the task the list is what is offered
// first; what an annotator chose is remembered for each of the two kinds of task, unless the campaign fixes the layout. If the
// page's own scripts do not load, all of this is taken back, and the page is the one that works without scripts.
{
  const root = document.documentElement;
  const recall = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const { view: preferred, fixed } = document.currentScript.dataset;
  root.dataset.preferred = preferred;
  if (fixed === undefined) root.dataset.view = recall(`quaestor.view.${preferred}`) ?? preferred;
  else Object.assign(root.dataset, { view: preferred, fixed });
  root.dataset.size = recall("quaestor.size") ?? "0";
  root.dataset.lines = recall("quaestor.lines") ?? "0";
  addEventListener("error", (event) => {
    if (event.target instanceof HTMLScriptElement) delete root.dataset.view;
  }, true);
}
