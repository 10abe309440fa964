// Checks a site that is built: node check.mjs FOLDER BASE. Every link leads to a file that is there, also from and to the
// API pages, and no page makes the browser ask another host for anything.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const [folder, base] = process.argv.slice(2);
const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)));
const there = new Set(files);
const problems = new Set();
let links = 0;

const asFile = (place) => {
  const plain = decodeURIComponent(place).replace(/^\/+/, "");
  return [plain, `${plain}.html`, path.join(plain, "index.html")].some((name) => there.has(name));
};

function checkLink(page, link) {
  const text = link.replaceAll("&amp;", "&").replace(/[#?].*$/s, "");
  if (text === "" || /^[a-z]+:|^\/\//.test(text)) return;
  links++;
  let place = text;
  if (place.startsWith("/")) {
    if (!place.startsWith(base)) problems.add(`${page}: ${link} is outside of ${base}`);
    place = place.slice(base.length);
  } else place = path.join(path.dirname(page), place);
  if (!asFile(place)) problems.add(`${page}: nothing at ${link}`);
}

for (const page of files.filter((name) => name.endsWith(".html"))) {
  const html = (await readFile(path.join(folder, page), "utf8")).replace(/<script\b(?![^>]*\bsrc=)[^>]*>.*?<\/script>/gs, "");
  for (const [, link] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) checkLink(page, link);
  for (const [, link] of html.matchAll(/<(?:img|script|iframe|source|video)\b[^>]*?\ssrc="([^"]*)"/g)) {
    if (/^(https?:)?\/\//.test(link)) problems.add(`${page}: fetches ${link}`);
    else checkLink(page, link);
  }
  for (const [tag, link] of html.matchAll(/<link\b[^>]*?\shref="([^"]*)"[^>]*>/g)) {
    if (/^(https?:)?\/\//.test(link) && !/rel="canonical"/.test(tag)) problems.add(`${page}: fetches ${link}`);
    else checkLink(page, link);
  }
}
for (const sheet of files.filter((name) => name.endsWith(".css"))) {
  const css = await readFile(path.join(folder, sheet), "utf8");
  for (const [found] of css.matchAll(/(?:@import\s+["']?|url\(\s*["']?)(?:https?:)?\/\/[^"')\s]+/g)) {
    problems.add(`${sheet}: ${found}`);
  }
}

for (const problem of [...problems].slice(0, 40)) console.error(problem);
console.log(`${files.length} files, ${links} links inside: ${problems.size} problems`);
process.exit(problems.size === 0 && links > 0 ? 0 : 1);
