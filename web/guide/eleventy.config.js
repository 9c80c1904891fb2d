import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import highlight from '@11ty/eleventy-plugin-syntaxhighlight';

const work = process.env.TAMIS_GUIDE_WORK;
const stage = path.join(work, 'pages');
const symbols = JSON.parse(readFileSync(path.join(work, 'symbols.json'), 'utf8'));

/** Where a page is in the site: its own name, a README being the index of its folder. */
const addressOf = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html').replace(/^\.github\//, 'github/');
const up = (address) => '../'.repeat(address.split('/').length - 1) || './';
const pageOf = (inputPath) => path.relative(stage, path.resolve(inputPath)).split(path.sep).join('/');

/** The address of what a span of code names, if a reference has it. */
function symbolOf(code, page) {
  const name = code.replace(/^tamis::/, '').replace(/\(\)$/, '').replace(/<.*>$/, '');
  if (page.startsWith('lib/python/')) return symbols.python[name.replace(/^tamis\./, '')];
  if (/^tamis_\w+$/.test(name)) return symbols.c[name] ?? symbols.c[`${name}_f32`] ?? symbols.c[name.replace(/_f64$/, '_f32')];
  if (code.startsWith('tamis::') || (page.startsWith('lib/') && !page.startsWith('lib/cli/') && /^[A-Z]\w*[a-z]\w*$/.test(name))) return symbols.cpp[name];
  return undefined;
}

/** The name of the module that runs an example, if it is a whole one in JavaScript that writes what it finds to the console. */
function exampleOf({ info, content }) {
  if (!process.env.TAMIS_WASM_DIST || info !== 'js' || !/^import .* from 'tamis';/.test(content) || !content.includes('console.log(')) return undefined;
  const [, imports, body] = content.match(/^((?:import .*\n)+)([^]*)$/), name = createHash('sha256').update(content).digest('hex').slice(0, 12);
  mkdirSync(path.join(work, 'examples'), { recursive: true });
  writeFileSync(path.join(work, `examples/${name}.js`), `${imports.replaceAll("'tamis'", "'../tamis/tamis.js'")}export default async (console) => {\n${body}};\n`);
  return name;
}

/** Anchors as forges name them, links to pages as links to their addresses, code that a reference explains as a link to it. */
function asSite(markdown) {
  markdown.core.ruler.push('site', (state) => {
    const { page: { inputPath } } = state.env, page = pageOf(inputPath), address = addressOf(page);
    const seen = new Map();
    state.env.outline = [];
    for (const [i, token] of state.tokens.entries()) {
      if (token.type === 'heading_open') {
        const text = state.tokens[i + 1].children.filter(({ type }) => /^(text|code_inline)$/.test(type)).map(({ content }) => content).join('');
        const slug = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-'), times = seen.get(slug) ?? 0;
        seen.set(slug, times + 1);
        token.attrSet('id', times ? `${slug}-${times}` : slug);
      }
      const [, side] = token.attrGet('style')?.match(/^text-align:(\w+)$/) ?? []; // of a column; pages allow no style but that of the file
      if (side) token.attrs = [['class', side]];
      if (!token.children) continue;
      let linked = 0;
      token.children = token.children.flatMap((child) => {
        if (child.type === 'link_open') {
          ++linked;
          const target = child.attrGet('href');
          if (!/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(target)) {
            const [file, anchor] = target.split('#'), to = path.posix.join(path.posix.dirname(page), decodeURI(file));
            const at = path.posix.relative(path.posix.dirname(address), addressOf(to));
            child.attrSet('href', encodeURI(at) + (anchor === undefined ? '' : `#${anchor}`));
          }
        } else if (child.type === 'link_close') --linked;
        const known = child.type === 'code_inline' && !linked && !page.startsWith('reference/') && state.tokens[i - 1]?.type !== 'heading_open' && symbolOf(child.content, page);
        if (!known) return [child];
        const open = new state.Token('link_open', 'a', 1), close = new state.Token('link_close', 'a', -1);
        open.attrSet('href', up(address) + known);
        open.attrSet('class', 'symbol');
        return [open, child, close];
      });
    }
  });
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, i, options, env, self) => {
    const name = exampleOf(tokens[i]);
    const button = name && `<p class="run" data-pagefind-ignore><button type="button" data-example="${up(addressOf(pageOf(env.page.inputPath)))}examples/${name}.js">Run</button><output></output></p>\n`;
    return fence(tokens, i, options, env, self) + (button ?? '');
  };
  markdown.renderer.rules.table_open = () => '<div class="table"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
}

export default function (eleventy) {
  eleventy.setUseGitIgnore(false);
  eleventy.addPlugin(highlight, { errorOnInvalidLanguage: false });
  eleventy.setIncludesDirectory(path.relative(stage, path.resolve('layouts')));
  eleventy.amendLibrary('md', (markdown) => {
    markdown.set({ html: true, linkify: false, breaks: false }).enable('code'); // indented blocks, too
    asSite(markdown);
  });
  eleventy.addPassthroughCopy({ [path.relative(process.cwd(), stage)]: '.' }, { filter: '**/*.svg' });
  eleventy.addGlobalData('layout', 'page.11ty.js');
  eleventy.addGlobalData('eleventyComputed', {
    address: ({ page }) => addressOf(pageOf(page.inputPath)),
    permalink: ({ page }) => addressOf(pageOf(page.inputPath)),
    up: ({ page }) => up(addressOf(pageOf(page.inputPath))),
    searched: ({ page }) => !/\/recorded\/|figures\.md$/.test(page.inputPath), // nobody looks for words in tables of numbers
    title: ({ page }) => readFileSync(page.inputPath, 'utf8').match(/^# (.*)$/m)?.[1].replace(/[`*]/g, '') ?? pageOf(page.inputPath),
  });
  return { markdownTemplateEngine: false, htmlTemplateEngine: false, templateFormats: ['md'] };
}
