// Webhooks and policies from the operator's files. The API neither shows nor changes them. They also apply to writes of the webhook and
// policy configurations in the API. Invariant: a folder applies as a whole. If one file is faulty, the last valid state of the folder
// stays.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Hooks } from '../admission/webhook/webhook.ts'
import type { Policies } from '../admission/policy/policy.ts'
import { isGiven, mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import { isMap, type ValueMap } from '../api/value.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { ManifestPlugin } from '../config/admission-config.ts'
import { type ReloadedFiles, reloadFiles } from '../config/reloaded-files.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import type { Log } from '../lib/log.ts'
import { metaForCreate } from '../registry/object-meta.ts'
import type { Resource, ResourceTable, WriteContext } from '../registry/registry.ts'
import { servedResource } from '../registry/served-resource.ts'

const SUFFIX = '.static.k8s.io'
const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])
const LOOK_EVERY_MS = 60_000
const GROUP = 'admissionregistration.k8s.io'

/** The resources that a plugin reads from files, and the hooks or policies that get the objects. */
export type ManifestTarget =
  | { readonly plugin: ManifestPlugin; readonly hooks: Hooks; readonly resource: string }
  | {
      readonly plugin: ManifestPlugin
      readonly policies: Policies
      readonly resource: string
      readonly bindings: string
    }

export interface ManifestParts {
  /** The folders of the plugins that have one. */
  readonly folders: Readonly<Partial<Record<ManifestPlugin, string>>>
  readonly table: ResourceTable
  readonly context: () => Pick<WriteContext, 'gates' | 'now'>
  readonly reloads: ReloadedFiles['reloads']
  readonly log: Log
}

/** Applies the content of the folder. Returns a function that follows its changes. Throws a `StartError` if the content is faulty. */
export function openManifests(parts: ManifestParts, target: ManifestTarget): (signal: AbortSignal) => Promise<void> {
  const { folders, reloads, log } = parts
  const folder = folders[target.plugin]
  if (folder === undefined) return () => Promise.resolve()
  let inForce: string | undefined
  const look = (): void => {
    const { objects, texts } = new ManifestReader(parts, folder).read(target)
    if (texts === inForce) return
    if ('hooks' in target) target.hooks.setStatic(objects)
    else target.policies.setStatic(objects)
    if (inForce !== undefined) log.info({ folder }, 'admission manifests were reloaded')
    inForce = texts
  }
  try {
    look()
  } catch (error) {
    throw usageError(`staticManifestsDir of ${target.plugin}: ${reasonOf(error)}`)
  }
  const onProblem = (error: unknown): void =>
    log.error({ folder, reason: reasonOf(error) }, 'admission manifests cannot be reloaded')
  const files = [path.join(folder, 'any')]
  return (signal) => reloadFiles({ files, everyMs: LOOK_EVERY_MS, reloads, look, onProblem }, signal)
}

class ManifestReader {
  readonly #parts: ManifestParts
  readonly #folder: string
  /** The file of each object, by kind and name. */
  readonly #seen = new Map<string, string>()

  constructor(parts: ManifestParts, folder: string) {
    this.#parts = parts
    this.#folder = folder
  }

