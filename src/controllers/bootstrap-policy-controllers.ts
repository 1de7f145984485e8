// The default roles of controllers as data, in the format of `bootstrap-policy.ts`. Each role is bound to the service account in
// kube-system that is named by the last part of the role's name.

export const CONTROLLER_ROLES = `
system:controller:attachdetach-controller
  list watch | core | persistentvolumeclaims persistentvolumes
  R | core | nodes
  patch update | core | nodes/status
  list watch | core | pods
  create patch update | core events.k8s.io | events
  create delete get list watch | storage.k8s.io | volumeattachments
  R | storage.k8s.io | csidrivers
  R | storage.k8s.io | csinodes
system:controller:certificate-controller
  delete get list watch | certificates.k8s.io | certificatesigningrequests
  update | certificates.k8s.io | certificatesigningrequests/approval certificatesigningrequests/status
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
  sign | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown
  create | authorization.k8s.io | subjectaccessreviews
  create patch update | core events.k8s.io | events
system:controller:clusterrole-aggregation-controller
  escalate get list patch update watch | rbac.authorization.k8s.io | clusterroles
system:controller:cronjob-controller
  get list update watch | batch | cronjobs
  create delete get list patch update watch | batch | jobs
  update | batch | cronjobs/status
  update | batch | cronjobs/finalizers
  delete list watch | core | pods
  create patch update | core events.k8s.io | events
system:controller:daemon-set-controller
  R | apps extensions | daemonsets
  update | apps extensions | daemonsets/status
  update | apps extensions | daemonsets/finalizers
  list watch | core | nodes
  create delete list patch watch | core | pods
  create | core | pods/binding
  create delete get list patch update watch | apps | controllerrevisions
  create patch update | core events.k8s.io | events
system:controller:deployment-controller
  get list update watch | apps extensions | deployments
  update | apps extensions | deployments/status
  update | apps extensions | deployments/finalizers
  create delete get list patch update watch | apps extensions | replicasets
  get list update watch | core | pods
  create patch update | core events.k8s.io | events
system:controller:device-taint-eviction-controller if DRADeviceTaints
  delete get list watch | core | pods
  patch update | core | pods/status
  R | resource.k8s.io | resourceclaims
  R | resource.k8s.io | resourceslices
  R | resource.k8s.io | deviceclasses
  create patch update | core events.k8s.io | events
  patch update | resource.k8s.io | devicetaintrules/status if DRADeviceTaintRules
  R | resource.k8s.io | devicetaintrules if DRADeviceTaintRules
system:controller:disruption-controller
  R | apps extensions | deployments
  R | apps extensions | replicasets
  R | core | replicationcontrollers
  R | policy | poddisruptionbudgets
  R | apps | statefulsets
  update | policy | poddisruptionbudgets/status
  patch update | core | pods/status
  get | * | */scale
  create patch update | core events.k8s.io | events
system:controller:endpoint-controller
  R | core | pods services
  create delete get list update watch | core | endpoints
  create | core | endpoints/restricted
  create patch update | core events.k8s.io | events
system:controller:endpointslice-controller
  R | core | nodes pods services
  update | core | services/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
  create patch update | core events.k8s.io | events
system:controller:endpointslicemirroring-controller
  R | core | endpoints services
  update | core | services/finalizers
  update | core | endpoints/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
  create patch update | core events.k8s.io | events
system:controller:ephemeral-volume-controller
  R | core | pods
  update | core | pods/finalizers
  create get list watch | core | persistentvolumeclaims
  create patch update | core events.k8s.io | events
system:controller:expand-controller
  get list patch update watch | core | persistentvolumes
  patch update | core | persistentvolumeclaims/status
  R | core | persistentvolumeclaims
  create patch update | core events.k8s.io | events
system:controller:generic-garbage-collector
  delete get list patch update watch | * | *
  create patch update | core events.k8s.io | events
system:controller:horizontal-pod-autoscaler
  R | autoscaling | horizontalpodautoscalers
  update | autoscaling | horizontalpodautoscalers/status
  get update | * | */scale
  list watch | core | pods
  list watch | metrics.k8s.io | pods
  R | custom.metrics.k8s.io | *
  R | external.metrics.k8s.io | *
  create patch update | core events.k8s.io | events
system:controller:job-controller
  get list patch update watch | batch | jobs
  update | batch | jobs/status
  update | batch | jobs/finalizers
  create delete list patch watch | core | pods
  create patch update | core events.k8s.io | events
  create get list patch update watch | scheduling.k8s.io | podgroups workloads if WorkloadWithJob
system:controller:kube-apiserver-serving-clustertrustbundle-publisher if ClusterTrustBundle
  attest | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-serving
  create delete list update watch | certificates.k8s.io | clustertrustbundles
  create patch update | core events.k8s.io | events
system:controller:legacy-service-account-token-cleaner
  get | core | configmaps | kube-apiserver-legacy-service-account-token-tracking
  delete patch | core | secrets
system:controller:namespace-controller
  delete get list watch | core | namespaces
  update | core | namespaces/finalize namespaces/status
  delete deletecollection get list watch | * | *
system:controller:node-controller
  delete get list patch update watch | core | nodes
  patch update | core | nodes/status
  patch update | core | pods/status
  delete get list watch | core | pods
  R | coordination.k8s.io | leases since 1.37
  create patch update | core events.k8s.io | events
system:controller:persistent-volume-binder
  create delete get list update watch | core | persistentvolumes
  update | core | persistentvolumes/status
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  create delete get list watch | core | pods
  R | storage.k8s.io | storageclasses
  list watch | core | nodes
  create patch update | core events.k8s.io | events
  watch | core | events
system:controller:pod-garbage-collector
  delete list watch | core | pods
  R | core | nodes
  patch | core | pods/status
system:controller:podcertificaterequestcleaner if PodCertificateRequest
  delete get list watch | certificates.k8s.io | podcertificaterequests
system:controller:podgroup-protection-controller if GenericWorkload
  get list update watch | scheduling.k8s.io | podgroups
  R | core | pods
system:controller:pv-protection-controller
  get list update watch | core | persistentvolumes
  create patch update | core events.k8s.io | events
system:controller:pvc-protection-controller
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  R | core | pods
  create patch update | core events.k8s.io | events
system:controller:replicaset-controller
  get list update watch | apps extensions | replicasets
  update | apps extensions | replicasets/status
  update | apps extensions | replicasets/finalizers
  create delete list patch watch | core | pods
  create patch update | core events.k8s.io | events
system:controller:replication-controller
  get list update watch | core | replicationcontrollers
  update | core | replicationcontrollers/status
  update | core | replicationcontrollers/finalizers
  create delete list patch watch | core | pods
  create patch update | core events.k8s.io | events
system:controller:resource-claim-controller
  R | core | pods
  update | core | pods/finalizers
  create delete get list watch | resource.k8s.io | resourceclaims
  patch update | resource.k8s.io | resourceclaims resourceclaims/status
  patch update | core | pods/status
  create patch update | core events.k8s.io | events
  R | scheduling.k8s.io | podgroups if DRAWorkloadResourceClaims
  patch update | scheduling.k8s.io | podgroups/status if DRAWorkloadResourceClaims
  patch update | resource.k8s.io | resourceclaims/binding if DRAResourceClaimGranularStatusAuthorization
system:controller:resourcepoolstatusrequest-controller if DRAResourcePoolStatus
  delete get list watch | resource.k8s.io | resourcepoolstatusrequests
  patch update | resource.k8s.io | resourcepoolstatusrequests/status
  R | resource.k8s.io | resourceslices
  R | resource.k8s.io | resourceclaims
  R | resource.k8s.io | devicetaintrules since 1.37
  create patch update | core events.k8s.io | events
system:controller:resourcequota-controller
  list watch | * | *
  update | core | resourcequotas/status
  create patch update | core events.k8s.io | events
system:controller:root-ca-cert-publisher
  create update | core | configmaps
  create patch update | core events.k8s.io | events
system:controller:route-controller
  list watch | core | nodes
  patch | core | nodes/status
  create patch update | core events.k8s.io | events
system:controller:selinux-warning-controller
  create patch update | core events.k8s.io | events
  R | core | persistentvolumes
  R | core | persistentvolumeclaims
  R | core | pods
  R | storage.k8s.io | csidrivers
system:controller:service-account-controller
  create | core | serviceaccounts
  create patch update | core events.k8s.io | events
system:controller:service-cidrs-controller
  get list patch update watch | networking.k8s.io | servicecidrs
  patch update | networking.k8s.io | servicecidrs/finalizers
  patch update | networking.k8s.io | servicecidrs/status
  R | networking.k8s.io | ipaddresses
  create patch update | core events.k8s.io | events
system:controller:service-controller
  R | core | services
  patch update | core | services/status
  list watch | core | nodes
  create patch update | core events.k8s.io | events
system:controller:statefulset-controller
  list watch | core | pods
  R | apps | statefulsets
  update | apps | statefulsets/status
  update | apps | statefulsets/finalizers
  create delete get patch update | core | pods
  create delete get list patch update watch | apps | controllerrevisions
  create get list watch | core | persistentvolumeclaims
  delete update | core | persistentvolumeclaims
  update | core | pods/finalizers
  create patch update | core events.k8s.io | events
system:controller:storage-version-garbage-collector if StorageVersionAPI
  R | coordination.k8s.io | leases
  delete get list patch update watch | internal.apiserver.k8s.io | storageversions
  get patch update | internal.apiserver.k8s.io | storageversions/status
system:controller:storage-version-migrator-controller if StorageVersionMigrator
  list patch | * | *
  get | apiextensions.k8s.io | customresourcedefinitions
  patch | apiextensions.k8s.io | customresourcedefinitions/status
  update | storagemigration.k8s.io | storageversionmigrations/status
system:controller:ttl-after-finished-controller
  delete get list watch | batch | jobs
  create patch update | core events.k8s.io | events
system:controller:ttl-controller
  list patch update watch | core | nodes
  create patch update | core events.k8s.io | events
system:controller:validatingadmissionpolicy-status-controller
  R | admissionregistration.k8s.io | validatingadmissionpolicies
  get patch update | admissionregistration.k8s.io | validatingadmissionpolicies/status
  create patch update | core events.k8s.io | events
system:controller:volumeattributesclass-protection-controller
  R | core | persistentvolumeclaims
  R | core | persistentvolumes
  get list update watch | storage.k8s.io | volumeattributesclasses
  create patch update | core events.k8s.io | events
`
