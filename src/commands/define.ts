// `quarterdeck define`: prints the definitions that a TypeScript file exports as YAML. Node strips the types of the file.
import { statSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { reasonOf } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { complain, printDocument } from './output.ts'

/** A defined resource. The file may use another copy of `quarterdeck/define`, so its class is not checked. */
interface Defined {
  readonly definition: { readonly metadata: { readonly name: string } }
  yaml(): string
}

/** The exit code is 1 if the file cannot be loaded, defines nothing, or differs from the checked file. */
export async function runDefine(args: readonly string[]): Promise<number> {
  const wanted = 'name the one file that exports the definitions'
  const { read, operands } = readCommandLine('define', args, { least: 1, most: 1, wanted })
  const [file = ''] = operands
  const check = read.text('check')
  let text: string
  try {
    if (!statSync(file).isFile()) return fail(`${file}: it is not a file`)
    const module = (await import(pathToFileURL(path.resolve(file)).href)) as Readonly<Record<string, unknown>>
    const exported = Object.values(module).filter(isDefined)
    const defined = new Map(exported.map((one) => [one.definition.metadata.name, one]))
    if (defined.size === 0) return fail(`${file}: exports nothing that defineResource() made`)
    const names = [...defined.keys()].sort()
    text = names.map((name) => defined.get(name)!.yaml()).join('---\n')
  } catch (error) {
    return fail(`${file}: ${reasonOf(error)}`)
  }
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
