// The judging page's modules keep their state at the top, one page each. Whatever is imported from "x.js?page=3" imports its
// own neighbours as "?page=3" too, so that each test has a page of its own.

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const page = context.parentURL && new URL(context.parentURL).searchParams.get("page");
  return page && found.url.includes("/static/js/") ? { ...found, url: `${found.url.split("?")[0]}?page=${page}` } : found;
}
