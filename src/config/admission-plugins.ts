// The admission plugins in the order of the chain, and which of them are enabled by default (W-444, W-445).
import { usageError } from './start-error.ts'

const PLUGINS = {
  AlwaysAdmit: 'off',
  NamespaceAutoProvision: 'off',
  NamespaceLifecycle: 'on',
  NamespaceExists: 'off',
  LimitPodHardAntiAffinityTopology: 'off',
  LimitRanger: 'on',
  ServiceAccount: 'on',
  // The plugin is off in the reference, but every installer switches it on (D32).
  NodeRestriction: 'on',
  TaintNodesByCondition: 'on',
  AlwaysPullImages: 'off',
  ImagePolicyWebhook: 'off',
  PodSecurity: 'on',
  PodNodeSelector: 'off',
  Priority: 'on',
  DefaultTolerationSeconds: 'on',
  PodTolerationRestriction: 'off',
  EventRateLimit: 'off',
  ExtendedResourceToleration: 'off',
  DefaultStorageClass: 'on',
  StorageObjectInUseProtection: 'on',
  OwnerReferencesPermissionEnforcement: 'off',
  PodGroupProtection: 'on',
  PersistentVolumeClaimResize: 'on',
  RuntimeClass: 'on',
  CertificateApproval: 'on',
  CertificateSigning: 'on',
  ClusterTrustBundleAttest: 'on',
  CertificateSubjectRestriction: 'on',
  DefaultIngressClass: 'on',
  DenyServiceExternalIPs: 'off',
  PodTopologyLabels: 'on',
  PodGroupWorkloadExists: 'on',
  NodeDeclaredFeatureValidator: 'on',
  JobValidation: 'on',
  PodResizeValidator: 'on',
  MutatingAdmissionPolicy: 'on',
  MutatingAdmissionWebhook: 'on',
  ValidatingAdmissionPolicy: 'on',
  ValidatingAdmissionWebhook: 'on',
  ResourceQuota: 'on',
  AlwaysDeny: 'off',
} as const satisfies Readonly<Record<string, 'on' | 'off'>>

export type AdmissionPluginName = keyof typeof PLUGINS

/** In the order of the chain. */
export const PLUGIN_NAMES: readonly string[] = Object.keys(PLUGINS)

/** In the order of the chain. */
export const DEFAULT_PLUGINS: readonly string[] = Object.entries(PLUGINS).flatMap(([name, is]) =>
  is === 'on' ? [name] : [],
)

/** The position in the chain. */
export function admissionOrder(name: string | undefined): number {
  return name === undefined ? -1 : Object.keys(PLUGINS).indexOf(name)
}

/**
 * The default plugins and the `wanted` ones, without the `unwanted` ones. If `only` is not empty (--admission-control), its plugins alone.
 * Throws a `StartError`.
 */
export function enabledPlugins(
  wanted: readonly string[],
  unwanted: readonly string[],
  only: readonly string[] = [],
): ReadonlySet<AdmissionPluginName> {
  const [on, off] = [known(wanted, 'enable-admission-plugins'), known(unwanted, 'disable-admission-plugins')]
  const both = on.find((name) => off.includes(name))
  if (both !== undefined) {
    throw usageError(`"${both}" is in both --enable-admission-plugins and --disable-admission-plugins`)
  }
  const all = Object.keys(PLUGINS) as AdmissionPluginName[]
  if (only.length > 0) {
    if (on.length + off.length > 0) {
      throw usageError(
        '--admission-control cannot be combined with --enable-admission-plugins or --disable-admission-plugins',
      )
    }
    const chosen = known(only, 'admission-control')
    return new Set(all.filter((name) => chosen.includes(name)))
  }
  return new Set(all.filter((name) => (PLUGINS[name] === 'on' && !off.includes(name)) || on.includes(name)))
}

function known(names: readonly string[], flag: string): readonly AdmissionPluginName[] {
  return names.map((name) => {
    if (Object.hasOwn(PLUGINS, name)) return name as AdmissionPluginName
    throw usageError(`--${flag}: unknown admission plugin "${name}": it is not one of ${PLUGIN_NAMES.join(', ')}`)
  })
}
