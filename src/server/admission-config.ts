// The settings of admission plugins, from the operator's file: an AdmissionConfiguration with a section for each plugin,
// written out or in a file of its own. A plugin without a section has the reference's defaults.
import path from 'node:path'
import type { TolerationSeconds } from '../admission/default-toleration-seconds.ts'
import type { EventLimit } from '../admission/event-rate-limit.ts'
import { EVENT_LIMIT_TYPES } from '../admission/event-rate-limit.ts'
import type { NodeSelectors } from '../admission/pod-placement.ts'
import { parseSelector } from '../admission/pod-placement.ts'
import type { PodSecurityOptions } from '../admission/pod-security-plugin.ts'
import type { LevelVersion, Mode, Policy } from '../admission/pod-security-policy.ts'
import {
  ALL_PRIVILEGED,
  LEVEL_WRONG,
  parseLevel,
  parseVersion,
  VERSION_WRONG,
} from '../admission/pod-security-policy.ts'
import type { LimitedResource } from '../admission/quota/quota.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { AdmissionPluginName } from './admission-plugins.ts'
import { readTextFile } from './files.ts'
import { reasonOf, usageError } from './start-error.ts'

const FLAG = '--admission-control-config-file'
const CACHE_SIZE = 4096

export interface AdmissionSettings {
  readonly podSecurity: PodSecurityOptions
  readonly eventLimits: readonly EventLimit[]
  readonly nodeSelectors: NodeSelectors
  readonly tolerationSeconds: TolerationSeconds
  /** What nobody has without a quota that allows it. */
  readonly limitedResources: readonly LimitedResource[]
}

