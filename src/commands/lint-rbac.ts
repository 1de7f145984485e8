// `quarterdeck lint-rbac`: reads roles and bindings and prints a line for each finding.
import { asMap, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { own, type ValueMap } from '../api/value.ts'
import { lintRole } from '../auth/role-lint.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { complain, inOneLine, print } from './output.ts'

/** The exit code is 1 if there is a finding or a file cannot be read. */
export async function runLintRoles(args: readonly string[]): Promise<number> {
  const { operands } = readCommandLine('lint-rbac', args, { most: Infinity })
  let isClean = true
  for (const file of operands.length === 0 ? ['-'] : operands) {
    const shown = inputName(file)
    try {
      for (const object of await readObjects(file)) {
        for (const finding of lintRole(object)) {
          print(`${inOneLine(`${shown}: ${finding.object} ${finding.text} (CIS ${finding.row})`)}\n`)
          isClean = false
        }
      }
    } catch (error) {
      const reason = error instanceof StartError ? error.message : `${shown}: ${reasonOf(error)}`
      complain(`quarterdeck lint-rbac: ${inOneLine(reason)}\n`)
      isClean = false
    }
  }
  return isClean ? 0 : 1
}

/** A file may have several documents, and lists in the form of kubectl and the API. Throws if it has no object at all. */
async function readObjects(file: string): Promise<readonly ValueMap[]> {
  const text = (await readInput(file)).toString()
  const documents = splitDocuments(text).map((document) => asMap(parseYaml(Buffer.from(document)).value))
  const objects = documents.filter((document) => textOrEmpty(document, 'kind') !== '')
  if (objects.length === 0) throw new Error('there is no object with a kind')
  return objects.flatMap(objectsIn)
}

/** Items of a list of one kind, such as RoleList, have no kind of their own. */
function objectsIn(document: ValueMap): readonly ValueMap[] {
  const kind = textOrEmpty(document, 'kind').replace(/List$/, '')
  return own(document, 'items') === undefined
    ? [document]
    : mapsInPlace(document, 'items').map((item) => ({ kind, ...item }))
}
