// Short scripts about who applies, patches and writes what, and what the object is and who owns which fields in the end.
//
//   ## the title
//   on configmaps                            the resource: `plural.group`, or `plural.version.group`
//   one applies {data: {a: '1'}}             also `forces`, `patches` (a merge patch), `puts`, `posts`; then perhaps a
//                                            subresource and `via <version>`; then a body in YAML
//   two applies {data: {a: '2'}} !! text     what the refusal has to say
//   data is {a: '1'}                         a path, and what is there; `gone` for nothing
//   one has .data.a                          what it owns by applying
//   ctl wrote .data.a                        what it owns by other writes; `wrote status: .status.x` through a subresource
//
// Everything that anybody owns has to be listed. A minute passes with every step.
import type { ValueMap } from '../../../src/api/value.ts'
import { decodeManagedFields } from '../../../src/patch/managed-fields.ts'
import { formatPath, pathsOf } from '../../../src/patch/field-set.ts'
import { parseYaml } from '../../../src/codec/yaml-parse.ts'
import type { ApiWorld } from '../../rigs/api-world.ts'

export interface Script {
  readonly title: string
  readonly resource: string
  readonly steps: readonly Step[]
  /** By path: what is there; undefined: nothing. */
  readonly values: ReadonlyMap<string, unknown>
  /** By `manager Operation/subresource`: the paths, sorted. */
  readonly owners: Readonly<Record<string, readonly string[]>>
}

export type Verb = 'applies' | 'forces' | 'patches' | 'puts' | 'posts'

export interface Step {
  readonly who: string
  readonly verb: Verb
  readonly subresource: string
  readonly version: string
  readonly body: ValueMap
  readonly refusal: string | undefined
}

const STEP = /^(\S+) (applies|forces|patches|puts|posts)(?: (status|scale))?(?: via (\S+))? (\{.*?\})(?: !! (.*))?$/
const VALUE = /^(\S+) is (.*)$/
const OWNER = /^(\S+) (has|wrote)(?: (status|scale):)? (.*)$/

export function parseScripts(text: string): readonly Script[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n').map((line) => line.trim())
      return parseScript(
        title,
        lines.filter((line) => line !== '' && !line.startsWith('#')),
      )
    })
}

function parseScript(title: string, lines: readonly string[]): Script {
  const steps: Step[] = []
  const values = new Map<string, unknown>()
  const owners: Record<string, readonly string[]> = {}
  let resource = 'configmaps'
  for (const line of lines) {
    const [step, owner, value] = [STEP.exec(line), OWNER.exec(line), VALUE.exec(line)]
    if (line.startsWith('on ')) resource = line.slice(3)
    else if (step !== null) {
      const [, who = '', verb, subresource = '', version = '', body = '', refusal] = step
      steps.push({
        who,
        verb: verb as Verb,
        subresource,
        version,
        body: yaml(body) as ValueMap,
        refusal: unescaped(refusal),
      })
    } else if (owner !== null) {
      const [, who = '', verb, subresource, paths = ''] = owner
      const key = `${who} ${verb === 'has' ? 'Apply' : 'Update'}${subresource === undefined ? '' : `/${subresource}`}`
      owners[key] = paths.split(' ').toSorted()
    } else if (value !== null) {
      const [, path = '', expected = ''] = value
      values.set(path, expected === 'gone' ? undefined : yaml(expected))
    } else throw new Error(`what does this mean, in "${title}": ${line}`)
  }
  return { title, resource, steps, values, owners }
}

function unescaped(text: string | undefined): string | undefined {
  return text?.replaceAll(String.raw`\n`, '\n')
}

function yaml(text: string): unknown {
  return parseYaml(Buffer.from(text)).value
}

export interface Outcome {
  /** What each step was refused with. */
  readonly refusals: readonly (string | undefined)[]
  readonly object: ValueMap
  /** Sends a step again, and tells what is there then. */
  readonly again: (step: Step) => Promise<ValueMap>
}

