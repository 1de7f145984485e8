// Binding a pod to a node: `pods/<name>/binding`, and `bindings` for older clients (W-521 to W-525).
import { faultsOf } from '../../../api/fault-list.ts'
import type { FieldError } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { asMap, listOrEmpty, mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import { metaOf, metaText, specOf, statusOf, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status.ts'
import { isMap, own, type Value, type ValueMap } from '../../../api/value.ts'
import { conflictError, notFoundError } from '../../../registry/errors.ts'
import { isTerminating } from '../../../registry/object-meta.ts'
import type { Action, ActionAnswer, ActionContext } from '../../../registry/registry.ts'
import { servedResource } from '../../../registry/served-resource.ts'
import { checkUid, keyOf, readable, storeFor } from '../../../registry/steps.ts'
import type { SchemaTable } from '../../../schema/table.ts'
import { Check } from '../../../schema/validation/check.ts'
import type { Kind } from '../../kind.ts'
import { actionBody } from '../../shared/action-body.ts'
import { withPodCondition } from '../../shared/pod-conditions.ts'
import { question } from '../../shared/question.ts'

const KIND = { group: '', version: 'v1', kind: 'Binding' } as const
const TARGET = FieldPath.root('target')

export const BINDING: Kind = {
  validation: question(checkTarget),
}

function checkTarget(binding: ValueMap, check: Check): void {
  const target = mapOrEmpty(binding, 'target')
  const kind = textOrEmpty(target, 'kind')
  if (kind !== '' && kind !== 'Node') check.notSupported(TARGET.child('kind'), kind, ['Node', '<empty>'])
  if (textOrEmpty(target, 'name') === '') check.required(TARGET.child('name'))
}

export function bindingActions(schemas: SchemaTable): readonly Action[] {
  const body = actionBody(schemas, KIND, BINDING)
  const at = { group: '', version: 'v1', namespaced: true } as const
  return [
    { at: { ...at, resource: 'pods', subresource: 'binding' }, body, alsoVersions: [], run: bind },
    {
      at: { ...at, resource: 'bindings', subresource: '' },
      body,
      alsoVersions: [],
      run: (binding, context) => {
        const name = metaText(binding, 'name')
        if (name === '') throw new ApiError('BadRequest', 'Name parameter required.')
        return bind(binding, { ...context, name })
      },
    },
  ]
}

async function bind(binding: ApiObject, context: ActionContext): Promise<ActionAnswer> {
  if (metaText(binding, 'name') !== context.name) {
    throw new ApiError('BadRequest', 'name in URL does not match name in Binding object')
  }
  const faults = faultsOf((list) => checkTarget(binding, new Check({ gates: new Set(), namespaced: true }, list)))
  if (faults.length > 0) throw new ApiError('BadRequest', aggregate(faults))
  await context.validate(binding)
  const pods = servedResource(context.resources, 'pods')
  await storeFor(context.parts, context).write(
    keyOf(pods, context.namespace, context.name),
    (current) => {
      if (current === undefined) throw notFoundError(pods, context.name)
      const pod = readable(current).object()
      checkUid(pods, context.name, metaText(binding, 'uid'), metaText(pod, 'uid'))
      checkVersion(binding, pod)
      return { kind: 'put', object: bound(pod, binding, context.now) }
    },
    context.signal,
  )
  return { kind: 'done' }
}

function aggregate(faults: readonly FieldError[]): string {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`)
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
}

function checkVersion(binding: ApiObject, pod: ApiObject): void {
  const [sent, stored] = [metaText(binding, 'resourceVersion'), metaText(pod, 'resourceVersion')]
  if (sent === '' || sent === stored) return
  throw conflictError(
    { group: '', resource: 'pods' },
    metaText(pod, 'name'),
    `Precondition failed: ResourceVersion in precondition: ${sent}, ResourceVersion in object meta: ${stored}`,
  )
}

/** The pod on its node, with what the binding says of it. */
function bound(pod: ApiObject, binding: ApiObject, now: string): ApiObject {
  const name = metaText(pod, 'name')
  const refuse = (why: string): ApiError => conflictError({ group: '', resource: 'pods/binding' }, name, why)
  if (isTerminating(pod)) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  const spec = specOf(pod)
  const node = textOrEmpty(spec, 'nodeName')
  if (node !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(node)}`)
  if (listOrEmpty(spec, 'schedulingGates').length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`)
  const { nominatedNodeName: _, ...status } = statusOf(pod)
  const placed = withMeta(
    { ...pod, spec: { ...spec, nodeName: textOrEmpty(mapOrEmpty(binding, 'target'), 'name') }, status },
    {
      annotations: joined(pod, binding, 'annotations'),
      labels: joined(pod, binding, 'labels'),
    },
  )
  return withPodCondition(placed, { type: 'PodScheduled', status: 'True' }, now)
}

function joined(pod: ApiObject, binding: ApiObject, member: 'annotations' | 'labels'): Value | undefined {
  const [before, more] = [own(metaOf(pod), member), own(metaOf(binding), member)]
  if (!isMap(more)) return before
  return { ...asMap(before), ...more }
}
