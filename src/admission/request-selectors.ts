// Whether the namespace and object selectors of a webhook or policy match a request (W-485).
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { labelSelectorOf } from '../api/selector-text.ts'
import { EVERY_LABEL, type LabelSelector, matchesLabels } from '../api/selector.ts'
import { own, type ValueMap } from '../api/value.ts'
import type { AdmissionRequest } from './admission.ts'
import { findAnywhere, type ObjectReader } from './object-reader.ts'
import { namespaceNotFound } from './refusal.ts'
import { isAboutNamespaces } from './resource-rules.ts'

/** A selector in a configuration. An absent selector selects everything. */
export function selectorIn(part: ValueMap, name: string): LabelSelector {
  const selector = own(part, name)
  return (selector === undefined ? undefined : labelSelectorOf(selector)) ?? EVERY_LABEL
}

/** The namespace of a request. For a request about a namespace, it is that namespace itself (W-490). */
export function namespaceOf(request: AdmissionRequest): string {
  return isAboutNamespaces(request.resource) ? request.name : request.namespace
}

/** Cluster-scoped objects always match. Throws `NotFound` if the namespace does not exist. */
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
  const written = isAboutNamespaces(resource) && subresource === '' && isWritten ? object : undefined
  return labelsOf(written ?? (await namespace()))
}

/** Reads the namespace of the request once. */
export function namespaceReader(
  request: AdmissionRequest,
  namespaces: ObjectReader,
  signal: AbortSignal,
): () => Promise<ApiObject> {
  let found: Promise<ApiObject> | undefined
  const read = async (): Promise<ApiObject> => {
    const name = namespaceOf(request)
    const namespace = await findAnywhere(namespaces, ['', name], signal)
    if (namespace === undefined) throw namespaceNotFound(name)
    return namespace
  }
  return () => (found ??= read())
}

/** Whether the selector matches the old or the new object. */
export function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.requirements.length === 0) return true
  // Connect options have no metadata, and so no labels.
  return [object, oldObject].some(
    (each) => each !== undefined && Object.hasOwn(each, 'metadata') && matchesLabels(selector, labelsOf(each)),
  )
}
