// `quarterdeck define`: the definitions that a TypeScript file exports, as YAML. Node strips the types of the file itself.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { reasonOf, usageError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { complain, printDocument } from './output.ts'

/** What is used of a defined resource; the file may have another copy of `quarterdeck/define` than this one. */
interface Defined {
  readonly definition: { readonly metadata: { readonly name: string } }
  yaml(): string
}

const ONE_FILE = 'name the one file that exports the definitions'

/** Resolves with the exit code: 1 where the file cannot be loaded, defines nothing, or not what is checked. */
export async function runDefine(args: readonly string[]): Promise<number> {
  const { read, operands } = readCommandLine('define', args, { most: 1, wanted: ONE_FILE })
  const [file] = operands
  if (file === undefined) throw usageError(`${ONE_FILE}; see quarterdeck define --help`)
  const check = read.text('check')
  let exported: readonly unknown[]
  try {
    const module = (await import(pathToFileURL(path.resolve(file)).href)) as Readonly<Record<string, unknown>>
    exported = Object.values(module)
  } catch (error) {
    return fail(`${file}: ${reasonOf(error)}`)
  }
  const defined = new Map(exported.filter(isDefined).map((one) => [one.definition.metadata.name, one]))
  if (defined.size === 0) return fail(`${file}: exports nothing that defineResource() made`)
  const names = [...defined.keys()].sort()
  const text = names.map((name) => defined.get(name)!.yaml()).join('---\n')
  if (check === undefined) {
    await printDocument(text)
    return 0
  }
  const written = await readInput(check)
  const line = firstDifference(text, written.toString())
  if (line === undefined) return 0
  return fail(`${inputName(check)}:${line}: differs from ${file}; write it again: quarterdeck define ${file}`)
}

function isDefined(value: unknown): value is Defined {
  const { definition, yaml } = (value ?? {}) as { readonly definition?: { readonly kind?: unknown }; yaml?: unknown }
  return definition?.kind === 'CustomResourceDefinition' && typeof yaml === 'function'
}

function fail(message: string): number {
  complain(`quarterdeck define: ${message}\n`)
  return 1
}

/** The number of the first line in which the second text differs. */
function firstDifference(expected: string, written: string): number | undefined {
  if (expected === written) return undefined
  const lines = written.split('\n')
  const at = expected.split('\n').findIndex((line, i) => line !== lines[i])
  return at === -1 ? lines.length : at + 1
}
