// The settings of admission plugins, from the operator's file: an AdmissionConfiguration with a section for each plugin,
// written out or in a file of its own. A plugin without a section has the reference's defaults.
import { statSync } from 'node:fs'
import path from 'node:path'
import {
  isGiven,
  isTrue,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  mapsOnly,
  numberOrZero,
  textOrAbsent,
  textOrEmpty,
  textsOnly,
} from '../api/members.ts'
import type { TolerationSeconds } from '../plugins/default-toleration-seconds.ts'
import type { EventLimit } from '../plugins/event-rate-limit.ts'
import { EVENT_LIMIT_TYPES } from '../plugins/event-rate-limit.ts'
import type { ImagePolicyOptions } from '../plugins/image-policy-webhook.ts'
import type { NodeSelectors } from '../plugins/pod-placement.ts'
import { parseSelector } from '../plugins/pod-placement.ts'
import type { PodSecurityOptions } from '../plugins/pod-security-plugin.ts'
import type { LevelVersion, Mode, Policy } from '../plugins/pod-security-policy.ts'
import { ALL_PRIVILEGED, LEVEL_WRONG, parseLevel, parseVersion, VERSION_WRONG } from '../plugins/pod-security-policy.ts'
import type { LimitedResource } from '../plugins/quota/quota.ts'
import type { ValueMap } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { OutgoingTarget } from '../outgoing/call.ts'
import type { AdmissionPluginName } from './admission-plugins.ts'
import type { FeatureGates } from './feature-gates.ts'
import { readTextFile } from './files.ts'
import { reasonOf, usageError } from './start-error.ts'
import { type CredentialsFor, readHostCredentials, readWebhookKubeconfig } from './webhook-kubeconfig.ts'

const FLAG = '--admission-control-config-file'
const CACHE_SIZE = 4096

export interface AdmissionSettings {
  readonly podSecurity: PodSecurityOptions
  readonly eventLimits: readonly EventLimit[]
  readonly nodeSelectors: NodeSelectors
  readonly tolerationSeconds: TolerationSeconds
  /** Resources that can only be used if a quota allows them. */
  readonly limitedResources: readonly LimitedResource[]
  /** The credentials for webhooks of each kind. Absent: none. */
  readonly webhookCredentials: { readonly admit?: CredentialsFor; readonly validating?: CredentialsFor }
  /** The webhook that decides about images. Undefined: none. */
  readonly imagePolicy: ImagePolicySettings | undefined
  /** The folders with the configurations of plugins. */
  readonly manifests: Readonly<Partial<Record<ManifestPlugin, string>>>
}

/** The plugins that read configurations from files. */
export type ManifestPlugin =
  | 'MutatingAdmissionPolicy'
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionWebhook'

export interface ImagePolicySettings extends ImagePolicyOptions {
  readonly target: OutgoingTarget
}

