// How the page reaches the protocol: over HTTP to the server that has served it, or in a worker with
// the engine as WebAssembly. Both have request(object),
// stop(busy), where busy says that a script runs and is not stopped, and ready, a promise.

// connect returns the transport that the page was made for.
export function connect() {
  return document.documentElement.dataset.engine === 'server' ? server() : worker();
}

// takeToken moves the token from the address to the storage of the tab, so that it is not shared.
function takeToken() {
  const url = new URL(location.href);
  const token = url.searchParams.get('token');
  if (token) {
    sessionStorage.setItem('studio-token', token);
    url.searchParams.delete('token');
    history.replaceState(null, '', url);
  }
  return sessionStorage.getItem('studio-token') || '';
}

function server() {
  const token = takeToken();
  const page = crypto.randomUUID();
  let running = new AbortController(); // ends the requests that run a script
  async function request(body) {
    let answer;
    const {signal} = ['run', 'debug', 'step'].includes(body.op) ? running : {};
    try {
      answer = await fetch('api', {
        method: 'POST', body: JSON.stringify(body), signal,
        headers: {'Content-Type': 'application/json', 'X-Studio-Token': token, 'X-Studio-Page': page},
      });
    } catch {
      if (signal?.aborted) throw new Error('stopped');
      throw new Error('redmoon studio does not answer. Is it still running?');
    }
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return checked(await answer.json());
  }
  // The server ends a script whose request ends, also one that has not begun yet.
  function stop() {
    running.abort();
    running = new AbortController();
    return request({op: 'stop'});
  }
  return {ready: Promise.resolve(), request, stop};
}

function checked(answer) {
  if (answer.error) throw new Error(answer.error);
  return answer;
}

function worker() {
  let current, waiting, next, readyNow, failedNow;
  const t = {request, stop};
  start();
  return t;

  function start() {
    current = new Worker('worker.js');
    waiting = new Map();
    next = 0;
    t.ready = new Promise((resolve, reject) => { readyNow = resolve; failedNow = reject; });
    const fail = (text) => {
      failedNow(new Error(text));
      for (const w of waiting.values()) w.reject(new Error(text));
      waiting.clear();
    };
    current.onmessage = ({data}) => {
      if (data.ready) return readyNow();
      if (data.failed) return fail(data.failed);
      const w = waiting.get(data.id);
      waiting.delete(data.id);
      try {
        if (w) w.resolve(checked(JSON.parse(data.answer)));
      } catch (e) {
        w.reject(e);
      }
    };
    current.onerror = (e) => fail(e.message || 'the engine has failed');
  }

  async function request(body) {
    await t.ready;
    return new Promise((resolve, reject) => {
      waiting.set(++next, {resolve, reject});
      current.postMessage({id: next, request: JSON.stringify(body)});
    });
  }

  // A script that runs keeps the worker from reading messages, so a new worker takes its place.
  async function stop(busy) {
    if (!busy) return request({op: 'stop'});
    current.terminate();
    for (const w of waiting.values()) w.reject(new Error('stopped'));
    start();
    await t.ready;
  }
}
