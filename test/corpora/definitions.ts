// Definitions of custom resources, as tests make many of them.

export interface SampleDefinition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly names: { readonly plural: string; readonly kind: string } } & Readonly<
    Record<string, unknown>
  >
}

/** Cluster-wide, one version, with a specification of any content. */
export function definitionOf(group: string, kind: string, fields: object = {}): SampleDefinition {
  const plural = `${kind.toLowerCase()}s`
  const spec = { type: 'object', properties: fields, 'x-kubernetes-preserve-unknown-fields': true }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}