const DEFAULT_ADMISSION_SETTINGS: AdmissionSettings = {
  podSecurity: {
    defaults: ALL_PRIVILEGED,
    exempt: { users: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
  },
  eventLimits: [],
  nodeSelectors: { fallback: {}, allowed: new Map() },
  tolerationSeconds: { notReady: 300, unreachable: 300 },
  limitedResources: [],
  webhookCredentials: {},
  imagePolicy: undefined,
  manifests: {},
}

export interface AdmissionFlags {
  readonly admissionFile: string | undefined
  readonly admissionPlugins: ReadonlySet<AdmissionPluginName>
  readonly tolerationSeconds?: TolerationSeconds
  readonly featureGates?: FeatureGates
}

/** Throws a `StartError` of one line for a fault in the file. */
export function readAdmissionSettings({
  admissionFile: file,
  admissionPlugins: enabled,
  tolerationSeconds = DEFAULT_ADMISSION_SETTINGS.tolerationSeconds,
  featureGates,
}: AdmissionFlags): AdmissionSettings {
  const settings = { ...(file === undefined ? DEFAULT_ADMISSION_SETTINGS : readSettings(file)), tolerationSeconds }
  if (enabled.has('EventRateLimit') && settings.eventLimits.length === 0) {
    throw usageError(`--enable-admission-plugins: EventRateLimit requires limits in ${FLAG}`)
  }
  if (enabled.has('ImagePolicyWebhook') && settings.imagePolicy === undefined) {
    throw usageError(`--enable-admission-plugins: ImagePolicyWebhook requires a kubeconfig in ${FLAG}`)
  }
  if (Object.keys(settings.manifests).length > 0 && featureGates?.['ManifestBasedAdmissionControlConfig'] !== true) {
    throw usageError(`${FLAG}: staticManifestsDir requires the feature gate ManifestBasedAdmissionControlConfig`)
  }
  return settings
}

function readSettings(file: string): AdmissionSettings {
  const document = readYaml(file)
  if (own(document, 'kind') !== 'AdmissionConfiguration') throw fault(file, 'it is not an AdmissionConfiguration')
  let settings = DEFAULT_ADMISSION_SETTINGS
  for (const plugin of mapsInPlace(document, 'plugins')) {
    const name = textOrAbsent(plugin, 'name')
    if (name === undefined) throw fault(file, 'a plugin has no name')
    const section = sectionOf(file, plugin)
    const read = READERS[name]
    if (read === undefined || section === undefined) continue
    const wrong = (why: string): Error => fault(file, `${name}: ${why}`)
    settings = { ...settings, ...read(section, wrong, settings) }
  }
  return settings
}

type Fault = (why: string) => Error

type SectionReader = (section: ValueMap, fault: Fault, before: AdmissionSettings) => Partial<AdmissionSettings>

const READERS: Readonly<Record<string, SectionReader>> = {
  PodSecurity: (section, wrong) => ({ podSecurity: podSecurityOf(section, wrong) }),
  EventRateLimit: (section, wrong) => ({ eventLimits: eventLimitsOf(section, wrong) }),
  PodNodeSelector: (section) => ({ nodeSelectors: nodeSelectorsOf(section) }),
  ResourceQuota: (section, wrong) => ({ limitedResources: limitedResourcesOf(section, wrong) }),
  MutatingAdmissionPolicy: manifestsOf('MutatingAdmissionPolicy'),
  ValidatingAdmissionPolicy: manifestsOf('ValidatingAdmissionPolicy'),
  MutatingAdmissionWebhook: (section, wrong, { webhookCredentials, manifests }) => ({
    ...manifestsOf('MutatingAdmissionWebhook')(section, wrong, { manifests }),
    webhookCredentials: { ...webhookCredentials, ...webhookSection(section, wrong, 'admit') },
  }),
  ValidatingAdmissionWebhook: (section, wrong, { webhookCredentials, manifests }) => ({
    ...manifestsOf('ValidatingAdmissionWebhook')(section, wrong, { manifests }),
    webhookCredentials: { ...webhookCredentials, ...webhookSection(section, wrong, 'validating') },
  }),
  ImagePolicyWebhook: (section, wrong) => ({ imagePolicy: imagePolicyOf(section, wrong) }),
}

type Manifests = Pick<AdmissionSettings, 'manifests'>

function manifestsOf(plugin: ManifestPlugin): (section: ValueMap, wrong: Fault, before: Manifests) => Manifests {
  return (section, wrong, { manifests }) => {
    const folder = own(section, 'staticManifestsDir')
    if (folder === undefined || folder === '') return { manifests }
    if (typeof folder !== 'string' || !path.isAbsolute(folder))
      throw wrong('staticManifestsDir is not an absolute path')
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw wrong(`staticManifestsDir ${folder} is not a folder`)
    }
    return { manifests: { ...manifests, [plugin]: folder } }
  }
}

function webhookSection(
  section: ValueMap,
  wrong: Fault,
  type: 'admit' | 'validating',
): Partial<Record<typeof type, CredentialsFor>> {
  const file = own(section, 'kubeConfigFile')
  if (file === undefined || file === '') return {}
  if (typeof file !== 'string' || !path.isAbsolute(file)) throw wrong('kubeConfigFile is not an absolute path')
  return { [type]: readHostCredentials(file, 'kubeConfigFile') }
}

