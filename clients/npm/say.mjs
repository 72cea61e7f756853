// What the programs share: the address of the server, waiting, and telling what calls answered.
import { once } from 'node:events';
import assert from 'node:assert/strict';

export { once, assert };

// Where the server is, and what the program is told to do; the test that runs it sets both.
export const [host, port] = process.env.CLIENTS_ADDR.split(':');
export const connection = { host, port: Number(port) };
export const [choice] = process.argv.slice(2);

// binary is every byte there is.
export const binary = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

// say tells what a call answered, on one line of standard output: nothing that differs from run to run.
export function say(call, ...results) {
  const plain = (key, value) => {
    if (value === undefined) return 'undefined';
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Set) return { set: [...value] };
    if (value instanceof Map) return { map: [...value] };
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    return value;
  };
  console.log(`${call}: ${results.map((result) => JSON.stringify(result, plain)).join(' ')}`);
}

// call makes a call, tells its answer or its error, and returns the answer. pick chooses what is told of it.
export async function call(name, make, pick = (answer) => answer) {
  let answer;
  try {
    answer = await make();
  } catch (error) {
    say(name, 'failed', error);
    return undefined;
  }
  say(name, pick(answer));
  return answer;
}

// until asks again and again, until done says so.
export async function until(what, done) {
  for (const end = Date.now() + 60000; !(await done()); ) {
    assert(Date.now() < end, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
