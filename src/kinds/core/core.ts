// The kinds of the core group: which file knows the rules of which kind.
import { binding } from '../authorization/access-review.ts'
import { configMap } from './config-map.ts'
import { endpoints } from './endpoints.ts'
import { coreEvent } from '../shared/event.ts'
import { limitRange } from './limit-range.ts'
import { namespace } from './namespace.ts'
import { node } from './node.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { persistentVolume, persistentVolumeClaim } from './persistent-volume.ts'
import { pod } from './pod/validation.ts'
import { podTemplate } from '../shared/pod-spec/pod-template.ts'
import { replicationController } from './replication-controller.ts'
import { resourceQuota } from './resource-quota.ts'
import type { GroupRules, KindRules } from '../../schema/validation/rules.ts'
import { secret } from './secret.ts'
import { service } from './service/validation.ts'

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
