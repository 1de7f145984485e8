// The serialized objects of the reference of level 1.36 in test/fixtures/golden, each in JSON, YAML and protobuf.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import type { KindSchema } from '../../src/schema/table.ts'

const FOLDER = path.join(import.meta.dirname, '../fixtures/golden')

/** Of the level of the fixtures. */
export const GOLDEN_SCHEMA = loadBuiltInSchema('1.36')

export interface Golden {
  /** `core.v1.Pod`. */
  readonly name: string
  /** Undefined for the versions that are not served at this level of the API. */
  readonly kind: KindSchema | undefined
  /** Laid out with two blanks a level. */
  readonly json: string
  readonly yaml: string
  readonly protobuf: Buffer
}

export function goldenFixtures(): readonly Golden[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const name = file.slice(0, -'.json'.length)
      const [group = '', version = '', kind = ''] = name.split('.')
      const read = (ending: string): Buffer => readFileSync(path.join(FOLDER, `${name}.${ending}`))
      return {
        name,
        kind: GOLDEN_SCHEMA.kind({ group: group === 'core' ? '' : group, version, kind }),
        json: read('json').toString(),
        yaml: read('yaml').toString(),
        protobuf: read('pb'),
      }
    })
}
