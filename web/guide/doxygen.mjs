// The references of C++ and C: Doxygen reads the headers, and what it says of them as XML becomes pages.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { asRead } from './header.mjs';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

// ---- XML: { name, at: attributes, inside: nodes }, or a string

const parser = new XMLParser({
  preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '', trimValues: false, parseTagValue: false,
  processEntities: { enabled: true, maxTotalExpansions: 1e6, maxExpandedLength: 1e8 },
});
const nodeOf = (raw) => {
  if ('#text' in raw) return String(raw['#text']);
  const name = Object.keys(raw).find((key) => key !== ':@');
  return { name, at: raw[':@'] ?? {}, inside: raw[name].map(nodeOf) };
};
const all = (node, ...names) => (node?.inside ?? []).filter((one) => names.includes(one.name));
const first = (node, name) => all(node, name)[0];
const textOf = (node) => (typeof node === 'string' ? node : (node?.inside ?? []).map(textOf).join(''));
const said = (node, name) => textOf(first(node, name)).trim();

const elements = {
  para: 'p', computeroutput: 'code', emphasis: 'em', bold: 'strong', itemizedlist: 'ul', orderedlist: 'ol', listitem: 'li',
  verbatim: 'pre', programlisting: 'pre', preformatted: 'pre', superscript: 'sup', subscript: 'sub',
};
function htmlOf(node) {
  if (typeof node === 'string') return escaped(node);
  if (node.name === 'sp') return ' ';
  const inside = node.inside.map(htmlOf).join('');
  const element = elements[node.name];
  return element ? `<${element}>${element === 'pre' ? inside.replace(/^\n|\n$/g, '') : inside}</${element}>` : inside;
}
/** Brief and detailed, in one block of HTML: an empty line would end it. */
const description = (node) =>
  ['briefdescription', 'detaileddescription'].map((name) => first(node, name)).filter((one) => one && textOf(one).trim())
    .map((one) => one.inside.map(htmlOf).join('').replace(/\n\s*\n/g, '\n').trim()).join('\n');

// ---- pages

const templateOf = (node) => {
  const list = first(node, 'templateparamlist');
  if (!list) return '';
  const params = all(list, 'param').map((one) => `${said(one, 'type')}${said(one, 'declname') && ` ${said(one, 'declname')}`}${said(one, 'defval') && ` = ${said(one, 'defval')}`}`);
  return `template <${params.join(', ')}>\n`;
};
const tidy = (code) => code.replace(/\s+/g, ' ').replace(/< /g, '<').replace(/ >/g, '>').replace(/ ([&*])(\w)/g, '$1 $2').trim();

/** A member as it is declared. */
function declaration(member) {
  const { kind, static: is_static } = member.at;
  const name = said(member, 'name');
  if (kind === 'enum') {
    const values = all(member, 'enumvalue').map((one) => `${comment(one, '  ')}  ${said(one, 'name')}${said(one, 'initializer') && ` ${said(one, 'initializer')}`},\n`);
    return `enum ${name} {\n${values.join('')}};`;
  }
  const type = said(member, 'type');
  if (kind === 'typedef')
    return tidy(/^using/.test(said(member, 'definition')) ? `using ${name} = ${type}` : `typedef ${type} ${name}${said(member, 'argsstring')}`) + ';';
  const constraint = said(member, 'requiresclause');
  return `${templateOf(member)}${constraint && `requires ${constraint}\n`}${tidy(`${is_static === 'yes' && kind !== 'function' ? 'static ' : ''}${is_static === 'yes' && kind === 'function' && !type.includes('static') ? 'static ' : ''}${type} ${name}${said(member, 'argsstring')}`)};`;
}
const comment = (node, indent) => {
  const text = ['briefdescription', 'detaileddescription'].map((name) => textOf(first(node, name)).replace(/\s+/g, ' ').trim()).filter(Boolean).join(' ');
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length > 110) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) && ' '}${word}`;
  }
  return text ? lines.map((line) => `${indent}/// ${line}\n`).join('') : '';
};
/** A class as in its header, with what is public of it. */
function synopsis(type, language) {
  const name = said(type, 'compoundname').replace(/^tamis::/, '');
  if (type.at.kind === 'concept') return `${said(type, 'initializer').replace(/^(template.*?>)\s*/, '$1\n')};`;
  const members = all(type, 'sectiondef').filter(({ at }) => at.kind.startsWith('public')).flatMap((section) => all(section, 'memberdef'))
    .filter((one) => said(one, 'name'));
  const lines = members.map((one) => `${comment(one, '  ')}${declaration(one).replace(/^/gm, '  ')}\n`).join('');
  return `${templateOf(type)}${type.at.kind} ${name} {\n${lines}}${language === 'c' ? ` ${name}` : ''};`;
}

