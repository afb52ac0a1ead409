/** Small helpers for elements of the page. */

/** The element of page.html with this id; the caller knows its kind. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** The text with a code point in place of each character that is invisible or turns text around. @param {string} text */
export const visible = (text) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) => `U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

/**
 * A new element with a class and a visible text; the caller knows its kind.
 *
 * @param {string} name @param {string} [className] @param {string} [text] @returns {any}
 */
export const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = visible(text);
  return made;
};

/** Whether an event happened within an element that the selector names. @param {Event} event @param {string} selector */
export const isWithin = ({ target: from }, selector) => from instanceof Element && from.closest(selector) !== null;

/** A new button. @param {string} text @param {() => void} action */
export const button = (text, action) => {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
};

/** Scrolls only the box, so that the board stays in sight. */
export const reveal = (box, inner) => {
  const outside = box.getBoundingClientRect();
  const { top, bottom } = inner.getBoundingClientRect();
  if (top < outside.top) box.scrollTop -= outside.top - top;
  else if (bottom > outside.bottom) box.scrollTop += bottom - outside.bottom;
};

/** Saves a file. @param {string} name @param {Blob} content */
export const download = (name, content) => {
  const link = element("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/** Copies a text to the clipboard. @param {string} text */
export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers that keep the clipboard from local files still copy a selection.
    const field = element("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("the browser does not allow copying");
  }
};
