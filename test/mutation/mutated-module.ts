// Preloaded into the processes of a test run: one module is loaded with a part of its text replaced. No file is changed.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Mutant } from './mutants.ts'

const given = process.env['MUTANT']

if (given !== undefined) {
  const { file, start, end, replacement } = JSON.parse(given) as Mutant
  const mutated = pathToFileURL(file).href
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (url !== mutated) return loaded
      const text = Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: text.slice(0, start) + replacement + text.slice(end) }
    },
  })
}
