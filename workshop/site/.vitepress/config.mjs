// The site's frame. Its pages are copied from README.md and docs/ by prepare.mjs.
import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitepress";

const pages = path.resolve(process.env.SITE_PAGES);
const contents = JSON.parse(readFileSync(path.join(pages, "contents.json"), "utf8"));

export default defineConfig({
  title: "Reprise",
  description: "Retries calls on the JVM with jittered backoff, deadlines and a retry quota that stops retry storms.",
  lang: "en",
  base: process.env.SITE_BASE ?? "/",
  srcDir: pages,
  outDir: path.resolve(process.env.SITE_OUT),
  cacheDir: path.resolve(pages, "../vitepress-cache"),
  // No icon, and no request for one.
  head: [["link", { rel: "icon", href: "data:," }]],
  // Dead links fail the build.
  ignoreDeadLinks: false,
  markdown: {
    config(md) {
      // Indented code looks and scrolls like fenced code.
      md.renderer.rules.code_block = (tokens, index, options, env, self) => {
        tokens[index].info = "text";
        return md.renderer.rules.fence(tokens, index, options, env, self);
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/docs/choosing" },
      { text: "API", link: "/api/" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
    sidebar: contents,
    footer: { message: `Reprise ${process.env.SITE_VERSION}, Apache-2.0` },
  },
});
