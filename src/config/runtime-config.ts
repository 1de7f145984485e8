// `--runtime-config` selects the served built-in resources (P-470).
import type { ApiLevel } from '../api/level.ts'
import { formatGroupVersion, type GroupVersionResource } from '../api/object.ts'
import {
  allBuiltInGroups,
  type BuiltInGroup,
  type BuiltInResource,
  type BuiltInVersion,
  groupsWith,
} from '../schema/built-in-resources.ts'
import { knownVersionsOf } from '../schema/known-versions.ts'
import type { FeatureGates } from './feature-gates.ts'
import { parseBoolean } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export interface ServedVersions {
  readonly isServed: (resource: GroupVersionResource) => boolean
  /** The built-in groups with their served resources. */
  readonly groups: readonly BuiltInGroup[]
  /** The built-in groups with their served resources and all resources that are on by default. The server itself uses these groups. */
  readonly known: readonly BuiltInGroup[]
  /** Messages for the operator. */
  readonly notices: readonly string[]
}

/** Keys for all versions of a stage. Later keys are more specific. */
const STAGES: Readonly<Record<string, RegExp>> = {
  'api/all': /^/,
  'api/ga': /^v\d+$/,
  'api/beta': /^v\d+beta\d+$/,
  'api/alpha': /^v\d+alpha\d+$/,
}

interface ServingOptions {
  /** Undefined: the defaults of the level. */
  readonly setting: Setting | undefined
  readonly level: ApiLevel
  readonly gates: FeatureGates
}

/** Throws a `StartError` of one line for an unknown version. */
export function servedVersions({ setting, level, gates }: ServingOptions): ServedVersions {
  const { text, source } = setting ?? { text: '', source: '' }
  const wanted = new Map(text.split(',').flatMap((part) => (part.trim() === '' ? [] : [readPart(part.trim(), source)])))
  if (wanted.size === 1 && wanted.get('api/all') === false) {
    throw usageError(`${source}: api/all=false alone leaves nothing to serve`)
  }
  const all = allBuiltInGroups(level)
  const isAsked = (resource: BuiltInResource, { offByDefault }: BuiltInVersion): boolean => {
    const version = formatGroupVersion(resource)
    const byStage = Object.entries(STAGES).findLast(([key, stage]) => wanted.has(key) && stage.test(resource.version))
    const stage = byStage === undefined ? undefined : wanted.get(byStage[0])
    return wanted.get(`${version}/${resource.plural}`) ?? wanted.get(version) ?? stage ?? offByDefault !== true
  }
  const hasGates = (resource: BuiltInResource): boolean => resource.gates?.every((gate) => gates[gate] === true) ?? true
  const groups = groupsWith(all, (resource, version) => isAsked(resource, version) && hasGates(resource))
  const served = new Set(groups.flatMap(placesIn))
  const isServed = ({ group, version, resource }: GroupVersionResource): boolean =>
    served.has(placeOf({ group, version, plural: resource }))
  const unserved = [...wanted].flatMap(([key, isOn]) => {
    if (Object.hasOwn(STAGES, key)) return []
    const version = checkedVersion(all, { key, source, level })
    return isOn && !groups.some((group) => placesIn(group).some((place) => place.startsWith(`${version}/`)))
      ? [version]
      : []
  })
  return {
    isServed,
    groups,
    known: groupsWith(all, (row, version) => version.offByDefault !== true || served.has(placeOf(row))),
    notices: unserved.map(
      (version) => `${source}: nothing of ${version} is served at level ${level} with these feature gates`,
    ),
  }
}

function placesIn({ versions }: BuiltInGroup): readonly string[] {
  return versions.flatMap(({ resources }) => resources.map(placeOf))
}

function placeOf({ group, version, plural }: Pick<BuiltInResource, 'group' | 'version' | 'plural'>): string {
  return `${formatGroupVersion({ group, version })}/${plural}`
}

/** Reads `apps/v1=false`. A key without a value is enabled. The key of the core group is `v1`. */
function readPart(part: string, source: string): readonly [key: string, isOn: boolean] {
  const [name = '', value = 'true', ...more] = part.split('=').map((text) => text.trim())
  const isOn = value === '' || parseBoolean(value)
  if (isOn === undefined || more.length > 0) throw usageError(`${source}: "${part}" is not KEY=true or KEY=false`)
  return [Object.hasOwn(STAGES, name) ? name : name.replace(/^(?:api\/|\/)?(?=v\d)/, ''), isOn]
}

interface Key {
  readonly key: string
  readonly source: string
  readonly level: ApiLevel
}

/** The group version of a key. A version that the reference knows and does not serve at this level is not a fault, as in the reference. */
function checkedVersion(groups: readonly BuiltInGroup[], { key, source, level }: Key): string {
  const parts = /^v\d/.test(key) ? ['', ...key.split('/')] : key.split('/')
  const [group = '', version, resource, ...more] = parts
  if (version === undefined || more.length > 0) {
    throw usageError(`${source}: "${key}" is neither a version nor a resource like apps/v1 or apps/v1/deployments`)
  }
  const gv = formatGroupVersion({ group, version })
  const versions = groups.find((one) => one.group === group)?.versions ?? []
  const names = [...versions.map((one) => one.version), ...knownVersionsOf(group, level)]
  if (names.length === 0) throw usageError(`${source}: unknown group "${group}"`)
  if (!names.includes(version)) throw usageError(`${source}: unknown version ${gv}`)
  const found = versions.find((one) => one.version === version)
  if (resource !== undefined && found?.resources.every(({ plural }) => plural !== resource) === true) {
    throw usageError(`${source}: unknown resource "${resource}" in ${gv}`)
  }
  return gv
}
