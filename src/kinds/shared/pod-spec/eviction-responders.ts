// The group that a pod is scheduled with, and the responders that are asked before it is evicted. A pod cannot have both.
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { EvictionResponder, PodSpec } from '../../../api/gen/kinds.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'

const MAX_RESPONDERS = 10
const MAX_PRIORITY = 100_000
/** Lower priorities are for responders of Kubernetes itself. */
const MIN_PRIORITY = 1000
const RESERVED = ['k8s.io', 'kubernetes.io'] as const

export function checkGroupAndResponders(spec: PodSpec, at: FieldPath<PodSpec>, check: Check): void {
  const { evictionResponders: responders = [], schedulingGroup: group } = spec
  if (group !== undefined) {
    const place = at.child('schedulingGroup')
    const { podGroupName: name } = group
    if (name !== undefined) check.format(place.child('podGroupName'), name, dns1123Subdomain(name))
    else check.invalid(place.child('podGroupName'), undefined, 'must specify one of: `podGroupName`')
    if (responders.length > 0) check.forbidden(place, 'may not be set when evictionResponders is set')
  }
  if (responders.length > 0) checkResponders(spec, responders, at, check)
}

function checkResponders(
  spec: PodSpec,
  responders: readonly EvictionResponder[],
  at: FieldPath<PodSpec>,
  check: Check,
): void {
  const list = at.child('evictionResponders')
  if (responders.length > MAX_RESPONDERS) return check.tooMany(list, responders.length, MAX_RESPONDERS)
  const names = new Set<string>()
  for (const [i, responder] of responders.entries()) {
    if (names.has(responder.name)) check.duplicate(list.index(i), shownJson(responder))
    names.add(responder.name)
  }
  check.each(spec, 'evictionResponders', at, checkResponder)
}

function checkResponder(responder: EvictionResponder, at: FieldPath<EvictionResponder>, check: Check): void {
  const { name, priority } = responder
  check.fields(responder, at, 'core_v1.EvictionResponder')
  if (name !== '') checkName(name, at.child('name'), check)
  if (priority === null || priority === undefined) return
  const place = at.child('priority')
  if (priority < 0) check.invalid(place, priority, 'must be greater than or equal to 0')
  else if (priority < MIN_PRIORITY) {
    check.invalid(place, priority, 'priorities 0-999 are reserved for responders with *.k8s.io suffix')
  } else if (priority > MAX_PRIORITY) check.invalid(place, priority, `must be less than or equal to ${MAX_PRIORITY}`)
}

/** The name of a label with a domain, which may not be a domain of Kubernetes. */
function checkName(name: string, at: FieldPath, check: Check): void {
  const [prefix = '', ...rest] = name.split('/')
  const domain = `.${prefix.trim().toLowerCase().replace(/\.+$/, '')}`
  if (RESERVED.some((reserved) => domain.endsWith(`.${reserved}`))) {
    check.invalid(at, name, 'domain names *.k8s.io, *.kubernetes.io are reserved')
  }
  const faults = qualifiedName(name)
  check.format(at, name, faults)
  if (faults.length === 0 && rest.length === 0) {
    check.invalid(at, name, "must include a prefix (e.g. 'example.com/key')")
  }
}
