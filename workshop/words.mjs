// Lists sentences to look at again, in pages and in comments of main code: node workshop/words.mjs [FILE OR FOLDER...]
//
// A list to work through, not a gate. It names sentences of more than 30 words, comments that begin with What, Which, Who, Of or
// That, and clauses that stand in place of a noun ("what X does", "who calls"). The last line counts each of them.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const most = 30;
const isMain = (file) => /\/src\/main\/.*\.(kt|java)$/.test(file);
const isPage = (file) => /(^|\/)(README|docs\/[^/]+|docs\/migrating\/[^/]+)\.md$/.test(file);
const beginning = /^(What|Which|Who|Of|That)\b/;
const clause = /(^|[.:;] |, (?!who)|\b(of|for|to|by|from|with|on|in|and|than) )(what|whatever|who|whoever) (\w+ )?(\w+s|is|are|was|were|has|have|may|must|can|will|would)\b/i;

function filesBelow(place) {
  if (statSync(place).isFile()) return [place];
  const names = readdirSync(place).filter((name) => !name.startsWith(".") && !["node_modules", "target", "research"].includes(name));
  return names.flatMap((name) => filesBelow(path.join(place, name)));
}

// A page's paragraphs, list items and table cells; no code.
function textsOfPage(text) {
  const texts = [];
  let open = null;
  let isCode = false;
  text.split("\n").forEach((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode || /^\s*(```|$|#|<|\|?[-: |]+$)/.test(line)) open = null;
    else if (line.startsWith("|")) line.split("|").forEach((cell) => texts.push({ line: index + 1, text: cell }));
    else if (open === null || /^\s*([-*]|\d+\.) /.test(line)) texts.push((open = { line: index + 1, text: line.replace(/^\s*([-*]|\d+\.) /, "") }));
    else open.text += " " + line.trim();
  });
  return texts;
}

// A source's comments, each paragraph for itself; no snippets.
function textsOfSource(text) {
  const comments = [...text.matchAll(/^[ \t]*(\/\*[^]*?\*\/|\/\/.*(\n[ \t]*\/\/.*)*)/gm)];
  return comments.flatMap((found) => {
    const from = text.slice(0, found.index).split("\n").length;
    const plain = found[1].replace(/^\s*(\/\*\*?|\*\/|\*(?!\/)|\/\/) ?|\s*\*\/$/gm, "");
    return textsOfPage(plain).map((each, index) => ({ line: from + each.line - 1, text: each.text, isFirst: index === 0 }));
  });
}

const sentences = (text) => text.trim().split(/(?<=[.!?])\s+(?=[A-Z`[*"(])/);
const words = (sentence) => sentence.replace(/\]\([^)]*\)/g, "]").split(/\s+/).filter((word) => /\w/.test(word)).length;

const counts = { long: 0, beginning: 0, clause: 0 };
const places = process.argv.length > 2 ? process.argv.slice(2) : ["."];
for (const file of places.flatMap(filesBelow).filter((file) => isMain("/" + file) || isPage(file))) {
  const text = readFileSync(file, "utf8");
  for (const each of file.endsWith(".md") ? textsOfPage(text) : textsOfSource(text)) {
    for (const [index, sentence] of sentences(each.text).entries()) {
      const found = [];
      if (words(sentence) > most) found.push("long");
      if (!file.endsWith(".md") && each.isFirst && index === 0 && beginning.test(sentence)) found.push("beginning");
      if (clause.test(sentence)) found.push("clause");
      found.forEach((kind) => counts[kind]++);
      if (found.length > 0) console.log(`${file}:${each.line}: ${found.join(", ")}: ${sentence}`);
    }
  }
}
console.log(`more than ${most} words: ${counts.long}, begin with What, Which, Who, Of, That: ${counts.beginning}, clause for a noun: ${counts.clause}`);
