/** Saves and copies what the page shows: records, positions, drawings. */

import { byId, copy, download, element, isWithin } from "./dom.js";

/** Scale of a drawing in pixels. */
const PNG_SCALE = 2;

/** The drawing as a PNG file. @param {string} svg */
const pngOf = async (svg) => {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [PNG_SCALE * image.width, PNG_SCALE * image.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
};

/**
 * Connects the buttons.
 *
 * @param {object} page
 * @param {string} page.name the name of files, without its end
 * @param {() => void} page.finish keeps what is still being changed, before anything is saved
 * @param {() => string} page.record the text of the current record
 * @param {() => {texts: string[], invalid: number, missing: number}} page.records the texts of the records, how many of them
 *   are invalid, and how many more invalid records the page has without their texts
 * @param {(name: string) => void} page.noteFile is called with the name of the file that has all changes
 * @param {() => string} page.position
 * @param {(dark: boolean) => string} page.svg the drawing, perhaps with colours for a dark screen
 * @param {(words: string, error?: boolean) => void} page.say
 */
export const connectSaving = (page) => {
  const on = (id, words, action) =>
    byId(id).addEventListener("click", async () => {
      try {
        page.finish();
        page.say((await action()) ?? words);
      } catch (error) {
        page.say(error.message, true);
      }
    });
  const file = (end, type, content) => download(`${page.name}.${end}`, new Blob([content], { type }));
  on("download", "", () => {
    const { texts, invalid, missing } = page.records();
    file("rgn", "text/plain", texts.join(""));
    page.noteFile(`${page.name}.rgn`);
    const saved = `${texts.length === 1 ? "1 record" : `${texts.length} records`} saved in the file ${page.name}.rgn`;
    const words = missing ? `${saved}, but not ${missing === 1 ? "1 invalid record" : `${missing} invalid records`} whose text the page does not contain` : saved;
    return invalid ? `${words}; ${invalid === 1 ? "1 record is invalid and stays" : `${invalid} records are invalid and stay`} unchanged` : words;
  });
  on("copy-record", "record copied", () => copy(page.record()));
  on("copy-position", "position copied", () => copy(page.position()));
  on("copy-svg", "drawing copied", () => copy(page.svg(true)));
  on("save-svg", `drawing saved in the file ${page.name}.svg`, () => file("svg", "image/svg+xml", page.svg(true)));
  on("save-png", `drawing saved in the file ${page.name}.png`, async () => file("png", "image/png", await pngOf(page.svg(false))));
};

/** The bytes of a file, unpacked if it is compressed with gzip. @param {Blob} file */
export const bytesOf = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
};

/**
 * Takes what is pasted or dropped on the page, or chosen as a file.
 *
 * @param {(content: string | Uint8Array, name: string) => void} take
 * @param {(words: string, error?: boolean) => void} say
 */
export const connectOpening = (take, say) => {
  const attempt = async (action) => {
    try {
      await action();
    } catch (error) {
      say(error.message, true);
    }
  };
  const files = (list) =>
    attempt(async () => {
      for (const file of list) take(await bytesOf(file), file.name);
    });
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", () => {
    files([...byId("file").files]);
    byId("file").value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) files([...event.dataTransfer.files]);
    else attempt(() => take(event.dataTransfer.getData("text/plain"), "dropped text"));
  });
  document.addEventListener("paste", (event) => {
    if (isWithin(event, "input, textarea")) return;
    const text = event.clipboardData.getData("text/plain");
    if (!text.trim()) return;
    event.preventDefault();
    attempt(() => take(text, "pasted text"));
  });
};
