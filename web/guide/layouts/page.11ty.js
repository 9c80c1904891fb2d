import chapters from '../chapters.mjs';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const panels = { draw: 'Draw', table: 'Table', plane: 'Plane', race: 'Race', bench: 'Bench', home: 'Take home' };
const addressOf = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html').replace(/^\.github\//, 'github/');

/** The headings of a page: those of two levels, or of one where there are many. */
function outlineOf(content) {
  const all = [...content.matchAll(/<h([23]) id="([^"]*)"[^>]*>(.*?)<\/h\1>/g)].map(([, level, id, text]) => ({ level, id, text: text.replace(/<[^>]*>/g, '') }));
  let above = '';
  for (const one of all) { // a method is below its class, and long names break after an underscore
    if (one.level === '2') above = `${one.text}.`;
    else if (one.text.startsWith(above)) one.text = one.text.slice(above.length);
    one.text = one.text.replaceAll('_', '_<wbr>');
  }
  return all.length > 200 ? all.filter(({ level }) => level === '2') : all;
}

export default class {
  render({ content, title, address, up, searched }) {
    const outline = outlineOf(content);
    const here = (page) => addressOf(page) === address || (addressOf(page).startsWith('reference/') && addressOf(page).endsWith('/index.html') && address.startsWith(addressOf(page).slice(0, -10)));
    const menu = chapters.map(([heading, pages]) => `<p>${heading}</p>
      <ul>${pages.map(([name, page]) => `<li><a href="${up}${addressOf(page)}"${here(page) ? ' aria-current="page"' : ''}>${name}</a></li>`).join('')}</ul>`).join('\n');
    const panel = chapters.flatMap(([, pages]) => pages).find(([, page]) => addressOf(page) === address)?.[2];
    const invitation = panel ? `</h1>\n<p class="try" data-pagefind-ignore><a href="${up}../index.html#${panel}">Try it in the demo: ${panels[panel]}</a></p>` : '</h1>';
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}${title === 'tamis' ? '' : ' · tamis'}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23c2570c'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${up}style.css">
<script type="module" src="${up}search.js"></script>
${content.includes('data-example="') ? `<script type="module" src="${up}run.js"></script>\n` : ''}</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header data-pagefind-ignore>
  <a class="name" href="${up}index.html">tamis <span>Guide</span></a>
  <search role="search"><input id="search" type="search" placeholder="Search" aria-label="Search the guide" autocomplete="off" spellcheck="false"></search>
  <a href="${up}../index.html">Demo</a>
</header>
<div class="columns">
  <nav class="menu" aria-label="Pages" data-pagefind-ignore>
    <details><summary>Pages</summary>
    ${menu}
    </details>
  </nav>
  <main id="content"${searched ? ` data-pagefind-body data-pagefind-weight="${address.startsWith('reference/') ? 0.4 : 5}"` : ''}>
    <div id="found" hidden aria-live="polite" data-pagefind-ignore></div>
    <article>${content.replace('</h1>', invitation)}</article>
  </main>
  ${outline.length > 1 ? `<nav class="outline" aria-label="On this page" data-pagefind-ignore><p>On this page</p><ul>${outline.map(({ level, id, text }) => `<li class="level-${level}"><a href="#${encodeURIComponent(id)}">${text}</a></li>`).join('')}</ul></nav>` : ''}
</div>
</body>
</html>
`;
  }
}
