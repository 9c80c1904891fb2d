/**
 * A header as Doxygen reads it. A comment above all declarations is that of the file. In C++ the profile's namespace is gone. In C what is declared for
 * both scalars is declared for float alone, and every comment belongs to the declaration beside or below it.
 */
export const asRead = (file, text) => (file.endsWith('.hpp') ? ofCpp(text) : ofC(text));

const ofCpp = (text) => text.replaceAll('tamis::inline TAMIS_PROFILE_NAMESPACE', 'tamis').replace(/\n\/\/\/ |\nnamespace /, (found) => (found === '\n/// ' ? '\n/// @file\n/// ' : found));

const ofC = (text) => text
  .replace(/^#define TAMIS_\w*DECLARE\(.*?\)\s*\\\n((?:.*\\\n)*.*)$/gm, (_, body) => body.replace(/[ \t]*\\$/gm, '').replaceAll('##S', 'f32').replace(/\bREAL\b/g, 'float'))
  .replace(/^(?:TAMIS_\w*DECLARE\(.*|#undef TAMIS_\w*DECLARE.*)$/gm, '')
  .replace(/ \*\/(\s*)\/\* /g, ' $1') // one comment on several lines
  .replace(/^(\s*)\/\* ----[^]*?\*\//gm, '')
  .replace(/^(\s*)\/\*(?=\s)/gm, '$1/**')
  .replace(/(\S[ \t]+)\/\* /g, '$1/**< ')
  .replace('\n/**\n', '\n/**\n * @file\n');
