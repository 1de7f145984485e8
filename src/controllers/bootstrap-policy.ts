// The default roles as data (P-145 to P-150). The line of a role has its name, the labels by which other roles aggregate it (`+`) and the
// label by which it aggregates other roles (`=`). Each line below is a rule: verbs | groups | resources | names, or verbs @ paths. The end of
// a line can name a condition of the role or rule: `since VERSION` is an API level or a newer one, and `if GATE` is a gate that is on. `R`
// is get, list and watch; `W` is create, delete, deletecollection, patch and update; `RW` is all of them.

export const CLUSTER_ROLES = `
admin =aggregate-to-admin
cluster-admin
  * | * | *
  * @ *
edit +aggregate-to-admin =aggregate-to-edit
system:aggregate-to-admin +aggregate-to-admin
  create | authorization.k8s.io | localsubjectaccessreviews
  RW | rbac.authorization.k8s.io | rolebindings roles
system:aggregate-to-edit +aggregate-to-edit
  R | core | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
  impersonate | core | serviceaccounts
  W | core | pods pods/attach pods/exec pods/portforward pods/proxy
  create | core | pods/eviction
  W | core | configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy
  create | core | serviceaccounts/token
  W | core events.k8s.io | events
  W | apps | daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale
  W | autoscaling | horizontalpodautoscalers
  W | batch | cronjobs jobs
  W | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale
  W | policy | poddisruptionbudgets
  W | networking.k8s.io | ingresses networkpolicies
  RW | coordination.k8s.io | leases
  W | resource.k8s.io | resourceclaims resourceclaimtemplates
  W | scheduling.k8s.io | podgroups workloads if GenericWorkload
  W | scheduling.k8s.io | compositepodgroups if CompositePodGroup
  W | lifecycle.k8s.io | evictionrequests if EvictionRequestAPI
system:aggregate-to-view +aggregate-to-view
  R | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status
  R | core | bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status
  R | core | namespaces
  R | core events.k8s.io | events
  R | discovery.k8s.io | endpointslices
  R | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status
  R | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status
  R | batch | cronjobs cronjobs/status jobs jobs/status
  R | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale
  R | policy | poddisruptionbudgets poddisruptionbudgets/status
  R | networking.k8s.io | ingresses ingresses/status networkpolicies
  R | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates
  R | scheduling.k8s.io | podgroups podgroups/status workloads if GenericWorkload
  R | scheduling.k8s.io | compositepodgroups compositepodgroups/status if CompositePodGroup
  R | lifecycle.k8s.io | evictionrequests evictions if EvictionRequestAPI
system:auth-delegator
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
system:basic-user
  create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews
  create | authentication.k8s.io | selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create | certificates.k8s.io | certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create | certificates.k8s.io | certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve | certificates.k8s.io | signers | kubernetes.io/legacy-unknown
system:cluster-trust-bundle-discovery if ClusterTrustBundle
  R | certificates.k8s.io | clustertrustbundles
system:discovery
  get @ /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
system:heapster
  R | core | events namespaces nodes pods
  R | extensions | deployments
system:kube-aggregator
  R | core | endpoints services
system:kube-controller-manager
  create patch update | core events.k8s.io | events
  create | coordination.k8s.io | leases
  get update | coordination.k8s.io | leases | kube-controller-manager
  create | core | secrets serviceaccounts
  delete | core | secrets
  get | core | configmaps namespaces secrets serviceaccounts
  update | core | secrets serviceaccounts
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  list watch | * | *
  create | core | serviceaccounts/token
system:kube-dns
  list watch | core | endpoints services
system:kube-scheduler
  create patch update | core events.k8s.io | events
  create | coordination.k8s.io | leases
  get list update watch | coordination.k8s.io | leases | kube-scheduler
  RW | coordination.k8s.io | leasecandidates
  R | core | nodes
  delete get list watch | core | pods
  create | core | bindings pods/binding
  patch update | core | pods/status
  R | core | replicationcontrollers services
  R | apps extensions | replicasets
  R | apps | statefulsets
  R | policy | poddisruptionbudgets
  R | core | persistentvolumeclaims persistentvolumes
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  R | storage.k8s.io | csinodes
  R | storage.k8s.io | volumeattachments
  R | core | namespaces
  R | storage.k8s.io | csidrivers
  R | storage.k8s.io | csistoragecapacities
  R | resource.k8s.io | deviceclasses
  get list patch update watch | resource.k8s.io | resourceclaims
  get list patch update watch | resource.k8s.io | resourceclaims/status
  update | core | pods/finalizers
  R | resource.k8s.io | resourceslices
  create delete | resource.k8s.io | resourceclaims
  R | resource.k8s.io | devicetaintrules if DRADeviceTaintRules
  patch update | resource.k8s.io | resourceclaims/binding if DRAResourceClaimGranularStatusAuthorization
  R | scheduling.k8s.io | podgroups if GenericWorkload
  patch update | scheduling.k8s.io | podgroups/status if GenericWorkload
  R | scheduling.k8s.io | compositepodgroups if CompositePodGroup
  patch update | scheduling.k8s.io | compositepodgroups/status if CompositePodGroup
system:kubelet-api-admin
  R | core | nodes
  proxy | core | nodes
  * | core | nodes/log nodes/metrics nodes/proxy nodes/stats
  * | core | nodes/configz nodes/healthz nodes/pods
system:monitoring
  get @ /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz
  get | core | nodes/metrics
system:node
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | localsubjectaccessreviews subjectaccessreviews
  R | core | services
  create get list watch | core | nodes
  patch update | core | nodes/status
  patch update | core | nodes
  create patch update | core events.k8s.io | events
  R | core | pods
  create delete | core | pods
  patch update | core | pods/status
  create | core | pods/eviction
  R | core | configmaps secrets
  get | core | persistentvolumeclaims persistentvolumes
  get | core | endpoints
  create get list watch | certificates.k8s.io | certificatesigningrequests
  create delete get patch update | coordination.k8s.io | leases
  get | storage.k8s.io | volumeattachments
  create | core | serviceaccounts/token
  get patch update | core | persistentvolumeclaims/status
  R | storage.k8s.io | csidrivers
  create delete get patch update | storage.k8s.io | csinodes
  get patch update | storage.k8s.io | csinodes/status if CSIVolumeHealth
  R | node.k8s.io | runtimeclasses
  get | resource.k8s.io | resourceclaims
  deletecollection | resource.k8s.io | resourceslices
  R | certificates.k8s.io | clustertrustbundles if ClusterTrustBundle
  get | core | serviceaccounts if KubeletServiceAccountTokenForCredentialProviders
  create get list watch | certificates.k8s.io | podcertificaterequests if PodCertificateRequest
system:node-bootstrapper
  create get list watch | certificates.k8s.io | certificatesigningrequests
system:node-problem-detector
  get | core | nodes
  patch | core | nodes/status
  create patch update | core events.k8s.io | events
system:node-proxier
  list watch | core | endpoints services
  R | core | nodes
  create patch update | core events.k8s.io | events
  list watch | networking.k8s.io | servicecidrs
  list watch | discovery.k8s.io | endpointslices
system:persistent-volume-provisioner
  create delete get list watch | core | persistentvolumes
  get list update watch | core | persistentvolumeclaims
  R | storage.k8s.io | storageclasses
  watch | core | events
  create patch update | core events.k8s.io | events
system:public-info-viewer
  get @ /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery
  get @ /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/
system:volume-scheduler
  get list patch update watch | core | persistentvolumes
  R | storage.k8s.io | storageclasses
  get list patch update watch | core | persistentvolumeclaims
view +aggregate-to-edit =aggregate-to-view
`

