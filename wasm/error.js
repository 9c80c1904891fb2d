// Errors, and the sentences that several modules say alike.

/** What went wrong: `status` as in reports, the place where there is one, and a sentence for people. */
export class TamisError extends Error {
  constructor(status, message, place = {}) {
    super(message);
    this.name = 'TamisError';
    this.status = status;
    Object.assign(this, place);
  }
}

/** What a signal asks for; its name is that of other errors of signals. */
export const aborted = (what = 'the training') => Object.assign(new TamisError('stopped', `${what} was stopped by its signal`), { name: 'AbortError' });
export const invalidOption = (message, place) => new TamisError('invalid_option', message, place);
export const invalidShape = (message, place) => new TamisError('invalid_shape', message, place);

/** The error of a value that is no number, or not one of this precision. */
export function notHeld(where, value, sentence, place) {
  const what = wrongKind(value) ?? (Number.isFinite(value) ? `${value} does not fit in single precision` : sentence);
  return new TamisError('invalid_data', `${where}: ${what}`, place);
}

/** Why a value is no number though it looks like one; null for others. */
export function wrongKind(value) {
  if (typeof value === 'bigint') return `${value}n is a bigint, not a number: convert it by Number()`;
  const is = typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value));
  return is ? `'${value}' is a string, not a number: convert it by Number()` : null;
}
