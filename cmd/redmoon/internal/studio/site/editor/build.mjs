// Makes ../static/editor.js and ../static/editor.licenses.txt. The first line of editor.js has the
// hash of what it was made from; a test of package site compares it.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';

const inputs = ['build.mjs', 'editor.mjs', 'package.json', 'package-lock.json'];
const hash = createHash('sha256');
for (const name of inputs) hash.update(readFileSync(name));

const result = await build({
  entryPoints: ['editor.mjs'], bundle: true, minify: true, format: 'esm', target: 'es2022',
  banner: {js: `// Made by npm run build. Inputs: ${hash.digest('hex')}. Licences: editor.licenses.txt`},
  legalComments: 'none', metafile: true, outfile: '../static/editor.js',
});

// The licences of the packages that are part of the file.
const packages = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
  const m = file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (m) packages.add(m[1]);
}
let text = 'editor.js contains these packages.\n';
for (const name of [...packages].sort()) {
  const folder = `node_modules/${name}`;
  const licence = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
  if (!licence) throw new Error(`${name} has no licence`);
  const {version} = JSON.parse(readFileSync(`${folder}/package.json`));
  text += `\n${'='.repeat(80)}\n${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`;
}
writeFileSync('../static/editor.licenses.txt', text);
