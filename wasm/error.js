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

export const invalidOption = (message, place) => new TamisError('invalid_option', message, place);
export const invalidShape = (message, place) => new TamisError('invalid_shape', message, place);

/** The error of a value that is no number, or not one of this precision. */
export function notHeld(where, value, sentence, place) {
  const what = Number.isFinite(value) ? `${value} does not fit in single precision` : sentence;
  return new TamisError('invalid_data', `${where}: ${what}`, place);
}
