/** What went wrong: `status` as in reports, the place where there is one, and a sentence for people. */
export class TamisError extends Error {
  constructor(status, message, place = {}) {
    super(message);
    this.name = 'TamisError';
    this.status = status;
    Object.assign(this, place);
  }
}
