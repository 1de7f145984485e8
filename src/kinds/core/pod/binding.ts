// Binding a pod to a node: `pods/<name>/binding`, and `bindings` for older clients (W-521 to W-525).
import type { Binding, Pod } from '../../../api/gen/kinds.ts'
import { faultsOf } from '../../../api/fault-list.ts'
import type { FieldError } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { withMeta } from '../../../api/object-members.ts'
import { ApiError } from '../../../api/status.ts'
import type { MapOf } from '../../../api/value.ts'
import { conflictError, notFoundError } from '../../../registry/errors.ts'
import { isTerminating } from '../../../registry/object-meta.ts'
import type { Action, ActionAnswer, ActionContext } from '../../../registry/registry.ts'
import { servedResource } from '../../../registry/served-resource.ts'
import { checkUid, keyOf, readableAs, storeFor } from '../../../registry/steps.ts'
import type { SchemaTable } from '../../../schema/table.ts'
import { Check } from '../../../schema/validation/check.ts'
import { FAULT_FORMS, type FaultForm } from '../../../schema/validation/validation.ts'
import { dns1123Subdomain } from '../../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../../kind.ts'
import { actionBody, typedAction } from '../../shared/action-body.ts'
import { withPodCondition } from '../../shared/pod-conditions.ts'
import { withoutRetired } from '../../shared/pod-spec/defaults.ts'
import { question } from '../../shared/question.ts'

const KIND = { group: '', version: 'v1', kind: 'Binding' } as const
const TARGET = FieldPath.root<Binding['target']>('target')

export const BINDING: Kind = typedKind<Binding>({
  validation: question(checkTarget),
})

function checkTarget({ target: { kind = '', name = '' } }: Binding, check: Check): void {
  if (kind !== '' && kind !== 'Node') check.notSupported(TARGET.child('kind'), kind, ['Node', '<empty>'])
  if (name === '') check.required(TARGET.child('name'))
  else if (check.form.namesNodes && (kind === '' || kind === 'Node')) {
    check.format(TARGET.child('name'), name, dns1123Subdomain(name))
  }
}

export function bindingActions(schemas: SchemaTable): readonly Action[] {
  const body = actionBody(schemas, KIND, BINDING)
  const at = { group: '', version: 'v1', namespaced: true } as const
  const bind = binderWith(FAULT_FORMS[schemas.level])
  return [
    typedAction({ at: { ...at, resource: 'pods', subresource: 'binding' }, body, alsoVersions: [], run: bind }),
    typedAction<Binding>({
      at: { ...at, resource: 'bindings', subresource: '' },
      body,
      alsoVersions: [],
      run: (binding, context) => {
        const { name = '' } = binding.metadata
        if (name === '') throw new ApiError('BadRequest', 'Name parameter required.')
        return bind(binding, { ...context, name })
      },
    }),
  ]
}

function binderWith(form: FaultForm): (binding: Binding, context: ActionContext) => Promise<ActionAnswer> {
  return async (binding, context) => {
    checkBinding(binding, context.name, form)
    await context.validate(binding)
    await place(binding, context)
    return { kind: 'done' }
  }
}

function checkBinding(binding: Binding, name: string, form: FaultForm): void {
  if ((binding.metadata.name ?? '') !== name) {
    throw new ApiError('BadRequest', 'name in URL does not match name in Binding object')
  }
  const faults = faultsOf((list) => checkTarget(binding, new Check({ gates: new Set(), namespaced: true, form }, list)))
  if (faults.length > 0) throw new ApiError('BadRequest', aggregate(faults))
}

async function place(binding: Binding, context: ActionContext): Promise<void> {
  const pods = servedResource(context.resources, 'pods')
  await storeFor(context.parts, context).write(
    keyOf(pods, context.namespace, context.name),
    (current) => {
      if (current === undefined) throw notFoundError(pods, context.name)
      const pod = readableAs(current, 'core_v1.Pod')
      checkUid(pods, context.name, binding.metadata.uid ?? '', pod.metadata.uid ?? '')
      checkVersion(binding, pod)
      return { kind: 'put', object: bound(pod, binding, context.now) }
    },
    context.signal,
  )
}

function aggregate(faults: readonly FieldError[]): string {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`)
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
}

function checkVersion({ metadata: { resourceVersion: sent = '' } }: Binding, pod: Pod): void {
  const { name = '', resourceVersion: stored } = pod.metadata
  if (sent === '' || sent === stored) return
  throw conflictError(
    { group: '', resource: 'pods' },
    name,
    `Precondition failed: ResourceVersion in precondition: ${sent}, ResourceVersion in object meta: ${stored ?? ''}`,
  )
}

/** The pod on its node, with the metadata of the binding. */
function bound(pod: Pod, { metadata, target }: Binding, now: string): Pod {
  const { name = '' } = pod.metadata
  const refuse = (why: string): ApiError => conflictError({ group: '', resource: 'pods/binding' }, name, why)
  if (isTerminating(pod)) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  const { nodeName: node, schedulingGates = [] } = pod.spec
  if (node !== undefined) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(node)}`)
  if (schedulingGates.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`)
  const { nominatedNodeName: _, ...status } = pod.status
  const placed = withMeta(
    { ...pod, spec: { ...pod.spec, nodeName: target.name ?? '' }, status },
    {
      annotations: withoutRetired(joined(pod.metadata.annotations, metadata.annotations)),
      labels: joined(pod.metadata.labels, metadata.labels),
    },
  )
  return withPodCondition(placed, { type: 'PodScheduled', status: 'True' }, now)
}

function joined(before: MapOf<string> | undefined, more: MapOf<string> | undefined): MapOf<string> | undefined {
  return more === undefined ? before : { ...before, ...more }
}
