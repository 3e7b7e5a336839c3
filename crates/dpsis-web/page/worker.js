// The worker of the page: the library, the table that it reads, and messages to the page.
"use strict";

// The bytes that are read at once.
const PIECE = 1 << 22;
let table;
let piece;

// Fills `into` with the bytes of the table from an offset; returns their number.
function readTable(behind, into) {
  if (behind < piece.start || behind >= piece.start + piece.bytes.length) {
    const end = Math.min(behind + PIECE, table.size);
    const bytes = new FileReaderSync().readAsArrayBuffer(table.slice(behind, end));
    piece = { start: behind, bytes: new Uint8Array(bytes) };
    postMessage({ progress: table.size > 0 ? end / table.size : 1 });
  }
  const start = behind - piece.start;
  const some = piece.bytes.subarray(start, start + into.length);
  into.set(some);
  return some.length;
}

function keepLedger(text) {
  postMessage({ ledger: new TextDecoder().decode(text) });
}

function answer({ call, question, file }) {
  table = file;
  piece = { start: 0, bytes: new Uint8Array() };
  try {
    return { answer: wasm_bindgen[call](question) };
  } catch (error) {
    // An error of the library is text; anything else ends the worker.
    return typeof error === "string" ? { refusal: error } : { broken: true };
  }
}

onmessage = ({ data }) => {
  if (data.module) {
    wasm_bindgen.initSync({ module: data.module });
    postMessage({ answer: wasm_bindgen.defaults() });
  } else {
    postMessage(answer(data));
  }
};
