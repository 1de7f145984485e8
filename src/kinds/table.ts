// Every built-in kind, by group and kind.
import { CONTROLLER_REVISION } from './apps/controller-revision.ts'
import { DAEMON_SET } from './apps/daemon-set.ts'
import { DEPLOYMENT } from './apps/deployment.ts'
import { REPLICA_SET } from './apps/replica-set.ts'
import { STATEFUL_SET } from './apps/stateful-set.ts'
import { SELF_SUBJECT_REVIEW } from './authentication/self-subject-review.ts'
import { TOKEN_REQUEST } from './authentication/token-request.ts'
import { TOKEN_REVIEW } from './authentication/token-review.ts'
import {
  LOCAL_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_RULES_REVIEW,
  SUBJECT_ACCESS_REVIEW,
} from './authorization/access-reviews.ts'
import { HORIZONTAL_POD_AUTOSCALER } from './autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { CRON_JOB } from './batch/cron-job.ts'
import { JOB } from './batch/job/job.ts'
import { CERTIFICATE_SIGNING_REQUEST } from './certificates/certificate-signing-request.ts'
import { CLUSTER_TRUST_BUNDLE } from './certificates/cluster-trust-bundle.ts'
import { POD_CERTIFICATE_REQUEST } from './certificates/pod-certificate-request.ts'
import { LEASE_CANDIDATE } from './coordination/lease-candidate.ts'
import { LEASE } from './coordination/lease.ts'
import { COMPONENT_STATUS } from './core/component-status.ts'
import { CONFIG_MAP } from './core/config-map.ts'
import { ENDPOINTS } from './core/endpoints.ts'
import { EVENT } from './core/event.ts'
import { LIMIT_RANGE } from './core/limit-range.ts'
import { NAMESPACE } from './core/namespace.ts'
import { NODE } from './core/node.ts'
import { PERSISTENT_VOLUME_CLAIM } from './core/persistent-volume-claim.ts'
import { PERSISTENT_VOLUME } from './core/persistent-volume.ts'
import { POD_TEMPLATE } from './core/pod-template.ts'
import { BINDING } from './core/pod/binding.ts'
import { POD, POD_LOG_OPTIONS, POD_STATUS_RESULT } from './core/pod/pod.ts'
import { REPLICATION_CONTROLLER } from './core/replication-controller.ts'
import { RESOURCE_QUOTA } from './core/resource-quota.ts'
import { SECRET } from './core/secret.ts'
import { SERVICE_ACCOUNT } from './core/service-account.ts'
import { SERVICE } from './core/service/service.ts'
import { ENDPOINT_SLICE } from './discovery/endpoint-slice.ts'
import { EVENT as EVENT_OF_EVENTS } from './events/event.ts'
import { RUNTIME_CLASS } from './node/runtime-class.ts'
import { POD_DISRUPTION_BUDGET } from './policy/pod-disruption-budget.ts'
import { POD_GROUP } from './scheduling/pod-group.ts'
import { PRIORITY_CLASS } from './scheduling/priority-class.ts'
import { SCHEDULED_WORKLOAD } from './scheduling/workload.ts'
import { SCALE } from './shared/scale.ts'
import type { Kind } from './kind.ts'

export const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  '': {
    Binding: BINDING,
    ComponentStatus: COMPONENT_STATUS,
    ConfigMap: CONFIG_MAP,
    Endpoints: ENDPOINTS,
    Event: EVENT,
    LimitRange: LIMIT_RANGE,
    Namespace: NAMESPACE,
    Node: NODE,
    PersistentVolume: PERSISTENT_VOLUME,
    PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIM,
    Pod: POD,
    PodLogOptions: POD_LOG_OPTIONS,
    PodStatusResult: POD_STATUS_RESULT,
    PodTemplate: POD_TEMPLATE,
    ReplicationController: REPLICATION_CONTROLLER,
    ResourceQuota: RESOURCE_QUOTA,
    Secret: SECRET,
    Service: SERVICE,
    ServiceAccount: SERVICE_ACCOUNT,
  },
  apps: {
    ControllerRevision: CONTROLLER_REVISION,
    DaemonSet: DAEMON_SET,
    Deployment: DEPLOYMENT,
    ReplicaSet: REPLICA_SET,
    StatefulSet: STATEFUL_SET,
  },
  'authentication.k8s.io': {
    SelfSubjectReview: SELF_SUBJECT_REVIEW,
    TokenRequest: TOKEN_REQUEST,
    TokenReview: TOKEN_REVIEW,
  },
  'authorization.k8s.io': {
    LocalSubjectAccessReview: LOCAL_SUBJECT_ACCESS_REVIEW,
    SelfSubjectAccessReview: SELF_SUBJECT_ACCESS_REVIEW,
    SelfSubjectRulesReview: SELF_SUBJECT_RULES_REVIEW,
    SubjectAccessReview: SUBJECT_ACCESS_REVIEW,
  },
  autoscaling: {
    HorizontalPodAutoscaler: HORIZONTAL_POD_AUTOSCALER,
    Scale: SCALE,
  },
  batch: {
    CronJob: CRON_JOB,
    Job: JOB,
  },
  'certificates.k8s.io': {
    CertificateSigningRequest: CERTIFICATE_SIGNING_REQUEST,
    ClusterTrustBundle: CLUSTER_TRUST_BUNDLE,
    PodCertificateRequest: POD_CERTIFICATE_REQUEST,
  },
  'coordination.k8s.io': {
    Lease: LEASE,
    LeaseCandidate: LEASE_CANDIDATE,
  },
  'discovery.k8s.io': {
    EndpointSlice: ENDPOINT_SLICE,
  },
  'events.k8s.io': {
    Event: EVENT_OF_EVENTS,
  },
  'node.k8s.io': {
    RuntimeClass: RUNTIME_CLASS,
  },
  policy: {
    PodDisruptionBudget: POD_DISRUPTION_BUDGET,
  },
  'scheduling.k8s.io': {
    PodGroup: POD_GROUP,
    PriorityClass: PRIORITY_CLASS,
    Workload: SCHEDULED_WORKLOAD,
  },
}
