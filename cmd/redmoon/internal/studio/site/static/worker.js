// The engine as WebAssembly, in a worker. A message {id, request} is answered by {id, answer}.
importScripts('wasm_exec.js');

self.redmoonReady = () => postMessage({ready: true});
self.onmessage = ({data}) => self.redmoonStudio(data.request, (answer) => postMessage({id: data.id, answer}));

async function load() {
  const go = new Go();
  const answer = await fetch('redmoon.wasm');
  if (!answer.ok) throw new Error(`redmoon.wasm: ${answer.status} ${answer.statusText}`);
  // Some hosts serve the file with another type, which instantiateStreaming refuses.
  const typed = (answer.headers.get('Content-Type') || '').startsWith('application/wasm');
  const {instance} = typed
    ? await WebAssembly.instantiateStreaming(answer, go.importObject)
    : await WebAssembly.instantiate(await answer.arrayBuffer(), go.importObject);
  await go.run(instance);
  throw new Error('the engine has ended; reload the page');
}

load().catch((e) => postMessage({failed: String(e.message || e)}));
