// Loads packages when they are needed, because many servers never need them. Together they take 5 MB of memory.
import type * as Salsa from '@noble/ciphers/salsa.js'
import type * as JsYaml from 'js-yaml'
import { createRequire } from 'node:module'
import type * as Re2js from 're2js'

const load = createRequire(import.meta.url)

/** Regular expressions in linear time, for patterns that users write. */
export function re2js(): typeof Re2js {
  return load('re2js') as typeof Re2js
}

/** YAML as a sequence of events. */
export function jsYaml(): typeof JsYaml {
  return load('js-yaml') as typeof JsYaml
}

/** The cipher of secretbox. */
export function salsa(): typeof Salsa {
  return load('@noble/ciphers/salsa.js') as typeof Salsa
}
