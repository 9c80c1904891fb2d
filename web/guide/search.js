// The search of the guide: what Pagefind has found, in the place of the page. Its index is fetched when it is first asked for.
const field = document.getElementById('search'), found = document.getElementById('found'), article = document.querySelector('article');
let index = null, asked = 0;

// On wide screens the menu is always open.
const menu = document.querySelector('.menu details'), wide = matchMedia('(min-width: 800px)');
const open = () => (menu.open = wide.matches);
wide.addEventListener('change', open);
open();

field.addEventListener('input', () => void search());
field.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  field.value = '';
  void search();
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(input|textarea|select)$/i.test(event.target.tagName)) return;
  event.preventDefault();
  field.focus();
});

async function search() {
  const words = field.value.trim(), number = ++asked;
  found.hidden = !words;
  article.hidden = Boolean(words);
  document.body.classList.toggle('searching', Boolean(words));
  if (!words) return;
  try {
    index ??= import('./pagefind/pagefind.js');
    const { results } = await (await index).search(words);
    const pages = await Promise.all(results.slice(0, 12).map((one) => one.data()));
    const isReference = ({ url }) => Number(url.includes('/reference/')); // the text comes first
    pages.sort((a, b) => isReference(a) - isReference(b));
    if (number !== asked) return;
    found.replaceChildren(element('h1', `Found: ${words}`), ...(pages.length ? pages.map(result) : [element('p', 'No page has these words.')]));
    scrollTo({ top: 0 });
  } catch (error) {
    console.info(error); // for who looks for the reason
    index = null;
    found.replaceChildren(element('p', 'The index of the search cannot be loaded.'));
  }
}

function result({ meta, url, excerpt, sub_results: parts }) {
  const item = element('section');
  item.append(link(url, meta.title, 'h2'));
  const best = parts.filter((part) => part.url !== url).sort((a, b) => b.weighted_locations.length - a.weighted_locations.length).slice(0, 3);
  for (const { url: at, title, excerpt: text } of best.length ? best : [{ url, title: '', excerpt }]) {
    if (title) item.append(link(at, title, 'h3'));
    const line = element('p');
    line.innerHTML = text; // escaped by Pagefind, but for the marks of what is found
    item.append(line);
  }
  return item;
}

function link(url, text, kind) {
  const a = element('a', text), heading = element(kind);
  a.href = url;
  a.addEventListener('click', () => {
    field.value = '';
    void search();
  });
  heading.append(a);
  return heading;
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
