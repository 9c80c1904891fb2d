/** Copies a text, and says what came of it; where the page may not, `select` offers it to be copied by hand. */
export async function copied(text: string, what: string, select: () => void): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} copied.`;
  } catch {
    select();
    return 'The browser does not let the page copy it: copy it from the field above.';
  }
}
