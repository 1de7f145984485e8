// Composes the admission chain. Every write passes the plugins in the order of `config/admission-plugins.ts`.
import type { Admission, AdmissionPlugin } from '../admission/admission.ts'
import { admitInOrder } from '../admission/chain.ts'
import type { ApiObject } from '../api/object.ts'
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from '../plugins/certificate-signers.ts'
import { CERTIFICATE_SUBJECT } from '../plugins/certificate-subject-restriction.ts'
import { claimResize } from '../plugins/persistent-volume-claim-resize.ts'
import { defaultIngressClass, defaultStorageClass } from '../plugins/default-class.ts'
import { defaultTolerationSeconds } from '../plugins/default-toleration-seconds.ts'
import { limitRanger } from '../plugins/limit-ranger.ts'
import { measureAdmission, measurePlugin } from '../admission/measures.ts'
import { namespaceLifecycle } from '../plugins/namespace-lifecycle.ts'
import { nodeRestriction } from '../plugins/node-restriction.ts'
import type { ObjectReader, SampleReader } from '../admission/object-reader.ts'
import { nodeDeclaredFeatures } from '../plugins/node-declared-features.ts'
import { podResizeValidator } from '../plugins/pod-resize-validator.ts'
import { podSecurity } from '../plugins/pod-security-plugin.ts'
import { podTopologyLabels } from '../plugins/pod-topology-labels.ts'
import { priority } from '../plugins/priority.ts'
import { resourceQuota } from '../plugins/resource-quota.ts'
import { runtimeClass } from '../plugins/runtime-class.ts'
import { serviceAccount } from '../plugins/service-account.ts'
import { STORAGE_PROTECTION } from '../plugins/storage-object-in-use-protection.ts'
import { TAINT_NODES_BY_CONDITION } from '../plugins/taint-nodes-by-condition.ts'
import { WebhookMeasures } from '../admission/webhook/webhook.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { ResolveService } from '../outgoing/webhook-client.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { readThrough } from '../controllers/read-through.ts'
import type { Random } from '../lib/random.ts'
import type { Log } from '../lib/log.ts'
import type { Family } from '../lib/measure.ts'
import { together } from '../lib/together.ts'
import type { OutgoingCaller } from '../outgoing/call.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import type { BatchScope } from '../registry/object-batch.ts'
import { ServedStore } from '../registry/served-store.ts'
import type { Store } from '../store/store.ts'
import type { AdmissionSettings } from '../config/admission-config.ts'
import type { ServerMeasures } from './measures.ts'
import { optionalPlugins } from './optional-plugins.ts'
import { CachedQuotaLedger } from '../controllers/quota-ledger.ts'
import { admissionOrder, type AdmissionPluginName } from '../config/admission-plugins.ts'
import { openAdmissionPolicies } from './admission-policies.ts'
import type { ManifestParts } from './admission-manifests.ts'
import { type AdmissionWebhooks, openAdmissionWebhooks } from './admission-webhooks.ts'
import { servedKinds } from '../registry/served-kinds.ts'

