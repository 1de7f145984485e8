// Descriptions of the members that nearly every object has, in the style of `kubectl explain`.
import type { ValueMap } from '../api/value.ts'

export const OBJECT_META_TEXT = "Standard object's metadata. It has the names, labels, versions and owners."
export const LIST_META_TEXT = 'Standard list metadata. It has the version of the list, and the start of its next page.'

const VERSION_TEXT = 'defines the group and version of the schema that this object follows.'
const KIND_TEXT = 'is the name of the type of this object, in CamelCase. It cannot be changed.'

/** The members of an object in requests and answers. */
export const TYPE_META: ValueMap = Object.freeze({
  apiVersion: { description: `APIVersion ${VERSION_TEXT}`, type: 'string' },
  kind: { description: `Kind ${KIND_TEXT}`, type: 'string' },
})

/** The members of an object within an object. */
export const EMBEDDED_TYPE_META: ValueMap = Object.freeze({
  apiVersion: { description: `apiVersion ${VERSION_TEXT}`, type: 'string' },
  kind: { description: `kind ${KIND_TEXT}`, type: 'string' },
})

/** Descriptions of members that nearly every object has, for members without a description. */
export const USUAL_TEXTS: Readonly<Record<string, string>> = {
  apiVersion: `APIVersion ${VERSION_TEXT}`,
  kind: `Kind ${KIND_TEXT}`,
  metadata: OBJECT_META_TEXT,
  spec: 'The desired state.',
  status: 'The observed state.',
  items: 'The objects of the list.',
  conditions: 'Statements about the object that are true, false or unknown.',
  observedGeneration: 'The newest generation that was observed.',
  lastTransitionTime: 'The time of the last change from one state to another.',
  reason: 'The reason, in one word.',
  message: 'The reason, in a text for people.',
  replicas: 'The number of replicas: wanted in a spec, observed in a status.',
  selector: 'The labels of the objects that belong to this object.',
  template: 'The template for new objects.',
}
