// Copies the repository's pages to a folder for VitePress: node prepare.mjs REPOSITORY FOLDER MODULE...
//
// README.md becomes the home page; links to folders lead to a list of what is in them; files that are no pages (plots,
// alert rules, figures) become files of the site.
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

const [repository, folder, ...modules] = process.argv.slice(2);
const pages = path.join(folder, "pages");

// The guides in the order that a reader meets them; a page that is not named here follows in alphabetical order.
const order = [
  "choosing", "migrating", "java", "ktor", "okhttp", "http-faults", "aws", "aws-kotlin", "databases", "polling", "presets", "policy-json",
  "quota", "budgets", "adaptive", "fleet", "observability", "testing", "performance", "lab", "replay", "platforms",
];

// Pages for those who maintain the library, in a part of their own, and pages to look things up in.
const behind = ["design", "shells", "evidence", "regressions"];
const lookedUp = ["names"];
const known = [...order, ...behind];

// What stands at the top of the repository and is a page of the site.
const top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "RELEASE.md"];

const isFolder = async (file) => (await stat(file).catch(() => null))?.isDirectory() ?? false;
const title = (text) => /^# (.+)$/m.exec(text)?.[1].replaceAll("`", "") ?? "Untitled";
// A sidebar has room for what stands before the colon.
const shortTitle = (text) => title(text).split(":")[0];

// A file or folder of the repository that the site does not have: what links to it becomes its words.
async function isSource(file) {
  const inside = path.relative(repository, file);
  const isOnSite = (inside + path.sep).startsWith("docs" + path.sep) || top.includes(inside) || path.basename(file) === "README.md";
  return !isOnSite && (await stat(file).catch(() => null)) !== null;
}

async function copyPage(name) {
  const source = path.join(repository, name);
  const text = await readFile(source, "utf8");
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)/g)) {
    let [link, target, anchor = ""] = found;
    if (await isSource(path.resolve(path.dirname(source), target))) {
      const words = text.lastIndexOf("[", found.index);
      parts.push(text.slice(end, words), text.slice(words + 1, found.index));
      end = found.index + link.length;
      continue;
    }
    if (path.basename(target) === "README.md") target = path.join(path.dirname(target), "index.md");
    else if (await isFolder(path.resolve(path.dirname(source), target))) target = path.join(target, "index.md");
    parts.push(text.slice(end, found.index), `](${target}${anchor})`);
    end = found.index + link.length;
  }
  parts.push(text.slice(end));
  const to = path.join(pages, name === "README.md" ? "index.md" : name);
  await mkdir(path.dirname(to), { recursive: true });
  await writeFile(to, parts.join(""));
  return text;
}

async function copyFolder(name) {
  const files = (await readdir(path.join(repository, name))).sort();
  await cp(path.join(repository, name), path.join(pages, "public", name), { recursive: true });
  // Images are found by VitePress beside the page that shows them.
  await cp(path.join(repository, name), path.join(pages, name), { recursive: true });
  const list = files.map((file) => `- <a href="./${file}" target="_self">${file}</a>`);
  await writeFile(path.join(pages, name, "index.md"), `# ${path.basename(name)}\n\n${list.join("\n")}\n`);
}

await rm(pages, { recursive: true, force: true });
const guides = [];
const below = {};
for (const entry of await readdir(path.join(repository, "docs"), { withFileTypes: true })) {
  if (entry.isDirectory()) {
    const inside = (await readdir(path.join(repository, "docs", entry.name))).sort();
    // A folder of pages belongs to the guide of its name; any other is a folder of files.
    if (inside.some((name) => name.endsWith(".md"))) below[entry.name] = inside.map((name) => name.slice(0, -3));
    else await copyFolder(path.join("docs", entry.name));
  } else if (entry.name.endsWith(".md")) guides.push(entry.name.slice(0, -3));
}
for (const folder of Object.keys(below)) if (!guides.includes(folder)) throw new Error(`docs/${folder} has no docs/${folder}.md`);
const rank = (guide) => (known.includes(guide) ? known.indexOf(guide) : known.length);
guides.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));

const contents = [
  { text: "Start", items: [{ text: "Reprise", link: "/" }] },
  { text: "Guides", items: [] },
  { text: "Inside", items: [] },
  { text: "Reference", items: [{ text: "API", link: "/api/" }] },
];
const [, forUsers, inside, reference] = contents;
for (const guide of guides) {
  const text = await copyPage(`docs/${guide}.md`);
  const part = behind.includes(guide) ? inside : lookedUp.includes(guide) ? reference : forUsers;
  const item = { text: shortTitle(text), link: `/docs/${guide}` };
  for (const page of below[guide] ?? []) {
    // Below "Coming from another library" it is enough to say from which.
    const name = shortTitle(await copyPage(`docs/${guide}/${page}.md`)).replace(/^Coming from (the )?/, "");
    (item.items ??= []).push({ text: name, link: `/docs/${guide}/${page}` });
  }
  if (item.items) item.collapsed = true;
  part.items.push(item);
}
for (const name of top) {
  if (await stat(path.join(repository, name)).catch(() => null)) {
    const text = await copyPage(name);
    if (name !== "README.md") reference.items.push({ text: shortTitle(text), link: `/${name.slice(0, -3)}` });
  }
}

const api = modules.map((module) => `- <a href="./${module}/index.html" target="_self">${module}</a>`);
await mkdir(path.join(pages, "api"), { recursive: true });
await writeFile(path.join(pages, "api", "index.md"), `# API\n\nThe public types of each module.\n\n${api.join("\n")}\n`);
await writeFile(path.join(pages, "contents.json"), JSON.stringify(contents, null, 2));
console.log(`${guides.length} guides, ${modules.length} modules`);
