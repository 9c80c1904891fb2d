/** An address of a domain that nobody can have: the project has none yet. */
const isReal = (address) => URL.canParse(address ?? '') && !new URL(address).hostname.endsWith('.example');

/** Has the foot of the page lead to the source, once the project has an address. */
export default function projectLink(address) {
  return {
    name: 'project-link',
    transformIndexHtml(html) {
      if (!isReal(address)) return html;
      const to = new URL(address).href.replaceAll('"', '%22').replaceAll('&', '&amp;');
      const place = '<p id="elsewhere">';
      if (!html.includes(place)) throw new Error('the page has no place for links');
      const start = html.indexOf('</p>', html.indexOf(place));
      return `${html.slice(0, start)} <a href="${to}">Source</a>${html.slice(start)}`;
    },
  };
}