/** A line has a name, a role and subjects: `u:` is a user, `g:` a group and `s:` a service account. */
export const CLUSTER_ROLE_BINDINGS = `
cluster-admin cluster-admin g:system:masters
system:basic-user system:basic-user g:system:authenticated
system:cluster-trust-bundle-discovery system:cluster-trust-bundle-discovery g:system:serviceaccounts if ClusterTrustBundle
system:discovery system:discovery g:system:authenticated
system:kube-controller-manager system:kube-controller-manager u:system:kube-controller-manager
system:kube-dns system:kube-dns s:kube-system/kube-dns
system:kube-scheduler system:kube-scheduler u:system:kube-scheduler
system:monitoring system:monitoring g:system:monitoring
system:node system:node
system:node-proxier system:node-proxier u:system:kube-proxy
system:public-info-viewer system:public-info-viewer g:system:authenticated g:system:unauthenticated
system:service-account-issuer-discovery system:service-account-issuer-discovery g:system:serviceaccounts
system:volume-scheduler system:volume-scheduler u:system:kube-scheduler
`

/** The format is that of cluster roles, with the namespace before the name. */
export const ROLES = `
kube-public/system:controller:bootstrap-signer
  R | core | configmaps
  update | core | configmaps | cluster-info
  create patch update | core events.k8s.io | events
kube-system/extension-apiserver-authentication-reader
  R | core | configmaps | extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system::leader-locking-kube-scheduler
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system:controller:bootstrap-signer
  R | core | secrets
kube-system/system:controller:cloud-provider
  create get list watch | core | configmaps
kube-system/system:controller:token-cleaner
  delete get list watch | core | secrets
  create patch update | core events.k8s.io | events
`

/** The format is that of cluster role bindings, with the namespace before the name. */
export const ROLE_BINDINGS = `
kube-public/system:controller:bootstrap-signer system:controller:bootstrap-signer s:kube-system/bootstrap-signer
kube-system/system::extension-apiserver-authentication-reader extension-apiserver-authentication-reader u:system:kube-controller-manager u:system:kube-scheduler
kube-system/system::leader-locking-kube-controller-manager system::leader-locking-kube-controller-manager u:system:kube-controller-manager s:kube-system/kube-controller-manager s:kube-system/leader-election-controller
kube-system/system::leader-locking-kube-scheduler system::leader-locking-kube-scheduler u:system:kube-scheduler s:kube-system/kube-scheduler
kube-system/system:controller:bootstrap-signer system:controller:bootstrap-signer s:kube-system/bootstrap-signer
kube-system/system:controller:cloud-provider system:controller:cloud-provider s:kube-system/cloud-provider
kube-system/system:controller:token-cleaner system:controller:token-cleaner s:kube-system/token-cleaner
`
