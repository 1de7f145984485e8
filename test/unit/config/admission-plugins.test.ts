import { expect, it } from 'vitest'
import { DEFAULT_PLUGINS, enabledPlugins } from '../../../src/config/admission-plugins.ts'

/** Those of the reference that are on, in its order. */
const ON = `
  NamespaceLifecycle LimitRanger ServiceAccount TaintNodesByCondition PodSecurity Priority DefaultTolerationSeconds
  DefaultStorageClass StorageObjectInUseProtection PodGroupProtection PersistentVolumeClaimResize RuntimeClass
  CertificateApproval CertificateSigning ClusterTrustBundleAttest CertificateSubjectRestriction DefaultIngressClass
  PodTopologyLabels PodGroupWorkloadExists NodeDeclaredFeatureValidator JobValidation PodResizeValidator
  MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota`
  .trim()
  .split(/\s+/)

const OFF = `
  AlwaysAdmit AlwaysDeny AlwaysPullImages NamespaceAutoProvision NamespaceExists LimitPodHardAntiAffinityTopology
  ImagePolicyWebhook PodNodeSelector PodTolerationRestriction EventRateLimit ExtendedResourceToleration
  OwnerReferencesPermissionEnforcement DenyServiceExternalIPs`
  .trim()
  .split(/\s+/)

it('the plugins of the reference are on, in its order, and one more (W-444, D32)', () => {
  expect(DEFAULT_PLUGINS.filter((name) => name !== 'NodeRestriction')).toEqual(ON)
  expect(DEFAULT_PLUGINS).toContain('NodeRestriction')
})

it.each(OFF)('%s is off, and can be had (W-445)', (name) => {
  expect(DEFAULT_PLUGINS).not.toContain(name)
  expect([...enabledPlugins([name], [])]).toContain(name)
})
