// Copies the repository's pages to a folder for VitePress: node prepare.mjs REPOSITORY FOLDER MODULE...
//
// README.md becomes the home page; links to folders lead to a list of what is in them; files that are no pages (plots,
// alert rules, figures) become files of the site. A line that is a link to a table, a .csv file, is followed by the table.
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

const [repository, folder, ...modules] = process.argv.slice(2);
const pages = path.join(folder, "pages");

// The navigation: parts, their pages in the order that a reader meets them, and the pages that open below a page. A page that
// is not named here is found by links and by the search. At most 20 entries are visible at once.
const parts = {
  Start: { "README.md": ["docs/platforms.md"], "docs/choosing.md": ["docs/presets.md", "docs/policy-json.md", "docs/llm.md"], "docs/migrating.md": "docs/migrating" },
  Clients: {
    "docs/coroutines.md": [], "docs/java.md": ["docs/jdk-http.md", "docs/http-faults.md", "docs/databases.md"], "docs/ktor.md": [], "docs/okhttp.md": ["docs/apache-http.md"], "docs/grpc.md": [],
    "docs/spring.md": ["docs/reactor.md"], "docs/aws.md": ["docs/aws-kotlin.md"],
  },
  Topics: {
    "docs/quota.md": ["docs/fleet.md", "docs/hedging.md"], "docs/adaptive.md": [], "docs/polling.md": ["docs/queues.md"], "docs/layers.md": [],
    "docs/observability.md": ["docs/not-retried.md"], "docs/testing.md": [], "docs/lab.md": ["docs/replay.md"],
  },
  More: { "docs/research/README.md": "docs/research" },
};
const most = 20;

// What stands at the top of the repository and is a page of the site.
const top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "RELEASE.md"];

const isFolder = async (file) => (await stat(file).catch(() => null))?.isDirectory() ?? false;
const title = (text) => /^# (.+)$/m.exec(text)?.[1].replaceAll("`", "") ?? "Untitled";
// A sidebar has room for what stands before the colon.
const shortTitle = (text) => title(text).split(":")[0];

// A file or folder of the repository that the site does not have: what links to it becomes its words.
async function isSource(file) {
  const inside = path.relative(repository, file);
  const isOnSite = (inside + path.sep).startsWith("docs" + path.sep) || top.includes(inside);
  return !isOnSite && (await stat(file).catch(() => null)) !== null;
}

// The rows of a table with commas between the cells, which are quoted as RFC 4180 has it; a row is a line.
const rows = (csv) => csv.trimEnd().split("\n").map((line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain));

// Below each line that is a link to a table, the table.
async function withTables(text, source) {
  const parts = [];
  for (const line of text.split("\n")) {
    parts.push(line);
    const table = /^\[[^\]]+\]\(([^)]+\.csv)\)$/.exec(line)?.[1];
    if (table === undefined) continue;
    const [header, ...body] = rows(await readFile(path.resolve(path.dirname(source), table), "utf8"));
    const lines = [header, header.map(() => "---"), ...body].map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
    parts.push("", ...lines);
  }
  return parts.join("\n");
}

async function copyPage(name) {
  const source = path.join(repository, name);
  const text = await withTables(await readFile(source, "utf8"), source);
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
  const to = path.join(pages, name.replace(/(^|\/)README\.md$/, "$1index.md"));
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

// A folder without pages is a folder of files.
async function copyAll(folder) {
  const inside = await readdir(path.join(repository, folder), { withFileTypes: true });
  if (!inside.some((entry) => entry.name.endsWith(".md"))) return copyFolder(folder);
  for (const entry of inside) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) await copyAll(name);
    else if (entry.name.endsWith(".md")) titles.set(name, shortTitle(await copyPage(name)));
  }
}

await rm(pages, { recursive: true, force: true });
const titles = new Map();
await copyAll("docs");
for (const name of top) {
  if (await stat(path.join(repository, name)).catch(() => null)) titles.set(name, shortTitle(await copyPage(name)));
}

function entry(page, below = []) {
  if (!titles.has(page)) throw new Error(`there is no ${page}`);
  // Below "Coming from another library" it is enough to say from which.
  const text = titles.get(page).replace(/^Coming from (the )?(?!another)/, "");
  const item = { text, link: "/" + page.replace(/\.md$/, "").replace(/(^|\/)README$/, "$1") };
  const children = Array.isArray(below) ? below : [...titles.keys()].filter((name) => path.dirname(name) === below && name !== page).sort();
  return children.length === 0 ? item : { ...item, items: children.map((child) => entry(child)), collapsed: true };
}

const contents = Object.entries(parts).map(([text, guides]) => ({
  text,
  items: Object.entries(guides).map(([page, below]) => entry(page, below)),
}));
contents.at(-1).items.push(
  { text: "API", link: "/api/" },
  { text: "Project", items: top.filter((name) => name !== "README.md" && titles.has(name)).map((name) => entry(name)), collapsed: true },
);
const visible = contents.flatMap((part) => part.items).length;
if (visible > most) throw new Error(`the navigation has ${visible} entries, at most ${most} are wanted`);

const api = modules.map((module) => `- <a href="./${module}/index.html" target="_self">${module}</a>`);
await mkdir(path.join(pages, "api"), { recursive: true });
await writeFile(path.join(pages, "api", "index.md"), `# API\n\nThe public types of each module.\n\n${api.join("\n")}\n`);
await writeFile(path.join(pages, "contents.json"), JSON.stringify(contents, null, 2));
console.log(`${titles.size} pages, ${visible} entries, ${modules.length} modules`);