export async function runScript(requests: ApiWorld, script: Script, name: string): Promise<Outcome> {
  const [plural = '', ...rest] = script.resource.split('.')
  const isVersioned = /^v\d/.test(rest[0] ?? '')
  const ownVersion = isVersioned ? rest[0]! : 'v1'
  const group = rest.slice(isVersioned ? 1 : 0).join('.')
  const path = (version: string): string => {
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    return CLUSTER_WIDE.has(plural) ? `${root}/${plural}` : `${root}/namespaces/ns/${plural}`
  }
  const send = async (step: Step): Promise<{ refusal: string | undefined; body: ValueMap }> => {
    const version = step.version === '' ? ownVersion : step.version
    const isScale = step.subresource === 'scale'
    const type = isScale
      ? { kind: 'Scale', apiVersion: 'autoscaling/v1' }
      : { kind: KINDS[plural] ?? '', apiVersion: group === '' ? version : `${group}/${version}` }
    const metadata = { ...(step.body['metadata'] as ValueMap | undefined), name }
    const at = `${path(version)}/${name}${step.subresource === '' ? '' : `/${step.subresource}`}`
    await requests.clock.advance('1s')
    const answer = await requests.send({ ...REQUESTS[step.verb](step, at), ...bodyOf(step, { ...type, metadata }) })
    return {
      refusal: answer.status < 300 ? undefined : String(answer.body['message']),
      body: answer.body as ValueMap,
    }
  }
  const get = async (): Promise<ValueMap> =>
    (await requests.send({ method: 'GET', path: `${path(ownVersion)}/${name}` })).body as ValueMap
  const refusals: (string | undefined)[] = []
  for (const step of script.steps) refusals.push((await send(step)).refusal)
  return {
    refusals,
    object: await get(),
    again: async (step) => {
      await send(step)
      return get()
    },
  }
}

function bodyOf(step: Step, base: ValueMap): { readonly body: object } {
  return { body: step.verb === 'patches' ? step.body : { ...step.body, ...base } }
}

type Request = Pick<Parameters<ApiWorld['send']>[0], 'method' | 'path' | 'contentType'>

const REQUESTS: Readonly<Record<Verb, (step: Step, at: string) => Request>> = {
  applies: ({ who }, at) => ({ method: 'PATCH', path: `${at}?fieldManager=${who}`, contentType: APPLY }),
  forces: ({ who }, at) => ({ method: 'PATCH', path: `${at}?fieldManager=${who}&force=true`, contentType: APPLY }),
  patches: ({ who }, at) => ({ method: 'PATCH', path: `${at}?fieldManager=${who}`, contentType: MERGE }),
  puts: ({ who }, at) => ({ method: 'PUT', path: `${at}?fieldManager=${who}` }),
  posts: ({ who }, at) => ({ method: 'POST', path: `${at.slice(0, at.lastIndexOf('/'))}?fieldManager=${who}` }),
}
const APPLY = 'application/apply-patch+yaml'
const MERGE = 'application/merge-patch+json'

const CLUSTER_WIDE: ReadonlySet<string> = new Set([
  'nodes',
  'namespaces',
  'clusterroles',
  'storageclasses',
  'csidrivers',
  'csinodes',
])

const KINDS: Readonly<Record<string, string>> = {
  clusterroles: 'ClusterRole',
  configmaps: 'ConfigMap',
  csidrivers: 'CSIDriver',
  csinodes: 'CSINode',
  deployments: 'Deployment',
  endpointslices: 'EndpointSlice',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  jobs: 'Job',
  namespaces: 'Namespace',
  networkpolicies: 'NetworkPolicy',
  nodes: 'Node',
  poddisruptionbudgets: 'PodDisruptionBudget',
  pods: 'Pod',
  podtemplates: 'PodTemplate',
  roles: 'Role',
  rolebindings: 'RoleBinding',
  replicasets: 'ReplicaSet',
  secrets: 'Secret',
  serviceaccounts: 'ServiceAccount',
  services: 'Service',
  statefulsets: 'StatefulSet',
  storageclasses: 'StorageClass',
}

/** What is at a path: members by name, items by number, `*` for all of a list. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, step, index, steps) => {
    if (step === '*')
      return (at as readonly unknown[] | undefined)?.map((item) => valueAt(item, steps.slice(index + 1).join('.')))
    if (steps.slice(0, index).includes('*')) return at
    return (at as Record<string, unknown> | undefined)?.[step]
  }, value)
}

/** Who owns what, in the form of `Script.owners`. */
export function ownersOf(object: ValueMap): Record<string, readonly string[]> {
  const list = (object['metadata'] as ValueMap)['managedFields']
  const managed = decodeManagedFields(list)
  if ('problem' in managed) throw new Error(managed.problem)
  return Object.fromEntries(
    [...managed.values()].map((entry) => [
      `${entry.name} ${entry.operation}${entry.subresource === '' ? '' : `/${entry.subresource}`}`,
      [...pathsOf(entry.fields)].map(formatPath).toSorted(),
    ]),
  )
}
