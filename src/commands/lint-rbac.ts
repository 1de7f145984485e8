// `quarterdeck lint-rbac`: roles and bindings in, findings out, a line each.
import { mapsInPlace } from '../api/members.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import { lintRole } from '../auth/role-lint.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { inputName, readInput } from './input.ts'

/** Resolves with the exit code: 1 where something was found, or a file could not be read. */
export async function runLintRoles(args: readonly string[]): Promise<number> {
  const flag = args.find((argument) => argument.startsWith('-') && argument !== '-')
  if (flag !== undefined) throw usageError(`lint-rbac: unknown flag ${flag}`)
  let isClean = true
  for (const file of args.length === 0 ? ['-'] : args) {
    const shown = inputName(file)
    try {
      for (const object of await readObjects(file)) {
        for (const finding of lintRole(object)) {
          process.stdout.write(`${shown}: ${finding.object} ${finding.text} (CIS ${finding.row})\n`)
          isClean = false
        }
      }
    } catch (error) {
      process.stderr.write(`quarterdeck lint-rbac: ${shown}: ${reasonOf(error)}\n`)
      isClean = false
    }
  }
  return isClean ? 0 : 1
}

/** Also several in one file, and lists, as kubectl writes them. */
async function readObjects(file: string): Promise<readonly ValueMap[]> {
  const text = (await readInput(file)).toString()
  return text
    .split(/^---(?:[ \t].*)?\r?$/m)
    .filter((document) => document.trim() !== '')
    .flatMap((document) => objectsIn(parseYaml(Buffer.from(document)).value))
}

function objectsIn(document: Value): readonly ValueMap[] {
  if (!isMap(document)) return []
  return own(document, 'items') === undefined ? [document] : mapsInPlace(document, 'items')
}
