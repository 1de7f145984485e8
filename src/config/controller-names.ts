// The controllers by name. `--controllers` has the form that it has in kube-controller-manager, whose names are accepted too.
import { suggestion } from '../lib/closest-word.ts'
import { usageError } from './start-error.ts'

/** The controllers of a cluster in this process. They run with `--nodes`. */
export const CLUSTER_CONTROLLER_NAMES = [
  'cronjob',
  'daemonset',
  'deployment',
  'disruption',
  'endpoints',
  'endpointslice',
  'job',
  'persistentvolume-binder',
  'pod-garbage-collector',
  'replicaset',
  'replicationcontroller',
  'scheduler',
  'simulated-nodes',
  'statefulset',
  'ttl-after-finished',
] as const

export const CONTROLLER_NAMES = [
  ...CLUSTER_CONTROLLER_NAMES,
  'definition-migration',
  'flow-control-objects',
  'garbage-collector',
  'kubernetes-service',
  'namespace',
  'object-expiry',
  'resource-quotas',
  'root-ca-certificate-publisher',
  'service-addresses',
  'serviceaccount',
  'storage-version-migrator',
  'system-namespaces',
  'system-priority-classes',
] as const

export type ControllerName = (typeof CONTROLLER_NAMES)[number]

/** The controllers that kube-controller-manager has too. Disable them if that program runs too. */
export const ALSO_ELSEWHERE = [
  'garbage-collector',
  'namespace',
  'serviceaccount',
  'root-ca-certificate-publisher',
  'resource-quotas',
  'storage-version-migrator',
] as const satisfies readonly ControllerName[]

/** The values of `--controllers`. */
export const CONTROLLER_WORDS: readonly string[] = ['*', ...CONTROLLER_NAMES.flatMap((name) => [name, `-${name}`])]

const NEXT_TO_OTHERS = ALSO_ELSEWHERE.map((name) => `-${name}`).join(', ')

export const CONTROLLERS_HELP = `Controllers to run: * for all, NAME to enable, -NAME to disable, of ${CONTROLLER_NAMES.join(', ')}. Next to a kube-controller-manager, disable ${NEXT_TO_OTHERS}.`

/** Names of kube-controller-manager that differ from ours by more than a final `-controller`. */
const ALIASES: Readonly<Record<string, ControllerName>> = {
  garbagecollector: 'garbage-collector',
  resourcequota: 'resource-quotas',
  'resourcequota-controller': 'resource-quotas',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher',
}

/**
 * The controllers that are switched off. `*` switches all on, a name switches one on, `-name` switches one off and wins. Throws a
 * `StartError`.
 */
export function switchedOff(list: readonly string[]): ReadonlySet<ControllerName> {
  const isAll = list.includes('*')
  const named = list.filter((text) => text !== '*' && !text.startsWith('-')).map(nameOf)
  const unwanted = new Set(list.filter((text) => text.startsWith('-')).map((text) => nameOf(text.slice(1))))
  return new Set(CONTROLLER_NAMES.filter((name) => unwanted.has(name) || !(isAll || named.includes(name))))
}

function nameOf(text: string): ControllerName {
  const name = Object.hasOwn(ALIASES, text) ? ALIASES[text]! : text.replace(/-controller$/, '')
  const found = CONTROLLER_NAMES.find((known) => known === name)
  if (found !== undefined) return found
  const meant = suggestion(name, CONTROLLER_NAMES)
  throw usageError(`--controllers: unknown controller "${text}"${meant}; there are ${CONTROLLER_NAMES.join(', ')}`)
}
