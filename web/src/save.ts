/** Gives a file to the person, as a download. */
export function save(data: Blob, file: string): void {
  const link = document.createElement('a');
  [link.href, link.download] = [URL.createObjectURL(data), file];
  link.click();
  URL.revokeObjectURL(link.href);
}
