// The actions that a kind or an object has, and the request that each action sends. This file needs no browser.
import type { ManagedObject } from './apply-intent.ts'
import { collectionPath, type Kind, type ObjectName, objectPath, resourceName } from './kind.ts'

/** An object as the server returns it. */
export type AnyObject = ManagedObject & { readonly spec?: unknown }

export interface Target {
  readonly kind: Kind
  readonly named: ObjectName
  /** The action is refused if another object has taken the name. */
  readonly uid?: string | undefined
}

export interface ActionRequest {
  readonly method: 'PATCH' | 'POST' | 'DELETE'
  readonly path: string
  readonly body: object
}

export interface ActionInput {
  readonly label: string
  readonly hint: string
  readonly type: 'number' | 'text'
  /** A message about a wrong input. */
  readonly check: (text: string) => string | undefined
}

/** An action that writes. It is tried with a dry run first, and then confirmed. */
export interface WriteAction {
  readonly id: 'scale' | 'restart' | 'pause' | 'resume' | 'suspend' | 'trigger' | 'label' | 'delete'
  readonly title: string
  readonly writes: true
  readonly input?: ActionInput
  /** `before`: the object as it is, or its scale. */
  readonly request: (target: Target, before: AnyObject, input: string, now: Date) => ActionRequest
}

/** An action that only reads. */
export interface ReadAction {
  readonly id: 'copy-name' | 'copy-yaml' | 'copy-command' | 'download' | 'duplicate'
  readonly title: string
  readonly writes: false
}

export type Action = WriteAction | ReadAction

/** The actions for an object. Without the object: the actions that suit every object of the kind, and several objects at once. */
export function actionsFor(kind: Kind, object?: AnyObject): readonly Action[] {
  const resource = resourceName(kind)
  const spec = (object?.spec ?? {}) as { readonly suspend?: boolean; readonly paused?: boolean }
  const isOne = object !== undefined
  const can = (verb: string): boolean => kind.verbs.includes(verb)
  const offered: readonly (readonly [isOffered: boolean, action: Action])[] = [
    [can('patch') && kind.subresources.includes('scale'), SCALE],
    [can('patch') && RESTARTED.has(resource), RESTART],
    [can('patch') && isOne && resource === 'deployments.apps', spec.paused === true ? RESUME_ROLLOUT : PAUSE],
    [can('patch') && isOne && SUSPENDED.has(resource), spec.suspend === true ? RESUME : SUSPEND],
    [isOne && resource === 'cronjobs.batch', TRIGGER],
    [can('patch'), LABEL],
    [isOne && can('create'), { id: 'duplicate', title: 'Duplicate', writes: false }],
    [isOne, { id: 'copy-name', title: 'Copy name', writes: false }],
    [isOne, { id: 'copy-yaml', title: 'Copy YAML', writes: false }],
    [isOne, { id: 'copy-command', title: 'Copy kubectl command', writes: false }],
    [isOne, { id: 'download', title: 'Download YAML', writes: false }],
    [can('delete'), DELETE],
  ]
  return offered.filter(([isOffered]) => isOffered).map(([, action]) => action)
}

const RESTARTED: ReadonlySet<string> = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps'])
const SUSPENDED: ReadonlySet<string> = new Set(['jobs.batch', 'cronjobs.batch'])

/** A merge patch that is refused if another object has taken the name. */
function merge({ kind, named }: Target, { metadata: { uid } }: AnyObject, spec: object): ActionRequest {
  return { method: 'PATCH', path: objectPath(kind, named), body: { metadata: { uid }, spec } }
}

/** The address of the part that an action reads and changes. */
export function readPath({ id }: WriteAction, { kind, named }: Target): string {
  return `${objectPath(kind, named)}${id === 'scale' ? '/scale' : ''}`
}

const SCALE: WriteAction = {
  id: 'scale',
  title: 'Scale',
  writes: true,
  input: {
    label: 'Replicas',
    hint: '3',
    type: 'number',
    check: (text) => (/^\d{1,9}$/.test(text.trim()) ? undefined : 'The replicas are a number, 0 or more.'),
  },
  request: (target, before, input) => ({
    ...merge(target, before, { replicas: Number(input) }),
    path: readPath(SCALE, target),
  }),
}

const RESTART: WriteAction = {
  id: 'restart',
  title: 'Restart',
  writes: true,
  request: (target, before, _input, now) => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': now.toISOString() }
    return merge(target, before, { template: { metadata: { annotations } } })
  },
}

function setting(id: WriteAction['id'], title: string, spec: object): WriteAction {
  return { id, title, writes: true, request: (target, before) => merge(target, before, spec) }
}

const PAUSE = setting('pause', 'Pause rollout', { paused: true })
const RESUME_ROLLOUT = setting('resume', 'Resume rollout', { paused: null })
const SUSPEND = setting('suspend', 'Suspend', { suspend: true })
const RESUME = setting('resume', 'Resume', { suspend: false })

/** Creates a job as `kubectl create job --from` does. */
const TRIGGER: WriteAction = {
  id: 'trigger',
  title: 'Run now',
  writes: true,
  request: ({ kind, named }, before, _input, now) => {
    const { jobTemplate = {} } = before.spec as { readonly jobTemplate?: { metadata?: object; spec?: object } }
    const { labels, annotations } = (jobTemplate.metadata ?? {}) as { labels?: object; annotations?: object }
    const owner = { apiVersion: before.apiVersion, kind: before.kind, name: named.name, uid: before.metadata.uid }
    const metadata = {
      name: `${named.name.slice(0, 40)}-manual-${Math.floor(now.getTime() / 1000).toString(36)}`,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ ...owner, controller: true }],
    }
    const body = { apiVersion: before.apiVersion, kind: 'Job', metadata, spec: jobTemplate.spec }
    return { method: 'POST', path: collectionPath({ ...kind, plural: 'jobs' }, named.namespace), body }
  },
}

const LABEL: WriteAction = {
  id: 'label',
  title: 'Label',
  writes: true,
  input: {
    label: 'Labels',
    hint: 'tier=web old-',
    type: 'text',
    check: (text) =>
      labelsIn(text) === undefined ? 'Write key=value to set a label and key- to remove it.' : undefined,
  },
  request: ({ kind, named }, { metadata: { uid } }, input) => ({
    method: 'PATCH',
    path: objectPath(kind, named),
    body: { metadata: { uid, labels: labelsIn(input) ?? {} } },
  }),
}

/** The changes in kubectl's form: `key=value` sets a label and `key-` removes it. Undefined: the text is something else. */
export function labelsIn(text: string): Readonly<Record<string, string | null>> | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  const changes = words.map((word) => /^([^=]+?)(?:=([^=]*)|-)$/.exec(word))
  if (words.length === 0 || changes.includes(null)) return undefined
  return Object.fromEntries(changes.map((change) => [change?.[1] ?? '', change?.[2] ?? null]))
}

const DELETE: WriteAction = {
  id: 'delete',
  title: 'Delete',
  writes: true,
  request: ({ kind, named }, { metadata: { uid } }) => ({
    method: 'DELETE',
    path: objectPath(kind, named),
    body: { preconditions: { uid } },
  }),
}

/** The command that shows the object, quoted for a shell. */
export function kubectlCommand({ kind, named: { namespace, name } }: Target): string {
  const place = namespace === '' ? '' : ` --namespace ${quoted(namespace)}`
  return `kubectl get ${resourceName(kind)} ${quoted(name)}${place} --output yaml`
}

function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
