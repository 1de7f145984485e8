// The same without a schema library: a JSON schema, written in place, gives the definition and the types.
import { defineResource, type InferResource } from 'quarterdeck/define'

export const Lighthouse = defineResource({
  group: 'example.com',
  kind: 'Lighthouse',
  scope: 'Cluster',
  versions: {
    v1: {
      description: 'A light at the coast.',
      spec: {
        type: 'object',
        required: ['height'],
        properties: {
          height: { type: 'integer', minimum: 1, description: 'In metres.' },
          colour: { type: 'string', enum: ['white', 'red', 'green'], default: 'white' },
          period: { 'x-kubernetes-int-or-string': true, description: 'Seconds, or a text such as 5s.' },
        },
        'x-kubernetes-validations': [{ rule: 'self.height < 200', message: 'nobody builds so high' }],
      },
      columns: [{ name: 'Colour', jsonPath: '.spec.colour' }],
    },
  },
})

/** `height` is a number, `colour` one of three texts, `period` a number or a text that may be absent. */
export function described({ metadata, spec }: InferResource<typeof Lighthouse>): string {
  return `${metadata.name} is ${spec.height} m high and shines ${spec.colour} every ${spec.period ?? 'now and then'}`
}

if (import.meta.main) {
  const pharos: InferResource<typeof Lighthouse> = {
    apiVersion: 'example.com/v1',
    kind: 'Lighthouse',
    metadata: { name: 'pharos' },
    spec: { height: 100, colour: 'white', period: '5s' },
  }
  console.log(described(pharos))
}