/** Times are in seconds, but the pause between two attempts is in milliseconds. 0 stands for the default, and -1 for no time. */
function imagePolicyOf(section: ValueMap, wrong: Fault): ImagePolicySettings {
  const config = mapOrEmpty(section, 'imagePolicy')
  const file = textOrAbsent(config, 'kubeConfigFile')
  if (file === undefined) throw wrong('imagePolicy.kubeConfigFile is missing')
  const time = (
    name: string,
    unitMs: number,
    { fallbackMs, mostMs }: { fallbackMs: number; mostMs: number },
  ): number => {
    const given = own(config, name) ?? 0
    if (given === 0) return fallbackMs
    if (given === -1) return 0
    const milliseconds = typeof given === 'number' ? given * unitMs : Number.NaN
    if (milliseconds >= unitMs && milliseconds <= mostMs) return milliseconds
    throw wrong(`imagePolicy.${name} is not a time up to ${mostMs / 1000} seconds`)
  }
  return {
    target: readWebhookKubeconfig(file, 'kubeConfigFile'),
    allowedMs: time('allowTTL', 1000, { fallbackMs: 300_000, mostMs: 1_800_000 }),
    refusedMs: time('denyTTL', 1000, { fallbackMs: 30_000, mostMs: 1_800_000 }),
    backoffMs: time('retryBackoff', 1, { fallbackMs: 500, mostMs: 300_000 }),
    failsOpen: isTrue(config, 'defaultAllow'),
  }
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

/** The configuration is in the file itself, or in a file of its own beside it. */
function sectionOf(file: string, plugin: ValueMap): ValueMap | undefined {
  const written = mapOrAbsent(plugin, 'configuration')
  if (written !== undefined) return written
  const place = textOrEmpty(plugin, 'path')
  return place === '' ? undefined : readYaml(path.resolve(path.dirname(file), place))
}

function podSecurityOf(section: ValueMap, wrong: Fault): PodSecurityOptions {
  const [defaults, exemptions] = [mapOrEmpty(section, 'defaults'), mapOrEmpty(section, 'exemptions')]
  // A value that is not a text must not become the default, which allows everything.
  const given = (name: string): string => (isGiven(defaults, name) ? (textOrAbsent(defaults, name) ?? 'no text') : '')
  const level = (mode: Mode): LevelVersion => {
    const parsed = parseLevel(given(mode) || 'privileged')
    if (parsed === undefined) throw wrong(`defaults.${mode}: ${LEVEL_WRONG}`)
    const minor = parseVersion(given(`${mode}-version`) || 'latest')
    if (minor === undefined) throw wrong(`defaults.${mode}-version: ${VERSION_WRONG}`)
    return { level: parsed, minor }
  }
  const names = (member: string): ReadonlySet<string> => new Set(textsOnly(exemptions, member))
  const policy: Policy = { enforce: level('enforce'), audit: level('audit'), warn: level('warn') }
  return {
    defaults: policy,
    exempt: { users: names('usernames'), namespaces: names('namespaces'), runtimeClasses: names('runtimeClasses') },
  }
}

function eventLimitsOf(section: ValueMap, wrong: Fault): readonly EventLimit[] {
  return listOrEmpty(section, 'limits').map((limit, i) => {
    if (!isMap(limit)) throw wrong(`limits[${i}] is not an object`)
    const type = EVENT_LIMIT_TYPES.find((known) => known === own(limit, 'type'))
    if (type === undefined) throw wrong(`limits[${i}].type is not one of ${EVENT_LIMIT_TYPES.join(', ')}`)
    const [qps, burst, size] = [
      numberOrZero(limit, 'qps'),
      numberOrZero(limit, 'burst'),
      numberOrZero(limit, 'cacheSize'),
    ]
    if (qps <= 0) throw wrong(`limits[${i}].qps must be above zero`)
    if (burst < qps) throw wrong(`limits[${i}].burst must not be less than qps`)
    return { type, qps, burst, cacheSize: size > 0 ? size : CACHE_SIZE }
  })
}

function limitedResourcesOf(section: ValueMap, wrong: Fault): readonly LimitedResource[] {
  return mapsInPlace(section, 'limitedResources').map((limited, i) => {
    const resource = textOrAbsent(limited, 'resource')
    if (resource === undefined) throw wrong(`limitedResources[${i}].resource is missing`)
    return {
      group: textOrEmpty(limited, 'apiGroup'),
      resource,
      matchContains: textsOnly(limited, 'matchContains'),
      matchScopes: mapsOnly(limited, 'matchScopes').map((scope) => ({
        scopeName: textOrEmpty(scope, 'scopeName'),
        operator: textOrEmpty(scope, 'operator'),
        values: textsOnly(scope, 'values'),
      })),
    }
  })
}

function nodeSelectorsOf(section: ValueMap): NodeSelectors {
  const given = Object.entries(mapOrEmpty(section, 'podNodeSelectorPluginConfig')).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, parseSelector(text)] as const] : [],
  )
  const { clusterDefaultNodeSelector = {}, ...allowed } = Object.fromEntries(given)
  return { fallback: clusterDefaultNodeSelector, allowed: new Map(Object.entries(allowed)) }
}
