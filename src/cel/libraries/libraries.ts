// All functions that expressions may call, by name.
import type { FunctionDefinition } from '../function.ts'
import { Fault, noSuchOverload } from '../value.ts'
import { AUTHORIZING } from './authorizing.ts'
import { FORMATS } from './formats.ts'
import { LISTS } from './lists.ts'
import { NETWORK } from './network.ts'
import { OPTIONALS } from './optionals.ts'
import { STANDARD } from './standard.ts'
import { STRINGS } from './strings.ts'
import { TEXT_FORMS } from './texts.ts'
import { URLS } from './urls.ts'
import { VERSIONS } from './versions.ts'

export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = byName([
  ...STANDARD,
  ...OPTIONALS,
  ...STRINGS,
  ...LISTS,
  ...TEXT_FORMS,
  ...VERSIONS,
  ...NETWORK,
  ...URLS,
  ...FORMATS,
  ...AUTHORIZING,
])

/** A library may add signatures to a function of another library. Each library runs the calls that fit its own signatures. */
function byName(definitions: readonly FunctionDefinition[]): ReadonlyMap<string, FunctionDefinition> {
  const functions = new Map<string, FunctionDefinition>()
  for (const definition of definitions) {
    const known = functions.get(definition.name)
    functions.set(definition.name, known === undefined ? definition : merged(known, definition))
  }
  return functions
}

function merged(first: FunctionDefinition, second: FunctionDefinition): FunctionDefinition {
  return {
    name: first.name,
    overloads: [...first.overloads, ...second.overloads],
    run: (args, meter) => {
      const result = first.run(args, meter)
      return result instanceof Fault && result.message === noSuchOverload().message ? second.run(args, meter) : result
    },
  }
}