  /** Returns the objects, and the contents of the files as `texts`. Two `texts` are equal if nothing has changed. */
  read(target: ManifestTarget): { readonly objects: readonly ApiObject[]; readonly texts: string } {
    const { table } = this.#parts
    const names = 'hooks' in target ? [target.resource] : [target.resource, target.bindings]
    const resources = names.map((name) => servedResource(table, name, GROUP))
    const texts: string[] = []
    const objects: ApiObject[] = []
    for (const name of readdirSync(this.#folder).toSorted()) {
      const file = path.join(this.#folder, name)
      if (!EXTENSIONS.has(path.extname(name).toLowerCase())) continue
      const text = readFileSync(file, 'utf8')
      texts.push(text)
      try {
        for (const value of valuesIn(text)) objects.push(this.#object(resources, value, file))
      } catch (error) {
        throw new Error(`${file}: ${reasonOf(error)}`, { cause: error })
      }
    }
    if (!('hooks' in target)) checkReferences(objects)
    return { objects, texts: texts.join('\0') }
  }

  #object(resources: readonly Resource[], value: ValueMap, file: string): ApiObject {
    const [kind, apiVersion] = [textOrEmpty(value, 'kind'), textOrEmpty(value, 'apiVersion')]
    const resource = resources.find((one) => one.kind === kind && formatGroupVersion(one) === apiVersion)
    if (resource === undefined) {
      const allowed = resources.map((one) => `${formatGroupVersion(one)} ${one.kind}`).join(' and ')
      throw new Error(`it has ${JSON.stringify(`${apiVersion} ${kind}`.trim())}, but only ${allowed} may be here`)
    }
    const object = this.#checked(resource, value)
    const name = metaText(object, 'name')
    const what = `${kind} ${JSON.stringify(name)}`
    if (!name.endsWith(SUFFIX)) throw new Error(`${what} must have a name that ends with ${SUFFIX}`)
    const before = this.#seen.get(`${kind} ${name}`)
    if (before !== undefined) throw new Error(`${what} is in ${before} too`)
    this.#seen.set(`${kind} ${name}`, file)
    const fault = faultIn(object)
    if (fault !== undefined) throw new Error(`${what}: ${fault}`)
    return object
  }

  /** Decodes, defaults and validates the object like a new one. */
  #checked(resource: Resource, value: ValueMap): ApiObject {
    const context = contextOf(this.#parts)
    const decoded = resource.decode(value)
    if (decoded.problems.length > 0) throw new Error(decoded.problems.join(', '))
    const { kind } = resource
    const sent = { ...decoded.value, kind, apiVersion: formatGroupVersion(resource) } as ApiObject
    const given = resource.withDefaults(sent, { gates: context.gates, now: () => context.now })
    const prepared = resource.strategy.prepareForCreate(metaForCreate(given, context), context)
    const object = resource.toCanonical(prepared)
    const [fault] = resource.strategy.validateCreate(object, context)
    if (fault !== undefined) throw new Error(`${fault.field}: ${fault.message}`)
    return object
  }
}

/** The context of a create, with one gate off: if it is on, the kinds refuse names that end with `.static.k8s.io`. */
function contextOf({ context }: ManifestParts): WriteContext {
  const { gates, now } = context()
  return {
    user: { name: 'system:apiserver', uid: undefined, groups: [], extra: {} },
    namespace: '',
    dryRun: true,
    now,
    gates: new Set([...gates].filter((gate) => gate !== 'ManifestBasedAdmissionControlConfig')),
    warn: () => {},
    annotate: () => {},
    signal: new AbortController().signal,
    fieldManager: 'manifest',
    options: {},
    authorize: () => Promise.resolve(),
  }
}

/** The objects of a file, including those in lists. */
function valuesIn(text: string): readonly ValueMap[] {
  return splitDocuments(text).flatMap((document) => {
    const { value } = parseYaml(Buffer.from(document))
    if (value === null) return []
    if (!isMap(value)) throw new Error('it has an item that is not an object')
    const isList = textOrEmpty(value, 'kind') === 'List' && textOrEmpty(value, 'apiVersion') === 'v1'
    return isList ? mapsInPlace(value, 'items') : [value]
  })
}

/** The error of an object that refers to a service or to parameters. A server with only its files cannot resolve such references. */
function faultIn(object: ApiObject): string | undefined {
  const spec = mapOrEmpty(object, 'spec')
  if (isGiven(spec, 'paramKind')) return 'spec.paramKind is not supported in files'
  if (isGiven(spec, 'paramRef')) return 'spec.paramRef is not supported in files'
  const hook = mapsInPlace(object, 'webhooks').find((one) => textOrEmpty(mapOrEmpty(one, 'clientConfig'), 'url') === '')
  if (hook === undefined) return undefined
  return `webhook ${JSON.stringify(textOrEmpty(hook, 'name'))} needs clientConfig.url: services are not supported in files`
}

function checkReferences(objects: readonly ApiObject[]): void {
  const policies = new Set(objects.filter(({ kind }) => !isBinding(kind)).map((object) => metaText(object, 'name')))
  for (const object of objects.filter(({ kind }) => isBinding(kind))) {
    const policy = textOrEmpty(mapOrEmpty(object, 'spec'), 'policyName')
    if (policies.has(policy)) continue
    const what = `${object.kind} ${JSON.stringify(metaText(object, 'name'))}`
    throw new Error(`${what} binds the policy ${JSON.stringify(policy)}, which is not in the folder`)
  }
}

function isBinding(kind: string): boolean {
  return kind.endsWith('Binding')
}
