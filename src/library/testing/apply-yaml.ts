// Applies the objects of a YAML text as `kubectl apply --server-side` does. Objects that others need come first.
import { readFile } from 'node:fs/promises'
import { type Client, k8s, type KubernetesObject, type Stored } from '../../client/client.ts'
import { splitDocuments } from '../../codec/yaml-document.ts'
import { parseYaml } from '../../codec/yaml-parse.ts'
import { checkOptions, checkValue, fits, isRecord, type OptionTypes } from '../../lib/known-options.ts'
import type { Server } from '../library.ts'
import { waitFor } from './wait.ts'

/** The options of `applyYaml()`. */
export interface ApplyYamlOptions {
  /** The namespace of namespaced objects that name none. Default: `default`. */
  readonly namespace?: string
  /** The manager that owns the applied fields. Default: `quarterdeck-testing`. */
  readonly fieldManager?: string
  /** The longest time until the kind of a definition is served. Default: 4 seconds. */
  readonly timeoutMs?: number
}

const OPTIONS: OptionTypes<ApplyYamlOptions> = { namespace: 'text?', fieldManager: 'text?', timeoutMs: 'duration?' }
const SOURCE = 'YAML or JSON, a URL of a file, or a path that ends in .yaml, .yml or .json'

/** An object as the server has it. */
export type Applied = Stored<KubernetesObject>

interface Manifest extends KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  /** The number of the document in the text, from 1. */
  readonly document: number
}

/**
 * Applies every object of a text or of a file. A text is YAML or JSON, with any number of documents and with lists. A file is a URL, or a
 * path that ends in `.yaml`, `.yml` or `.json`. Namespaces and definitions come first. Once the defined kinds are served, the rest follows
 * in the order of the text. Resolves to the objects in the order of the text. Throws at the first object that is refused.
 *
 *     await applyYaml(server, new URL('./crds.yaml', import.meta.url))
 *     const [settings] = await applyYaml(client, `
 *     apiVersion: v1
 *     kind: ConfigMap
 *     metadata: { name: settings }
 *     `)
 */
export async function applyYaml(
  to: Server | Client,
  textOrFile: string | URL,
  options: ApplyYamlOptions = {},
): Promise<readonly Applied[]> {
  checkOptions('applyYaml', options, OPTIONS)
  const isTarget = (value: unknown): boolean => fits(Object(value).client, 'function') || fits(value, 'client')
  checkValue('applyYaml', 'server or client', to, { wanted: 'a server or a client', fits: isTarget })
  const isSource = (value: unknown): boolean => fits(value, 'text') || value instanceof URL
  checkValue('applyYaml', 'text or file', textOrFile, { wanted: SOURCE, fits: isSource })
  const manifests = manifestsIn(await textOf(textOrFile))
  if (manifests.length === 0) throw new TypeError(`applyYaml: the text or file has no object: give ${SOURCE}`)
  // A client that was made here is closed here, not only when the server stops.
  using made = 'client' in to ? to.client() : undefined
  const client = made ?? (to as Client)
  const applied = new Map<Manifest, Applied>()
  for (const manifest of manifests.filter(comesFirst)) applied.set(manifest, await apply(client, manifest, options))
  const { timeoutMs } = options
  for (const { kind, metadata } of applied.values()) {
    if (kind !== 'CustomResourceDefinition') continue
    const definition = { kind: k8s.CustomResourceDefinition, name: metadata.name }
    await waitFor(client, definition, { condition: 'Established' }, timeoutMs === undefined ? {} : { timeoutMs })
  }
  for (const manifest of manifests) {
    if (!applied.has(manifest)) applied.set(manifest, await apply(client, manifest, options))
  }
  return manifests.map((manifest) => applied.get(manifest)!)
}

async function textOf(textOrFile: string | URL): Promise<string> {
  const isText = typeof textOrFile === 'string' && (/\n|^\s*\{/.test(textOrFile) || !/\.(ya?ml|json)$/.test(textOrFile))
  return isText ? textOrFile : readFile(textOrFile, 'utf8')
}

function manifestsIn(text: string): readonly Manifest[] {
  return splitDocuments(text).flatMap((part, i) => {
    const { value, duplicates } = parseYaml(Buffer.from(part))
    if (duplicates.length > 0) throw new Error(`document ${i + 1}: ${duplicates.join('; ')}`)
    const one = value as unknown as Partial<Manifest> & { readonly items?: readonly Manifest[] }
    if (!isRecord(one)) throw new TypeError(`applyYaml: document ${i + 1} is ${JSON.stringify(one)}: say ${SOURCE}`)
    const objects = one.kind === 'List' && Array.isArray(one.items) ? one.items : [one]
    return objects.map((object) => checked(object, i + 1))
  })
}

function checked(object: Partial<Manifest> | null, document: number): Manifest {
  const { apiVersion, kind, metadata } = object ?? {}
  if (!fits(apiVersion, 'text') || !fits(kind, 'text') || metadata?.name === undefined) {
    throw new Error(`document ${document}: an object to apply needs its apiVersion, kind and metadata.name`)
  }
  return { ...object, document } as Manifest
}

function comesFirst({ apiVersion, kind }: Manifest): boolean {
  return apiVersion.startsWith('apiextensions.k8s.io/') || (apiVersion === 'v1' && kind === 'Namespace')
}

async function apply(client: Client, { document, ...object }: Manifest, options: ApplyYamlOptions): Promise<Applied> {
  const { namespace = 'default', fieldManager = 'quarterdeck-testing' } = options
  const [version = '', group = ''] = object.apiVersion.split('/').toReversed()
  try {
    const resource = client.resource<KubernetesObject>({ group, version, kind: object.kind })
    // Objects of cluster-wide kinds have no namespace, even if the document names one.
    const placed = { ...object, metadata: { namespace, ...object.metadata } }
    return await resource.apply(placed, { fieldManager, force: true })
  } catch (cause) {
    const { kind, metadata } = object
    throw new Error(`document ${document}, ${kind} ${metadata.name}: ${(cause as Error).message}`, { cause })
  }
}
