/** An address of a domain that nobody can have: the project has none yet. */
const isReal = (address) => URL.canParse(address ?? '') && !new URL(address).hostname.endsWith('.example');

/** Has the foot of the page lead to the source and to npm, once the project has an address. */
export default function projectLinks(address) {
  return {
    name: 'project-links',
    transformIndexHtml(html) {
      if (!isReal(address)) return html;
      const links = [['npm', 'https://www.npmjs.com/package/tamis'], ['Source', new URL(address).href]];
      const place = '<p id="elsewhere">';
      if (!html.includes(place)) throw new Error('the page has no place for links');
      const start = html.indexOf('</p>', html.indexOf(place));
      return html.slice(0, start) + links.map(([name, to]) => ` <a href="${to.replaceAll('"', '%22').replaceAll('&', '&amp;')}">${name}</a>`).join('') + html.slice(start);
    },
  };
}
