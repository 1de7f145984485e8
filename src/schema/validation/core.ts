// The kinds of the core group: which file knows the rules of which kind.
import { configMap } from './config-map.ts'
import { labelName, subdomainName } from './object-meta.ts'
import { pod } from './pod.ts'
import { podTemplate } from './pod-template.ts'
import { type GroupRules, metadataOnly } from './rules.ts'

export const CORE_RULES: GroupRules = {
  ConfigMap: configMap,
  Namespace: metadataOnly(labelName),
  Pod: pod,
  PodTemplate: podTemplate,
  ServiceAccount: metadataOnly(subdomainName),
}