export interface AdmissionParts {
  readonly store: Store
  readonly table: ResourceTable
  readonly authorizer: Authorizer
  /** The plugins that are on. */
  readonly enabled: ReadonlySet<AdmissionPluginName>
  readonly settings: AdmissionSettings & Pick<ManifestParts, 'reloads'>
  readonly defaults: () => DefaultsContext
  readonly caller: OutgoingCaller
  /** Calls the servers of the operator's configuration. */
  readonly operatorsCaller: OutgoingCaller
  readonly measures: ServerMeasures
  readonly batches: BatchScope
  readonly locate: ResolveService
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface OpenedAdmission extends Pick<AdmissionWebhooks, 'addFunction'> {
  readonly admission: Admission
  /** Follows the configurations until the signal fires. */
  follow(signal: AbortSignal): Promise<void>
  /** Resolves when every configuration that was stored at the start is known. */
  readonly loaded: Promise<void>
  readonly measures: readonly Family[]
}

export function openAdmission(parts: AdmissionParts): OpenedAdmission {
  const { store, table, authorizer, enabled, settings } = parts
  const seen = parts.batches.around(store)
  const read: Read = <T extends ApiObject>(resource: string, group?: string) =>
    readThrough<T>(seen, servedResource(table, resource, group).stored)
  const quotas = new CachedQuotaLedger(store, servedResource(table, 'resourcequotas'))
  const manifests = {
    folders: settings.manifests,
    reloads: settings.reloads,
    table,
    context: () => ({ gates: parts.defaults().gates, now: parts.defaults().now() }),
    log: parts.log,
  }
  const webhookMeasures = new WebhookMeasures()
  const webhooks = openAdmissionWebhooks({
    store,
    resources: () => table,
    manifests,
    caller: parts.caller,
    locate: parts.locate,
    credentials: settings.webhookCredentials,
    servedKinds: servedKinds(() => table, parts.defaults),
    namespaces: read('namespaces'),
    authorizer,
    observer: webhookMeasures,
    exemptsReviews: parts.defaults().gates.has('ExcludeAdmissionWebhookVirtualResources'),
    onConfigured: (names) => webhookMeasures.configured(names),
    log: parts.log,
  })
  const inServedForm = new ServedStore(store)
  const policies = openAdmissionPolicies({
    store,
    resources: () => table,
    read: ({ stored }) => readThrough(stored.form === undefined ? store : inServedForm, stored),
    servedKinds: servedKinds(() => table, parts.defaults),
    namespaces: read('namespaces'),
    authorizer,
    measures: parts.measures.policies,
    manifests,
  })
  const plugins: readonly AdmissionPlugin[] = [
    ...singlePlugins(parts, read),
    ...policies.plugins,
    ...webhooks.plugins,
    ...resourceQuota(quotas, () => parts.clock.now(), settings.limitedResources),
    ...optionalPlugins({ ...parts, table: () => table, namespaces: read('namespaces') }),
  ]
  const isOn = ({ name }: AdmissionPlugin): boolean => name === undefined || enabled.has(name as AdmissionPluginName)
  const inOrder = plugins.filter(isOn).toSorted((a, b) => admissionOrder(a.name) - admissionOrder(b.name))
  const admission = measureAdmission(
    admitInOrder(inOrder.map((plugin) => measurePlugin(plugin, parts.measures.admission))),
    parts.measures.admission,
  )
  const quotasLoaded = Promise.withResolvers<void>()
  return {
    admission,
    follow: async (signal) => {
      await together(signal, (until) => [
        webhooks.follow(until),
        policies.follow(until),
        quotas.follow(quotasLoaded.resolve, until),
      ])
    },
    loaded: Promise.all([webhooks.loaded, policies.loaded, quotasLoaded.promise]).then(() => {}),
    addFunction: webhooks.addFunction,
    measures: webhookMeasures.all(),
  }
}

/** Makes the reader of a resource. `T` is the type of its objects. */
type Read = <T extends ApiObject>(resource: string, group?: string) => ObjectReader<T> & SampleReader<T>

/** The independent plugins: they only need to read other objects. */
function singlePlugins(
  { authorizer, settings, defaults, random, measures }: AdmissionParts,
  read: Read,
): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle(read('namespaces')),
    limitRanger(read('limitranges')),
    serviceAccount(read('serviceaccounts'), systemClock, random),
    nodeRestriction({
      authorizer,
      nodes: read('nodes'),
      pods: read('pods'),
      accounts: read('serviceaccounts'),
      claims: read('persistentvolumeclaims'),
      volumes: read('persistentvolumes'),
      drivers: read('csidrivers', 'storage.k8s.io'),
      gates: defaults().gates,
    }),
    TAINT_NODES_BY_CONDITION,
    podSecurity(
      { namespaces: read('namespaces'), pods: read('pods'), clock: systemClock, measures: measures.podSecurity },
      settings.podSecurity,
    ),
    priority(read('priorityclasses', 'scheduling.k8s.io'), defaults().gates.has('PodGroupPreemptionPolicy')),
    defaultTolerationSeconds(settings.tolerationSeconds),
    defaultStorageClass(read('storageclasses', 'storage.k8s.io')),
    STORAGE_PROTECTION,
    claimResize(read('storageclasses', 'storage.k8s.io')),
    runtimeClass(read('runtimeclasses', 'node.k8s.io')),
    defaultIngressClass(read('ingressclasses', 'networking.k8s.io')),
    podTopologyLabels(read('nodes')),
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    clusterTrustBundleAttest(authorizer),
    CERTIFICATE_SUBJECT,
    nodeDeclaredFeatures(read('nodes')),
    podResizeValidator(read('nodes')),
  ]
}
