// Runs the benches of this folder, or the one that is named: `node test/bench/run.ts [name]`. A bench is a file that exports
// `bench`, which measures, prints and cleans up after itself.
import { readdir } from 'node:fs/promises'

/** Files that are no benches. */
const PARTS = ['run', 'median']
/** Minutes to an hour, and up to twenty gigabytes: run where they are named. */
const LONG = ['queries', 'scale', 'streams']

const wanted = process.argv[2]
const names = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => !PARTS.includes(name) && !name.includes('-'))
  .toSorted()

if (wanted !== undefined && !names.includes(wanted)) {
  process.stderr.write(`no bench is called ${wanted}; there are: ${names.join(', ')}\n`)
  process.exit(1)
}
for (const name of wanted === undefined ? names.filter((name) => !LONG.includes(name)) : [wanted]) {
  process.stdout.write(`\n${name}\n`)
  const { bench } = (await import(`./${name}.ts`)) as { bench: () => Promise<void> }
  await bench()
}
