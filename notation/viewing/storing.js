/**
 * Keeps the texts of changed records and of sheets in the local storage of the browser, so that they survive a reload.
 *
 * Other pages may write there too: what is read from it is text, never trusted.
 */
export class Store {
  /** @param {string} id of the page */
  constructor(id) {
    this.prefix = `ringfen:${id}:`;
  }

  /** The texts that are kept, by their names. @returns {Map<string, string>} */
  texts() {
    const found = new Map();
    try {
      for (let index = 0; index < localStorage.length; index++) {
        const key = localStorage.key(index);
        if (key.startsWith(this.prefix)) found.set(key.slice(this.prefix.length), localStorage.getItem(key));
      }
    } catch {
      // A browser may have no storage for local files.
    }
    return found;
  }

  /** Keeps a text, or forgets it if it is null. False: the browser does not keep it. */
  put(name, text) {
    try {
      if (text === null) localStorage.removeItem(this.prefix + name);
      else localStorage.setItem(this.prefix + name, text);
      return true;
    } catch {
      return text === null;
    }
  }

  clear() {
    for (const name of this.texts().keys()) this.put(name, null);
  }
}
