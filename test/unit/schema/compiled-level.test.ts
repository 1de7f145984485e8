// What the table holds at each level of the API.
import { describe, expect, it } from 'vitest'
import { API_LEVELS, type ApiLevel, byLevel, isAtLevel } from '../../../src/api/level.ts'
import { BUILT_IN, builtInAt } from '../../../src/schema/built-in-compiled.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'
import { compiledAt, fieldsOfSomeLevels } from '../../../src/schema/compiled-level.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { CompiledSchema } from '../../../src/schema/table-compiled.ts'

const CLAIM_STATUS = 'core_v1.NodeAllocatableResourceClaimStatus'

function fieldsOf(level: ApiLevel, type: string): readonly string[] {
  return [...(loadBuiltInSchema(level).shape(type)?.byName.keys() ?? [])]
}

function requiredOf(level: ApiLevel, type: string): readonly string[] {
  const fields = loadBuiltInSchema(level).shape(type)?.fields ?? []
  return fields.filter(({ required }) => required).map(({ name }) => name)
}

function pluralsOf(level: ApiLevel): readonly string[] {
  return builtInGroups(level).flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) => resources.map(({ plural }) => `${group}/${version}/${plural}`)),
  )
}

describe('a span of levels', () => {
  it.each<[string, object, readonly boolean[]]>([
    ['without bounds', {}, [true, true]],
    ['since the newer', { since: '1.37' }, [false, true]],
    ['until the older', { until: '1.36' }, [true, false]],
    ['since the older, until the newer', { since: '1.36', until: '1.37' }, [true, true]],
  ])('%s', (_, span, there) => {
    expect(API_LEVELS.map((level) => isAtLevel(level, span))).toEqual(there)
  })

  it('has one value for each level, made once', () => {
    const at = byLevel((level) => ({ level }))
    expect(at('1.36')).toBe(at('1.36'))
    expect(API_LEVELS.map((level) => at(level).level)).toEqual(API_LEVELS)
  })
})

describe('the table at a level', () => {
  it('has the resources of that level', () => {
    const [before, after] = [new Set(pluralsOf('1.36')), new Set(pluralsOf('1.37'))]
    expect([...before].filter((plural) => !after.has(plural))).toEqual([])
    expect([...after].filter((plural) => !before.has(plural))).toEqual([
      'certificates.k8s.io/v1/clustertrustbundles',
      'certificates.k8s.io/v1/podcertificaterequests',
      'resource.k8s.io/v1/devicetaintrules',
      'storagemigration.k8s.io/v1/storageversionmigrations',
    ])
  })

  it('has the fields of that level, in their order', () => {
    expect(fieldsOf('1.36', CLAIM_STATUS)).toEqual(['resourceClaimName', 'containers', 'resources'])
    expect(fieldsOf('1.37', CLAIM_STATUS)).toEqual(['resourceClaimName', 'containers', 'mapping', 'overhead'])
  })

  it('has fields as they are declared at that level', () => {
    expect(requiredOf('1.36', 'apps_v1.ControllerRevision')).toEqual(['revision'])
    expect(requiredOf('1.37', 'apps_v1.ControllerRevision')).toEqual(['data'])
    const claims = (level: ApiLevel) =>
      loadBuiltInSchema(level).shape('core_v1.PodStatus')?.byName.get('nodeAllocatableResourceClaimStatuses')?.shape
    expect(claims('1.36')).toMatchObject({ listType: 'atomic', keys: [] })
    expect(claims('1.37')).toMatchObject({ listType: 'map', keys: ['resourceClaimName'] })
  })

  it.each(API_LEVELS)('is whole at %s: every type that it names is there', (level) => {
    const { files } = builtInAt(level)
    const names = new Set(files.flatMap(({ stem, types }) => types.map(({ name }) => `${stem}.${name}`)))
    const missing = files.flatMap(({ stem, types }) =>
      types.flatMap(({ name, fields }) =>
        fields.flatMap(([field, , type]) => {
          const target = type.replace(/^(?:\[\]|\{\})/, '')
          return !target.includes('.') || names.has(target) ? [] : [`${stem}.${name}.${field}: ${target}`]
        }),
      ),
    )
    expect(missing).toEqual([])
  })

  it('is the very type where nothing depends on the level', () => {
    const affinity = (schema: CompiledSchema) =>
      schema.files.find(({ stem }) => stem === 'core_v1')?.types.find(({ name }) => name === 'Affinity')
    expect(affinity(compiledAt('1.36', BUILT_IN))).toBe(affinity(BUILT_IN))
  })

  it('has the subresources and the stored versions of that level', () => {
    const found = (level: ApiLevel, wanted: string) =>
      builtInGroups(level)
        .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
        .find(({ plural }) => plural === wanted)
    expect(found('1.36', 'csinodes')?.subresources).toEqual([])
    expect(found('1.37', 'csinodes')?.subresources.map(({ name }) => name)).toEqual(['status'])
    // The hashes are the reference's.
    expect(found('1.36', 'mutatingadmissionpolicies')?.storageVersionHash).toBe('LYmCf+UMVdg=')
    expect(found('1.37', 'mutatingadmissionpolicies')?.storageVersionHash).toBe('mHCkTKpUTrE=')
    expect(found('1.37', 'clustertrustbundles')?.storageVersionHash).toBe('v5yhuVertL4=')
  })

  it('knows which fields not every level has', () => {
    const fields = fieldsOfSomeLevels(BUILT_IN)
    expect(fields).toContain('core_v1.PodSpec.evictionResponders')
    expect(fields).toContain(`${CLAIM_STATUS}.resources`)
    expect(fields).not.toContain('core_v1.PodSpec.containers')
  })
})