export const DEFAULT_ADMISSION_SETTINGS: AdmissionSettings = {
  podSecurity: {
    defaults: ALL_PRIVILEGED,
    exempt: { users: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
  },
  eventLimits: [],
  nodeSelectors: { fallback: {}, allowed: new Map() },
  tolerationSeconds: { notReady: 300, unreachable: 300 },
  limitedResources: [],
}

export interface AdmissionFlags {
  readonly admissionFile: string | undefined
  readonly admissionPlugins: ReadonlySet<AdmissionPluginName>
  readonly tolerationSeconds?: TolerationSeconds
}

/** Throws a `StartError` of one line for what is wrong with the file. */
export function readAdmissionSettings({
  admissionFile: file,
  admissionPlugins: enabled,
  tolerationSeconds = DEFAULT_ADMISSION_SETTINGS.tolerationSeconds,
}: AdmissionFlags): AdmissionSettings {
  const settings = { ...(file === undefined ? DEFAULT_ADMISSION_SETTINGS : readSettings(file)), tolerationSeconds }
  if (enabled.has('EventRateLimit') && settings.eventLimits.length === 0) {
    throw usageError(`--enable-admission-plugins: EventRateLimit needs limits in ${FLAG}`)
  }
  return settings
}

function readSettings(file: string): AdmissionSettings {
  const document = readYaml(file)
  if (own(document, 'kind') !== 'AdmissionConfiguration') throw fault(file, 'it is not an AdmissionConfiguration')
  let settings = DEFAULT_ADMISSION_SETTINGS
  for (const plugin of listIn(document, 'plugins')) {
    const name = isMap(plugin) ? own(plugin, 'name') : undefined
    if (!isMap(plugin) || typeof name !== 'string') throw fault(file, 'a plugin has no name')
    const section = sectionOf(file, plugin)
    const read = READERS[name]
    if (read === undefined || section === undefined) continue
    settings = { ...settings, ...read(section, (why) => fault(file, `${name}: ${why}`)) }
  }
  return settings
}

type Fault = (why: string) => Error

const READERS: Readonly<Record<string, (section: ValueMap, fault: Fault) => Partial<AdmissionSettings>>> = {
  PodSecurity: (section, wrong) => ({ podSecurity: podSecurityOf(section, wrong) }),
  EventRateLimit: (section, wrong) => ({ eventLimits: eventLimitsOf(section, wrong) }),
  PodNodeSelector: (section) => ({ nodeSelectors: nodeSelectorsOf(section) }),
  ResourceQuota: (section, wrong) => ({ limitedResources: limitedResourcesOf(section, wrong) }),
}

function fault(file: string, why: string): Error {
  return usageError(`${FLAG} ${file}: ${why}`)
}

function readYaml(file: string): ValueMap {
  const text = readTextFile(file, FLAG)
  try {
    const { value } = parseYaml(Buffer.from(text))
    if (isMap(value)) return value
  } catch (error) {
    throw fault(file, reasonOf(error))
  }
  throw fault(file, 'it is not an object')
}

function listIn(map: ValueMap, name: string): readonly Value[] {
  const value = own(map, name)
  return isList(value) ? value : []
}

/** Written out, or in a file of its own beside the first. */
function sectionOf(file: string, plugin: ValueMap): ValueMap | undefined {
  const written = own(plugin, 'configuration')
  if (isMap(written)) return written
  const place = own(plugin, 'path')
  return typeof place === 'string' && place !== '' ? readYaml(path.resolve(path.dirname(file), place)) : undefined
}

function podSecurityOf(section: ValueMap, wrong: Fault): PodSecurityOptions {
  const [defaults, exemptions] = [own(section, 'defaults'), own(section, 'exemptions')]
  const level = (mode: Mode): LevelVersion => {
    const [given, version] = isMap(defaults) ? [own(defaults, mode), own(defaults, `${mode}-version`)] : []
    const parsed = typeof given === 'string' && given !== '' ? parseLevel(given) : 'privileged'
    if (parsed === undefined) throw wrong(`defaults.${mode}: ${LEVEL_WRONG}`)
    const minor = parseVersion(typeof version === 'string' && version !== '' ? version : 'latest')
    if (minor === undefined) throw wrong(`defaults.${mode}-version: ${VERSION_WRONG}`)
    return { level: parsed, minor }
  }
  const names = (member: string): ReadonlySet<string> => {
    const list = isMap(exemptions) ? listIn(exemptions, member) : []
    return new Set(list.filter((name) => typeof name === 'string'))
  }
  const policy: Policy = { enforce: level('enforce'), audit: level('audit'), warn: level('warn') }
  return {
    defaults: policy,
    exempt: { users: names('usernames'), namespaces: names('namespaces'), runtimeClasses: names('runtimeClasses') },
  }
}

function eventLimitsOf(section: ValueMap, wrong: Fault): readonly EventLimit[] {
  return listIn(section, 'limits').map((limit, i) => {
    if (!isMap(limit)) throw wrong(`limits[${i}] is not an object`)
    const type = EVENT_LIMIT_TYPES.find((known) => known === own(limit, 'type'))
    if (type === undefined) throw wrong(`limits[${i}].type is not one of ${EVENT_LIMIT_TYPES.join(', ')}`)
    const [qps, burst, size] = [own(limit, 'qps'), own(limit, 'burst'), own(limit, 'cacheSize')]
    if (typeof qps !== 'number' || qps <= 0) throw wrong(`limits[${i}].qps must be above zero`)
    if (typeof burst !== 'number' || burst < qps) throw wrong(`limits[${i}].burst must not be less than qps`)
    return { type, qps, burst, cacheSize: typeof size === 'number' && size > 0 ? size : CACHE_SIZE }
  })
}

function limitedResourcesOf(section: ValueMap, wrong: Fault): readonly LimitedResource[] {
  return listIn(section, 'limitedResources').map((limited, i) => {
    const resource = isMap(limited) ? own(limited, 'resource') : undefined
    if (!isMap(limited) || typeof resource !== 'string') throw wrong(`limitedResources[${i}].resource is missing`)
    const group = own(limited, 'apiGroup')
    return {
      group: typeof group === 'string' ? group : '',
      resource,
      matchContains: listIn(limited, 'matchContains').filter((text) => typeof text === 'string'),
      matchScopes: listIn(limited, 'matchScopes').filter(isMap),
    }
  })
}

function nodeSelectorsOf(section: ValueMap): NodeSelectors {
  const config = own(section, 'podNodeSelectorPluginConfig')
  const given = Object.entries(isMap(config) ? config : {}).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, parseSelector(text)] as const] : [],
  )
  const { clusterDefaultNodeSelector = {}, ...allowed } = Object.fromEntries(given)
  return { fallback: clusterDefaultNodeSelector, allowed: new Map(Object.entries(allowed)) }
}
