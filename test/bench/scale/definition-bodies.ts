// Custom resource definitions as projects publish them: most have a schema of some tens of kilobytes, a few repeat a whole pod template and
// have hundreds. Of descriptions, patterns, enumerations and lists, nested a few levels deep.
import { digits } from './seed.ts'

const KILOBYTE = 1_000
/** Of twenty definitions in a row. */
const SIZES_KB = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 35, 40, 50, 60, 80, 100, 150, 300, 800] as const
/** In one API group. */
const KINDS_A_GROUP = 10

const SENTENCE = 'More than one of these may be given, in which case the most specific one that applies is taken. '

export interface DefinitionNames {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

export function namesOf(index: number): DefinitionNames {
  return {
    group: `group-${digits(Math.floor(index / KINDS_A_GROUP), 4)}.scale.example.com`,
    plural: `things${digits(index, 5)}`,
    kind: `Thing${digits(index, 5)}`,
  }
}

/** As JSON. */
export function definitionBody(index: number): string {
  const { group, plural, kind } = namesOf(index)
  return JSON.stringify({
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
          schema: { openAPIV3Schema: schemaOf(SIZES_KB[index % SIZES_KB.length]! * KILOBYTE) },
        },
      ],
    },
  })
}

function schemaOf(bytes: number): object {
  const status = { type: 'object', properties: { phase: { type: 'string' } } }
  const properties: Record<string, object> = {}
  let size = 0
  for (let part = 0; size < bytes; part++) {
    const made = partOf(part)
    properties[`part${digits(part, 4)}`] = made
    size += JSON.stringify(made).length
  }
  return { type: 'object', properties: { spec: { type: 'object', properties }, status } }
}

/** About four kilobytes. */
function partOf(part: number): object {
  const fields = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`field${i}`, fieldOf(part + i)]))
  return {
    description: SENTENCE.repeat(2),
    type: 'object',
    required: ['field0'],
    properties: { ...fields, nested: { type: 'object', properties: fields } },
  }
}

function fieldOf(turn: number): object {
  const description = SENTENCE
  switch (turn % 5) {
    case 0:
      return { description, type: 'string', maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }
    case 1:
      return { description, type: 'integer', format: 'int32', minimum: 0, maximum: 65_535 }
    case 2:
      return { description, type: 'string', enum: ['Always', 'Never', 'IfNotPresent'] }
    case 3:
      return { description, type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' }
    default:
      return { description, type: 'object', additionalProperties: { type: 'string' } }
  }
}
