// Removes connections that no policy forbids, before any other script runs: in the page, in its worker and in its frames.
(function guard(scope) {
  "use strict";
  const ways = /RTC|^WebTransport|^PresentationRequest$|^documentPictureInPicture$|^open$/;
  for (const name of Object.getOwnPropertyNames(scope)) {
    if (ways.test(name)) Reflect.deleteProperty(scope, name);
  }
  // A worker has no frames.
  if (!scope.document) return;
  Reflect.deleteProperty(scope.Document.prototype, "open");
  // A frame has constructors of its own: they are removed before a script gets its window.
  const clear = (view) => {
    if (view && Object.getOwnPropertyNames(view).some((name) => ways.test(name))) guard(view);
    return view;
  };
  for (const element of ["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement"]) {
    const { prototype } = scope[element];
    const { contentWindow: ofWindow, contentDocument: ofDocument } = Object.getOwnPropertyDescriptors(prototype);
    const inner = { get() { return clear(ofWindow.get.call(this)); } };
    const page = { get() { return clear(ofDocument.get.call(this)?.defaultView)?.document ?? null; } };
    Object.defineProperties(prototype, { contentWindow: { ...ofWindow, ...inner }, contentDocument: { ...ofDocument, ...page } });
  }
  scope.document.addEventListener("load", ({ target }) => target.contentWindow, true);
})(globalThis);
