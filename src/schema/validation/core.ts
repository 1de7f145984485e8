// The kinds of the core group: which file knows the rules of which kind.
import { binding } from './access-review.ts'
import { configMap } from './config-map.ts'
import { endpoints } from './endpoints.ts'
import { coreEvent } from './event.ts'
import { limitRange } from './limit-range.ts'
import { namespace } from './namespace.ts'
import { node } from './node.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from './object-meta.ts'
import { persistentVolume, persistentVolumeClaim } from './persistent-volume.ts'
import { pod } from './pod.ts'
import { podTemplate } from './pod-template.ts'
import { replicationController } from './replication-controller.ts'
import { resourceQuota } from './resource-quota.ts'
import type { GroupRules, KindRules } from './rules.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'

const serviceAccount: KindRules = {
  create: (object, check) => checkBuiltInMeta(object, subdomainName, check),
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkBuiltInMeta(object, subdomainName, check)
  },
}

export const CORE_RULES: GroupRules = {
  Binding: binding,
  ConfigMap: configMap,
  Endpoints: endpoints,
  Event: coreEvent,
  LimitRange: limitRange,
  Namespace: namespace,
  Node: node,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  Pod: pod,
  PodTemplate: podTemplate,
  ReplicationController: replicationController,
  ResourceQuota: resourceQuota,
  Secret: secret,
  Service: service,
  ServiceAccount: serviceAccount,
}
