// `kubectl explain` reads the document of version 3 of a kind's group, and shows the description of each field.
import { describe, expect, it } from 'vitest'
import { API_LEVELS } from '../../../src/api/level.ts'
import { openWorld } from '../../rigs/api-world.ts'

interface Schema {
  readonly description?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The fields without a description, as `PodSpec.containers`. A bare reference is described by the type that it leads to. */
function undescribed(schemas: Readonly<Record<string, Schema>>): readonly string[] {
  const textOf = ({ description, $ref }: Schema): string =>
    description ?? schemas[$ref?.split('/').at(-1) ?? '']?.description ?? ''
  return Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, schema]) => (textOf(schema) === '' ? [`${name}.${field}`] : [])),
  )
}

describe.each(API_LEVELS)('at level %s', (level) => {
  it('every field of every kind that is served has a description', async () => {
    const everything = ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true']
    const world = await openWorld({ flags: [`--emulated-version=${level}`, ...everything] })
    const { body } = await world.send({ method: 'GET', path: '/openapi/v3' })
    const paths = Object.values(body['paths'] as Readonly<Record<string, { serverRelativeURL: string }>>)
    expect(paths.length).toBeGreaterThan(30)
    const lacking = new Set<string>()
    let fields = 0
    for (const { serverRelativeURL: path } of paths) {
      const document = (await world.send({ method: 'GET', path })).body
      const { schemas = {} } = (document['components'] ?? {}) as { schemas?: Readonly<Record<string, Schema>> }
      for (const { properties = {} } of Object.values(schemas)) fields += Object.keys(properties).length
      for (const field of undescribed(schemas)) lacking.add(field)
    }
    expect(fields).toBeGreaterThan(2_000)
    expect([...lacking]).toEqual([])
  })
})
