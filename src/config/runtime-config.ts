// `--runtime-config` selects the served built-in resources (P-470).
import type { ApiLevel } from '../api/level.ts'
import { formatGroupVersion, type GroupVersionResource } from '../api/object.ts'
import { type BuiltInGroup, builtInGroups } from '../schema/built-in-resources.ts'
import { parseBoolean } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export interface ServedVersions {
  readonly isServed: (resource: GroupVersionResource) => boolean
  /** The built-in groups with their served resources. */
  readonly groups: readonly BuiltInGroup[]
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

/** Versions that the reference does not serve by default, and that this server does not have. */
const ABSENT: ReadonlySet<string> = new Set(
  `admissionregistration.k8s.io/v1beta1 admissionregistration.k8s.io/v1alpha1 authentication.k8s.io/v1beta1
   authentication.k8s.io/v1alpha1 certificates.k8s.io/v1beta1 certificates.k8s.io/v1alpha1 coordination.k8s.io/v1beta1
   coordination.k8s.io/v1alpha2 flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2
   flowcontrol.apiserver.k8s.io/v1beta3 internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1beta1
   resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 resource.k8s.io/v1alpha3 scheduling.k8s.io/v1alpha2
   storage.k8s.io/v1beta1 storage.k8s.io/v1alpha1 storagemigration.k8s.io/v1beta1`.split(/\s+/),
)

/** Throws a `StartError` of one line for an unknown or absent version. */
export function servedVersions({ text, source }: Setting, level?: ApiLevel): ServedVersions {
  const wanted = new Map(text.split(',').flatMap((part) => (part.trim() === '' ? [] : [readPart(part.trim(), source)])))
  const groups = builtInGroups(level)
  for (const [key, isOn] of wanted) if (!Object.hasOwn(STAGES, key)) checkKey(groups, { key, isOn, source })
  const isServed = (resource: GroupVersionResource): boolean => {
    const version = formatGroupVersion(resource)
    const byStage = Object.entries(STAGES).findLast(([key, stage]) => wanted.has(key) && stage.test(resource.version))
    const stage = byStage === undefined ? undefined : wanted.get(byStage[0])
    return wanted.get(`${version}/${resource.resource}`) ?? wanted.get(version) ?? stage ?? true
  }
  const isMissed = ['api/beta', 'api/alpha'].some((key) => wanted.get(key) === true)
  const notices = isMissed ? [`${source}: no beta or alpha versions of built-in resources are supported`] : []
  return { isServed, groups: left(groups, isServed), notices }
}

/** `apps/v1=false`; without a value it is enabled. The core group is `v1`. */
function readPart(part: string, source: string): readonly [key: string, isOn: boolean] {
  const [name = '', value = 'true', ...more] = part.split('=').map((text) => text.trim())
  const isOn = value === '' || parseBoolean(value)
  if (isOn === undefined || more.length > 0) throw usageError(`${source}: "${part}" is not KEY=true or KEY=false`)
  return [Object.hasOwn(STAGES, name) ? name : name.replace(/^(?:api\/|\/)?(?=v\d)/, ''), isOn]
}

interface Key {
  readonly key: string
  readonly isOn: boolean
  readonly source: string
}

function checkKey(groups: readonly BuiltInGroup[], { key, isOn, source }: Key): void {
  const parts = /^v\d/.test(key) ? ['', ...key.split('/')] : key.split('/')
  const [groupName, versionName, resource, ...more] = parts
  if (versionName === undefined || more.length > 0) {
    throw usageError(`${source}: "${key}" is neither a version nor a resource like apps/v1 or apps/v1/deployments`)
  }
  const gv = formatGroupVersion({ group: groupName ?? '', version: versionName })
  if (ABSENT.has(gv)) {
    if (!isOn) return
    throw usageError(`${source}: ${gv} is not supported; only the versions enabled by default are`)
  }
  const group = groups.find((one) => one.group === groupName)
  if (group === undefined) throw usageError(`${source}: unknown group "${groupName}"`)
  const version = group.versions.find((one) => one.version === versionName)
  if (version === undefined) throw usageError(`${source}: unknown version ${gv}`)
  if (resource !== undefined && version.resources.every(({ plural }) => plural !== resource)) {
    throw usageError(`${source}: unknown resource "${resource}" in ${gv}`)
  }
}

/** Drops versions without resources, and groups without versions. */
function left(groups: readonly BuiltInGroup[], isServed: ServedVersions['isServed']): readonly BuiltInGroup[] {
  return groups.flatMap(({ group, versions }) => {
    const rest = versions.flatMap((version) => {
      const resources = version.resources.filter((row) => isServed({ ...row, resource: row.plural }))
      return resources.length === 0 ? [] : [{ ...version, resources }]
    })
    return rest.length === 0 ? [] : [{ group, versions: rest }]
  })
}
