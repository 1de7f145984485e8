// Whether the selectors of a webhook or a policy take in a request: by the labels of its namespace, by its own (W-485).
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { type LabelSelector, matchesLabels } from '../api/selector.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { AdmissionRequest } from './admission.ts'
import type { ObjectReader } from './object-reader.ts'
import { isAboutNamespaces } from './resource-rules.ts'

/** A namespace is in itself (W-490). */
export function namespaceOf(request: AdmissionRequest): string {
  return isAboutNamespaces(request.resource) ? request.name : request.namespace
}

/** What is in no namespace is always taken in. Throws `NotFound` where the namespace is not there. */
export async function namespaceMatches(
  selector: LabelSelector,
  request: AdmissionRequest,
  namespace: () => Promise<ApiObject>,
): Promise<boolean> {
  if (selector.requirements.length === 0) return true
  if (request.namespace === '' && !isAboutNamespaces(request.resource)) return true
  return matchesLabels(selector, await labelsOfNamespace(request, namespace))
}

async function labelsOfNamespace(request: AdmissionRequest, namespace: () => Promise<ApiObject>): Promise<ValueMap> {
  const { operation, resource, subresource, object } = request
  const isWritten = operation === 'CREATE' || operation === 'UPDATE'
  const own = isAboutNamespaces(resource) && subresource === '' && isWritten ? object : undefined
  return labelsOf(own ?? (await namespace()))
}

/** Reads the request's namespace once, however many ask for it. */
export function namespaceReader(
  request: AdmissionRequest,
  namespaces: ObjectReader,
  signal: AbortSignal,
): () => Promise<ApiObject> {
  let found: Promise<ApiObject> | undefined
  const read = async (): Promise<ApiObject> => {
    const name = namespaceOf(request)
    const known = await namespaces.find('', name, signal)
    const namespace = known ?? (await namespaces.findLatest('', name, signal))
    if (namespace !== undefined) return namespace
    throw new ApiError('NotFound', `namespaces ${JSON.stringify(name)} not found`, {
      details: { name, kind: 'namespaces' },
    })
  }
  return () => (found ??= read())
}

/** Either the object as it was or as it is to be. */
export function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.requirements.length === 0) return true
  return [object, oldObject].some(
    (each) => each !== undefined && hasLabels(each) && matchesLabels(selector, labelsOf(each)),
  )
}

/** Options and the like have no metadata, and so no labels that could be asked for. */
function hasLabels(object: ApiObject): boolean {
  return Object.hasOwn(object, 'metadata')
}
