// Which test runs each command that the documents for users tell them to type. Here are those that `documented-commands.test.ts` runs, in
// this order, and those that need more than that has, with the test that does.
import { ALSO_ELSEWHERE } from '../../src/config/controller-names.ts'
import { documentedExamples, typedLines } from './documents.ts'

export interface DocumentedRun {
  /** What there is in the test in the place of words of the command; `{server}` and the like are filled in by it. */
  readonly with?: Readonly<Record<string, string>>
  readonly input?: string
  /** What it prints. Where it goes on by itself, it is ended when it has printed this. */
  readonly says: RegExp
  /** It runs until it is stopped. */
  readonly endless?: boolean
  readonly exits?: number
}

const OTHERS_CONTROL = `'*,${ALSO_ELSEWHERE.map((name) => `-${name}`).join()}'`

const NEWEST_REVISION = 'etcdctl put /a b -w json | grep -o "revision\\":[0-9]*" | cut -d: -f2'

/** Those for a running server. */
const WITH_SERVER: Readonly<Record<string, DocumentedRun>> = {
  'kubectl create configmap greeting --from-literal=text=hello': { says: /configmap\/greeting created/ },
  'kubectl get configmaps --watch': { says: /greeting/, endless: true },
  [`kubectl get --raw "/api/v1/pods?where=object.spec.nodeName=='node-1'"`]: { says: /"kind":"PodList"/ },
  'kubectl get --raw "/api/v1/pods?orderBy=metadata.creationTimestamp+desc,metadata.name&limit=10"': {
    says: /"kind":"PodList"/,
  },
  'kubectl get --raw "/api/v1/pods?select=spec.nodeName,status.phase"': { says: /"kind":"PodList"/ },
  'kubectl get --raw "/api/v1/pods?count=true"': { says: /"rows":\[\{"group":\{\},"count":0\}\]/ },
  'kubectl get --raw "/api/v1/pods?groupBy=spec.nodeName&sum=spec.containers.resources.requests.cpu&orderBy=count+desc"':
    { says: /"kind":"QueryResult".*"rows":\[\]/ },
  'kubectl get --raw "/api/v1/pods?accessible=true"': { says: /"kind":"PodList"/ },
  [`kubectl get --raw "/api/v1/pods?explainQuery=true&where=object.spec.nodeName=='node-1'"`]: {
    says: /"plan":\{"index":"spec.nodeName"/,
  },
  'kubectl create --raw /apis/transactions.quarterdeck.io/v1/transactions -f transaction.json': {
    says: /"result":"expected".*"result":"created".*"result":"created"/,
  },
  'quarterdeck apply --atomic -f app --dry-run': { says: /namespace\/app created[^]*this was a dry run/ },
  'quarterdeck apply --atomic -f app': {
    says: /namespace\/app created[^]*configmap\/settings created[^]*as version \d/,
  },
  'kubectl annotate configmap greeting quarterdeck.io/expires-at=2099-01-02T15:04:05Z': {
    says: /configmap\/greeting annotated/,
  },
  'kubectl create namespace cert-manager': { says: /namespace\/cert-manager created/ },
  'kubectl apply -f definition.yaml': { says: /widgets\.example\.com created/ },
  'kubectl annotate crd widgets.example.com quarterdeck.io/indexes=spec.size': { says: /annotated/ },
  'kubectl apply -f widget.yaml': { says: /widget\.example\.com\/left created/ },
  'kubectl get widgets': { says: /left/ },
  'quarterdeck define kinds.ts > kinds.yaml': { says: /^$/ },
  'kubectl apply -f kinds.yaml': { says: /gadgets\.example\.com created/ },
  'quarterdeck define kinds.ts --check kinds.yaml': { says: /^$/ },
  'export KUBECONFIG=~/.local/share/quarterdeck/admin.kubeconfig': {
    with: { kubeconfig: 'kubeconfig && kubectl version' },
    says: /Server Version/,
  },
  'kubectl create configmap colours --from-literal=sky=blue': { says: /configmap\/colours created/ },
  'kubectl label configmap colours copied=yes': { says: /configmap\/colours labeled/ },
  'node controller.ts': { says: /reconciled colours/, endless: true },
  'kubectl get secret colours': { says: /colours +Opaque +1/ },
  'kubectl get secrets --as ann 2>&1 | quarterdeck explain denied': { says: /kind: RoleBinding/ },
  'kubectl create --raw /debug/faults -f fault.json': { says: /"hits":0/ },
  'kubectl get --raw /debug/faults': { says: /"times":2/ },
  'kubectl delete --raw /debug/faults': { says: /^/ },
  'kubectl get clusterroles,clusterrolebindings,roles,rolebindings -A -o json | quarterdeck lint-rbac': {
    says: /^/,
  },
  'quarterdeck bundle FILE': {
    with: { FILE: 'report && wc -c report' },
    says: /^report: ([1-9]\d{3,}) bytes about https:\S+ were written.*\n\1 report/,
  },
  'kubectl get --raw /debug/flags/log-level': { says: /requests/ },
  'kubectl replace --raw /debug/flags/log-level/requests -f - <<< debug': { says: /debug/ },
  'quarterdeck test -- COMMAND': { with: { COMMAND: 'kubectl get namespaces' }, says: /kube-system/ },
  'head -c 32 /dev/urandom | base64 > backup.key': { says: /^$/ },
  'quarterdeck backup --data-dir /data --encryption-key-file backup.key cluster.backup': { says: /; verified/ },
  'quarterdeck backup --revision N': { with: { '--revision N': '--revision 5 old.backup' }, says: /at revision 5/ },
}

/** Of the recipes: they start what they need. */
const RECIPES: Readonly<Record<string, DocumentedRun>> = {
  'quarterdeck test -- go test ./...': { with: { 'go test ./...': '{envtest} /nowhere' }, says: /made made 1/ },
  'mkdir assets && ln -s "$(command -v etcd)" assets/etcd': { says: /^$/ },
  'printf \'#!/bin/sh\\nexec quarterdeck serve "$@"\\n\' > assets/kube-apiserver && chmod +x assets/kube-apiserver': {
    says: /^$/,
  },
  'KUBEBUILDER_ASSETS=$PWD/assets go test ./...': { with: { 'go test ./...': '{envtest} ""' }, says: /made made 1/ },
  'quarterdeck check definition.yaml widget.yaml': { says: /2 objects: no errors/ },
  'quarterdeck test -- kubectl apply -f definition.yaml': { says: /widgets\.example\.com created/ },
  'kubectl kustomize overlay | quarterdeck check -': { says: /1 object: no errors/ },
  'quarterdeck lint-rbac roles.yaml': { says: /^roles\.yaml: Role "default\/reader" uses a wildcard/, exits: 1 },
  'quarterdeck serve --dev': { says: /is listening on/, endless: true },
  'node settings.ts': { says: /created settings at https:\/\/127\.0\.0\.1:\d+/ },
  'npx quarterdeck serve --help': { with: { 'npx ': '' }, says: /SYNOPSIS/ },
  'npx quarterdeck serve --in-memory --secure-port 7443 --kubeconfig-out kubeconfig': {
    with: { 'npx ': '', '7443': '0' },
    says: /is listening on/,
    endless: true,
  },
  'quarterdeck serve --extensions extensions': {
    with: { 'serve ': 'serve --in-memory ' },
    says: /is listening on/,
    endless: true,
  },
  'npm pkg set type=module': { with: { npm: "echo '{}' > package.json && npm" }, says: /^/ },
  'quarterdeck completion bash': { says: /complete -/ },
  'quarterdeck serve --in-memory --kubeconfig-out kubeconfig --management-address localhost:10248 &': {
    with: { '10248 &': '{port}' },
    says: /is listening on/,
    endless: true,
  },
  'export KUBECONFIG=kubeconfig': {
    with: { 'KUBECONFIG=kubeconfig': 'KUBECONFIG=kubeconfig && kubectl config view' },
    says: /server: https/,
  },
  'until quarterdeck healthcheck --management-address localhost:10248 /readyz; do sleep 0.2; done': {
    with: {
      until: 'quarterdeck serve --in-memory --kubeconfig-out kubeconfig --management-address localhost:{port} & until',
      '10248': '{port}',
      done: 'done; kill $!; wait',
    },
    says: /\bok\b/,
  },
}

const WITHOUT_MACHINES = ['test/reference/cluster-without-machines.test.ts', 'A cluster without machines'] as const
const CERT_MANAGER = 'docker run --network host --volume $KUBECONFIG:/kubeconfig:ro quay.io/jetstack/cert-manager'
const RELEASED_OPERATOR = 'test/reference/released-operator.test.ts'

/** Those for a store that no server has open. */
const WITHOUT_SERVER: Readonly<Record<string, DocumentedRun>> = {
  'quarterdeck backup verify --encryption-key-file backup.key cluster.backup': { says: /keys under/ },
  'quarterdeck migrate --from /data --to https://etcd-1:2379,https://etcd-2:2379': {
    with: { 'https://etcd-1:2379,https://etcd-2:2379': '{etcd}' },
    says: /keys/,
  },
  'mv /data/store /data/store.old': { says: /^$/ },
  'quarterdeck restore --data-dir /data --encryption-key-file backup.key cluster.backup': { says: /keys/ },
  'etcdctl compact': {
    with: { compact: `snapshot save snapshot.db && etcdctl compact $(${NEWEST_REVISION})` },
    says: /compacted revision/,
  },
  'etcdctl defrag': { says: /Finished defragmenting/ },
  'etcdctl alarm disarm': { says: /^$/ },
  'etcdutl snapshot restore --bump-revision … --mark-compacted': {
    with: { restore: 'restore snapshot.db --data-dir restored', '…': '1000' },
    says: /restored snapshot/,
  },
  'quarterdeck doctor --etcd-servers … --fix': { with: { '…': '{etcd}' }, says: /./ },
  'quarterdeck init DIR': { with: { DIR: 'config' }, says: /./ },
  'quarterdeck serve --config DIR/quarterdeck.yaml': {
    with: { DIR: 'config' },
    says: /is listening on/,
    endless: true,
  },
  [`quarterdeck serve --etcd-servers … --etcd-prefix /registry --service-cluster-ip-range … --service-node-port-range … --service-account-issuer … --service-account-key-file … --service-account-signing-key-file … --encryption-provider-config … --client-ca-file … --tls-cert-file … --tls-private-key-file … --controllers ${OTHERS_CONTROL}`]:
    {
      with: {
        'servers …': 'servers {etcd}',
        'ip-range …': 'ip-range 10.96.0.0/16',
        'port-range …': 'port-range 30000-32767',
        'issuer …': 'issuer https://kubernetes.default.svc',
        'account-key-file …': 'account-key-file config/pki/service-account.key',
        'signing-key-file …': 'signing-key-file config/pki/service-account.key',
        'config …': 'config config/pki/encryption.yaml',
        'client-ca-file …': 'client-ca-file config/pki/client-ca.crt',
        'tls-cert-file …': 'tls-cert-file config/pki/api.crt',
        'private-key-file …': 'private-key-file config/pki/api.key',
      },
      says: /is listening on/,
      endless: true,
    },
  'quarterdeck serve --index pods=status.phase,spec.serviceAccountName --index deployments.apps=spec.replicas': {
    says: /is listening on/,
    endless: true,
  },
  'quarterdeck serve --help': { says: /SYNOPSIS/ },
  'npm run quarterdeck -- serve --help': { with: { npm: 'npm --prefix {project}' }, says: /SYNOPSIS/ },
}

export const RUN_HERE = { server: WITH_SERVER, store: WITHOUT_SERVER, recipes: RECIPES } as const

const MANAGEMENT = 'test/integration/management.test.ts'
const IN_ONE_PROCESS = 'test/integration/cluster.test.ts'

/** The test, and words of it that show that it does. */
export const RUN_ELSEWHERE: Readonly<Record<string, readonly [test: string, words: string]>> = {
  'make run': ['test/long/first-run.test.ts', "'make', 'run'"],
  'make test': ['.ci/run', 'make test'],
  [`curl -s http://127.0.0.1:10248/metrics | grep -E 'eventloop_lag_(p99|max)|longest_turn|thread_queue'`]: [
    MANAGEMENT,
    "get('/metrics')",
  ],
  'curl -s http://127.0.0.1:10248/debug/requests': [MANAGEMENT, "get('/debug/requests')"],
  "curl -s -o profile 'http://127.0.0.1:10248/debug/pprof/profile?seconds=10'": [
    MANAGEMENT,
    '/debug/pprof/heap?seconds=1',
  ],
  'npx quarterdeck test -- go test ./...': ['test/long/operator-languages.test.ts', "COMMAND, 'test'"],
  'npx quarterdeck serve': ['test/integration/package.test.ts', "'quarterdeck', 'serve'"],
  'npm install quarterdeck zod': ['test/rigs/installed-package.ts', "npm(folder, 'install'"],
  'npm install quarterdeck': ['test/rigs/installed-package.ts', "npm(folder, 'install'"],
  'npm install --global quarterdeck': ['test/rigs/installed-package.ts', "npm(folder, 'install'"],
  'quarterdeck console': ['test/integration/console-codes.test.ts', "runCommand(['console'"],
  'man quarterdeck-serve': ['test/integration/package.test.ts', '`./dist/man/${name}.1`'],
  'make run ARGS=--nodes=3': [IN_ONE_PROCESS, "'--nodes', '3'"],
  'kubectl create deployment web --image=nginx --replicas=3': [
    IN_ONE_PROCESS,
    'create deployment web --image=nginx --replicas=3',
  ],
  "kubectl annotate pods --selector app=web quarterdeck.dev/log='hello from a simulated pod'": [
    IN_ONE_PROCESS,
    'quarterdeck.dev/log=hello from a simulated pod',
  ],
  'kubectl rollout status deployment/web': [IN_ONE_PROCESS, 'rollout status deployment/web'],
  'kubectl logs deployment/web': [IN_ONE_PROCESS, "'logs', 'deployment/web'"],
  'quarterdeck init cluster': WITHOUT_MACHINES,
  [`quarterdeck serve --config cluster/quarterdeck.yaml --controllers ${OTHERS_CONTROL}`]: WITHOUT_MACHINES,
  'kube-controller-manager --kubeconfig cluster/admin.kubeconfig --root-ca-file cluster/pki/api-ca.crt --service-account-private-key-file cluster/pki/service-account.key':
    WITHOUT_MACHINES,
  'kube-scheduler --kubeconfig cluster/admin.kubeconfig': WITHOUT_MACHINES,
  'kwok --kubeconfig cluster/admin.kubeconfig --manage-all-nodes --config stage-fast.yaml': WITHOUT_MACHINES,
  'export KUBECONFIG=cluster/admin.kubeconfig': WITHOUT_MACHINES,
  [`kubectl create -f - <<< '{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1"}}'`]: WITHOUT_MACHINES,
  'kubectl create deployment web --image nginx --replicas 3': WITHOUT_MACHINES,
  'kubectl wait --for=condition=Available deployment/web': WITHOUT_MACHINES,
  'kubectl apply -f https://github.com/cert-manager/cert-manager/releases/download/v1.21.2/cert-manager.crds.yaml': [
    RELEASED_OPERATOR,
    "place.startsWith('deploy/crds/')",
  ],
  [`${CERT_MANAGER}-controller:v1.21.2 --kubeconfig=/kubeconfig`]: [RELEASED_OPERATOR, 'runProgram(controller, ['],
  [`${CERT_MANAGER}-cainjector:v1.21.2 --kubeconfig=/kubeconfig`]: [RELEASED_OPERATOR, 'runProgram(cainjector, ['],
  [`${CERT_MANAGER}-webhook:v1.21.2 --kubeconfig=/kubeconfig --secure-port=10250`]: [
    RELEASED_OPERATOR,
    'runProgram(webhook, [',
  ],
  'make up': ['test/containers/stack.test.ts', "make('up')"],
  'make down': ['test/containers/stack.test.ts', "make('down')"],
  'make down ARGS=--volumes': ['test/containers/stack.test.ts', "make('down', 'ARGS=--volumes')"],
  'make image': ['test/containers/image.test.ts', "make('image')"],
  'make soak MINUTES=60': ['test/robustness/memory-soak.ts', 'MINUTES'],
  'docker run --read-only --cap-drop ALL --publish 6443:6443 --volume data:/data quarterdeck': [
    'test/containers/image.test.ts',
    "'--read-only', '--cap-drop', 'ALL'",
  ],
  'docker exec CONTAINER quarterdeck healthcheck /readyz?verbose': [
    'test/containers/image.test.ts',
    "'quarterdeck', 'healthcheck'",
  ],
  'docker exec': ['test/containers/image.test.ts', "'exec'"],
  'docker compose': ['test/containers/stack.test.ts', 'compose'],
  'quarterdeck top --all-replicas': ['test/long/helm-chart-replicas.test.ts', "'top', '--all-replicas'"],
  'helm install quarterdeck deploy/chart --namespace quarterdeck --create-namespace': [
    'test/long/helm-chart.test.ts',
    'deploy/chart',
  ],
  "helm install quarterdeck deploy/chart --set storage.kind=etcd --set 'storage.etcd.endpoints[0]=https://etcd:2379' --set storage.etcd.secretName=etcd-client":
    ['test/long/helm-chart.test.ts', "'storage.kind': 'etcd'"],
}

/** What no test runs, and why. */
export const RUN_BY_NONE: Readonly<Record<string, string>> = {
  'docker compose --profile observe up --detach': 'it takes images of Prometheus and Grafana, which no test pulls',
  "docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'":
    'it asks a registry, and what it answers is another thing every few weeks',
}

/** In a sentence, the name of a command is no order to type it: `quarterdeck doctor` finds problems. And what runs tests is a test. */
const NAME = /^(?:quarterdeck(?: [a-z-]+| store serve)|kubectl --watch|make (?:check|test-[a-z]+))$/

/** Every command in the documents for users, once. */
export function documentedCommands(): readonly string[] {
  const read = documentedExamples().filter(({ file }) => file === 'README.md' || file.startsWith('deploy/'))
  const typed = read.flatMap((example) =>
    typedLines(example).filter((line) => !line.startsWith('--') && !(example.quoted === true && NAME.test(line))),
  )
  return [...new Set(typed)]
}