/** What the headers of a folder declare: found: [{ file, line, name, code, description }], and files: what each says of itself. */
function readHeaders(from, work, options) {
  const folder = path.join(work, 'headers');
  for (const file of readdirSync(from, { recursive: true }).filter((name) => /\.hp*$/.test(name))) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), asRead(file, readFileSync(path.join(from, file), 'utf8')));
  }
  const settings = {
    INPUT: folder, RECURSIVE: 'YES', OUTPUT_DIRECTORY: work, GENERATE_XML: 'YES', GENERATE_HTML: 'NO', GENERATE_LATEX: 'NO',
    XML_PROGRAMLISTING: 'NO', QUIET: 'YES', WARNINGS: 'NO', MACRO_EXPANSION: 'YES', EXPAND_ONLY_PREDEF: 'YES', ...options,
  };
  const text = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`).join('');
  execFileSync(process.env.TAMIS_DOXYGEN || 'doxygen', ['-'], { input: text, stdio: ['pipe', 'ignore', 'ignore'] });
  const xml = path.join(work, 'xml');
  const found = [], files = new Map();
  for (const file of readdirSync(xml).sort()) {
    if (!/^(struct|class|concept|namespace|.*_8h)/.test(file)) continue;
    const doxygen = parser.parse(readFileSync(path.join(xml, file), 'utf8')).map(nodeOf).find((one) => one.name === 'doxygen');
    for (const compound of all(doxygen, 'compounddef')) {
      const name = said(compound, 'compoundname');
      if (compound.at.kind === 'file') files.set(path.relative(folder, first(compound, 'location').at.file), description(compound));
      const of_types = ['struct', 'class', 'concept'].includes(compound.at.kind);
      if (/\bdetail\b|@/.test(name)) continue;
      if (of_types) found.push(entry(compound, name, synopsis(compound, options.language)));
      else if (compound.at.kind === (options.language === 'c' ? 'file' : 'namespace'))
        for (const member of all(compound, 'sectiondef').flatMap((section) => all(section, 'memberdef')))
          if (['function', 'typedef', 'enum', 'variable'].includes(member.at.kind)) found.push(entry(member, `${options.language === 'c' ? '' : `${name}::`}${said(member, 'name')}`, declaration(member)));
    }
  }
  return { found, files };

  function entry(node, name, code) {
    const file = path.relative(folder, first(node, 'location').at.file), line = Number(first(node, 'location').at.line);
    return { file, line, name: name.replace(/^tamis::/, ''), code, description: description(node) };
  }
}

/** The pages of an interface: one per folder or header. Returns { symbol: address of its section }. */
function writePages({ found, files: said_of }, { title, introduction, pageOf, language, to, prefix }) {
  mkdirSync(to, { recursive: true });
  const pages = new Map(), symbols = {};
  for (const one of found.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)) {
    const page = pageOf(one.file);
    if (!pages.has(page)) pages.set(page, new Map());
    const files = pages.get(page);
    if (!files.has(one.file)) files.set(one.file, new Map());
    const names = files.get(one.file);
    names.set(one.name, [...(names.get(one.name) ?? []), one]);
  }
  const index = [];
  for (const [page, files] of pages) {
    let text = `# ${title}: ${page}\n\n`;
    const seen = new Map();
    for (const [file, names] of files) {
      if (!symbolsWorth(names)) continue;
      text += `## ${file}\n\n${said_of.get(file) ?? ''}\n\n`;
      for (const [name, ones] of names) {
        if (!ones.some((one) => one.description)) continue;
        const slug = slugOf(name), times = seen.get(slug) ?? 0;
        seen.set(slug, times + 1);
        symbols[name] ??= `${prefix}/${page}.html#${times ? `${slug}-${times}` : slug}`;
        text += `### ${name}\n\n`;
        for (const one of ones) text += `${one.description}\n\n\`\`\`${language}\n${one.code}\n\`\`\`\n\n`;
      }
    }
    writeFileSync(path.join(to, `${page}.md`), text);
    index.push(`| [${page}](${page}.md) | ${[...files.values()].flatMap((names) => [...names.keys()].filter((name) => symbols[name]?.startsWith(`${prefix}/${page}.html`))
      .map((name) => `[${name}](${page}.md#${symbols[name].split('#')[1]})`)).join(', ')} |`);
  }
  writeFileSync(path.join(to, 'README.md'), `# ${title}\n\n${introduction}\n\n| where | what is documented there |\n|---|---|\n${index.join('\n')}\n`);
  return symbols;
}
const symbolsWorth = (names) => [...names.values()].some((ones) => ones.some((one) => one.description));
const slugOf = (name) => name.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');

export function writeCpp(root, work, stage) {
  const read = readHeaders(path.join(root, 'lib/include/tamis'), path.join(work, 'cpp'), {
    PREDEFINED: 'TAMIS_TILE= TAMIS_WIDE= TAMIS_COLD_IN_MODULES= TAMIS_NOINLINE_IF_SMALLEST= TAMIS_INLINED= TAMIS_INLINED_UNLESS_SMALLEST= TAMIS_MULTIPLY_TILE=',
  });
  return writePages(read, {
    title: 'Reference of C++', language: 'cpp', to: path.join(stage, 'reference/cpp'), prefix: 'reference/cpp',
    introduction: 'What `lib/include/tamis` declares and says of it, a page for each room. All names are in `namespace tamis`. [In C++](../../lib/docs/cpp.md) is where to begin.',
    pageOf: (file) => (file.includes('/') ? file.split('/')[0] : 'tamis'),
  });
}

export function writeC(root, work, stage) {
  const read = readHeaders(path.join(root, 'lib/c'), path.join(work, 'c'), {
    language: 'c', OPTIMIZE_OUTPUT_FOR_C: 'YES', TYPEDEF_HIDES_STRUCT: 'YES',
  });
  return writePages(read, {
    title: 'Reference of C', language: 'c', to: path.join(stage, 'reference/c'), prefix: 'reference/c',
    introduction: 'What the headers of `lib/c` declare and say of it, in single precision (`_f32`, `float`): every function and type is there for `double` (`_f64`) too. [The C interface](../../lib/c/README.md) is where to begin.',
    pageOf: (file) => file.replace(/\.h$/, ''),
  });
}
