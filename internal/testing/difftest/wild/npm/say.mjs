// What the programs share: the address of the server, the clock of waiting, and telling what calls answered.
import { once } from 'node:events';

export { once };

// Where the server is; the test that runs the program sets it.
export const [host, port] = process.env.WILD_ADDR.split(':');
export const connection = { host, port: Number(port) };

// say tells what a call answered, on one line of standard output.
export function say(call, ...results) {
  const plain = (key, value) => (value === undefined ? 'undefined' : value instanceof Error ? `${value.name}: ${value.message}` : value);
  console.log(`${call}: ${results.map((result) => JSON.stringify(result, plain)).join(' ')}`);
}

// call makes a call, tells its answer or its error, and returns the answer. pick chooses what is told of it, so
// that times and random names are not.
export async function call(name, make, pick = (answer) => answer) {
  let answer;
  try {
    answer = await make();
  } catch (error) {
    say(name, 'failed', error instanceof Error ? error : pick(error));
    return undefined;
  }
  say(name, pick(answer));
  return answer;
}
