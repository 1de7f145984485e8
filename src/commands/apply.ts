// `quarterdeck apply --atomic`: applies all manifests of files and folders in one transaction, or none of them.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { asMap, textOrEmpty } from '../api/members.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { isList, isMap, own, type Value } from '../api/value.ts'
import { ApiStatusError, type Client, type TransactionObject } from '../client/client.ts'
import { YamlError } from '../codec/yaml-faults.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { failureOf, StartError, usageError } from '../config/start-error.ts'
import { apiResources, type ApiResource, resourceOf } from './api-resources.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { complain, inOneLine, print } from './output.ts'
import { openClient } from './server-flags.ts'

const MANIFEST = /\.(ya?ml|json)$/i

interface Manifest {
  readonly file: string
  readonly object: ApiObject
}

/** The exit code is 1 if the server refuses. Then nothing was applied. */
export async function runApply(args: readonly string[]): Promise<number> {
  const { read } = readCommandLine('apply', args)
  const source = read.text('filename')
  if (source === undefined) throw usageError('apply: name the manifests with -f FILE or -f FOLDER')
  if (!read.switch('atomic')) throw usageError('apply: --atomic is required; kubectl apply applies objects one by one')
  const manifests: Manifest[] = []
  for (const file of filesOf(source)) manifests.push(...(await manifestsIn(file)))
  if (manifests.length === 0) throw usageError(`apply: there are no manifests in ${inputName(source)}`)
  try {
    using client = openClient(read, 'quarterdeck-apply')
    const order = {
      namespace: read.text('namespace') ?? 'default',
      fieldManager: read.text('field-manager') ?? 'quarterdeck-apply',
      force: read.switch('force-conflicts'),
      dryRun: read.switch('dry-run'),
    }
    print(await applyAll(client, manifests, order))
    return 0
  } catch (error) {
    if (error instanceof StartError) throw error
    complain(`quarterdeck apply: ${inOneLine(explained(error, inOrder(manifests)))}\n`)
    return 1
  }
}

interface ApplyOrder {
  readonly namespace: string
  readonly fieldManager: string
  readonly force: boolean
  readonly dryRun: boolean
}

async function applyAll(client: Client, manifests: readonly Manifest[], order: ApplyOrder): Promise<string> {
  const resources = await apiResources(client)
  const { fieldManager, force, dryRun } = order
  const operations = inOrder(manifests).map(({ object, file }) => {
    const apply = inNamespace(object, resourceFor(resources, object, file), order.namespace) as TransactionObject
    return { apply, fieldManager, ...(force ? { force } : {}) }
  })
  const { results, resourceVersion } = await client.transaction(operations, { dryRun })
  const lines = results.map(({ kind, name, result }) => `${kind.toLowerCase()}/${name} ${result}`)
  const summary = dryRun ? 'Nothing was written: this was a dry run.' : `All written as version ${resourceVersion}.`
  return `${[...lines, summary].join('\n')}\n`
}

function filesOf(source: string): readonly string[] {
  if (source === '-' || !isFolder(source)) return [source]
  return readdirSync(source)
    .filter((name) => MANIFEST.test(name))
    .sort()
    .map((name) => path.join(source, name))
}

function isFolder(source: string): boolean {
  return statSync(source, { throwIfNoEntry: false })?.isDirectory() === true
}

async function manifestsIn(file: string): Promise<readonly Manifest[]> {
  const text = (await readInput(file)).toString()
  return splitDocuments(text).flatMap((part) => {
    const value = parsed(part, file)
    if (value === null) return []
    const items = isMap(value) && value['kind'] === 'List' ? own(value, 'items') : undefined
    return (isList(items) ? items : [value]).map((item) => ({ file, object: objectIn(item, file) }))
  })
}

function parsed(part: string, file: string): Value {
  try {
    return parseYaml(Buffer.from(part)).value
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw usageError(`${inputName(file)}: ${error.message}`)
  }
}

function objectIn(value: Value, file: string): ApiObject {
  const map = asMap(value)
  for (const member of ['apiVersion', 'kind']) {
    if (textOrEmpty(map, member) === '') throw usageError(`${inputName(file)}: an object has no ${member}`)
  }
  if (!isMap(own(map, 'metadata')) || metaText(map, 'name') === '') {
    throw usageError(`${inputName(file)}: an object of kind ${textOrEmpty(map, 'kind')} has no metadata.name`)
  }
  return map as ApiObject
}

/** Namespaces come before the objects in them, and accounts before their pods. Everything else keeps its order. */
function inOrder(manifests: readonly Manifest[]): readonly Manifest[] {
  const rank = ({ object }: Manifest): number => {
    const at = FIRST_KINDS.indexOf(`${object.apiVersion} ${object.kind}`)
    return at < 0 ? FIRST_KINDS.length : at
  }
  return manifests.toSorted((a, b) => rank(a) - rank(b))
}

const FIRST_KINDS: readonly string[] = ['v1 Namespace', 'v1 ServiceAccount']

function resourceFor(resources: readonly ApiResource[], object: ApiObject, file: string): ApiResource {
  try {
    return resourceOf(resources, object.apiVersion, object.kind)
  } catch (error) {
    const hint = 'a definition must be applied before the objects of its kind, in a transaction of its own'
    throw new Error(`${inputName(file)}: ${(error as Error).message}; ${hint}`, { cause: error })
  }
}

function inNamespace(object: ApiObject, { namespaced }: ApiResource, namespace: string): ApiObject {
  return namespaced && metaText(object, 'namespace') === '' ? withMeta(object, { namespace }) : object
}

/** The server's refusal, with the refused object. */
function explained(error: unknown, manifests: readonly Manifest[]): string {
  const why = failureOf(error)
  if (!(error instanceof ApiStatusError)) return why
  const field = error.status.details?.causes?.find(({ field = '' }) => PLACE.test(field))?.field ?? ''
  const refused = manifests[Number(PLACE.exec(field)?.[1] ?? NaN)]
  if (refused === undefined) return `nothing was applied: ${why}`
  const { object, file } = refused
  return `nothing was applied: ${object.kind} ${metaText(object, 'name')} in ${inputName(file)}: ${why}`
}

const PLACE = /^operations\[(\d+)\]$/
