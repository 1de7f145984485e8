// The manuals of the commands that call a server or read its answers.
import { manual } from './manual-page.ts'

export const topManual = manual({
  command: 'top',
  summary: 'show who watches a running server',
  synopsis: ['top [--all-replicas] [--once] [-o json] [--kubeconfig FILE] [--context NAME]'],
  description: [
    'Shows every open watch of a server: its user, its selection, its last resourceVersion, the number of revisions that it lags behind, the bytes that its client has not read and for how long, and the reconnects and relists of the client in the last five minutes. The longest waits come first.',
    'In a terminal the table is refreshed every two seconds. The server is found as kubectl finds it; the user needs the verb get on the path /debug/watchers.',
  ],
  exits: ['0  The watches were printed.', '1  The server cannot be reached, or refused.'],
})

export const healthcheckManual = manual({
  command: 'healthcheck',
  summary: 'ask a server on this machine for its health',
  synopsis: ['healthcheck [--management-address HOST:PORT] [PATH]'],
  description: [
    'Asks the server at its --management-address, which needs no credentials on this machine, and prints the answer. PATH is /readyz by default; others are /livez or /readyz?verbose. The image uses this command as its health check.',
  ],
  exits: ['0  The server is healthy.', '1  The server is not healthy, or does not answer.'],
})

export const explainManual = manual({
  command: 'explain',
  summary: 'explain a request that was denied, or an apply that conflicts',
  synopsis: [
    'explain denied [-f FILE]',
    'explain denied VERB RESOURCE|PATH [NAME] [-n NAMESPACE]',
    'explain conflict [-f FILE]',
    'explain conflict --apply MANIFEST [--field-manager NAME]',
  ],
  description: [
    'denied prints the smallest role that would allow a request, and a binding to it, ready to be applied. Users who may list roles and bindings also see the nearest binding. The command reads the Status of a 403, or the output of kubectl, from FILE or from standard input; or it asks the server whether the user may do VERB with RESOURCE (pods, pods/log, deployments.apps).',
    'conflict prints, for each conflicting field of a server-side apply, the two values, the owner, the time and the request by which the owner got the field, and the ways out. It reads the Status of a 409, or applies the manifest as a dry run.',
    'With the parameter explain=true, the server explains a request in details.explanation of its Status, and an access review in the annotation quarterdeck/explanation: kubectl create --raw "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?explain=true" -f review.json',
    'Only users who may read the object see values, and no user sees those of secrets.',
  ],
  flagsOf: ['explain denied', 'explain conflict'],
  exits: ['0  The refusal was explained.', '1  There is nothing to explain, or the server cannot be reached.'],
})

export const recordRoleManual = manual({
  command: 'record-role',
  summary: 'write the smallest roles that would have allowed a session',
  synopsis: ['record-role [-f] [--user NAME] [--name NAME] [--bind] [--any-name] [FILE]...'],
  description: [
    'Reads audit events from the files, or from standard input, one JSON object per line, as in the file of --audit-log-path (level Metadata is enough). Writes a Role for each namespace, and a ClusterRole, that allow exactly the requests of the user, whether they were allowed or not. Rights that every user has are left out.',
    'To record a program: run it with more rights than it needs, then take them away: quarterdeck record-role --user system:serviceaccount:ci:robot --bind audit.log | kubectl apply -f -',
  ],
  exits: ['0  The roles were written.', '1  The log cannot be read, or has nothing of the user that needs a role.'],
})

export const historyManual = manual({
  command: 'history',
  summary: 'show the past versions of an object',
  synopsis: [
    'history KIND NAME [-n NAMESPACE] [--limit N]',
    'history KIND NAME --diff VERSION VERSION',
    'history KIND NAME --restore VERSION --dry-run|--write',
  ],
  description: [
    'Shows the versions of an object that the server still has, the newest first: the resourceVersion of each, when it was written, by which field manager and operation, and the fields that changed. If the object was deleted and created again under the same name, a row shows the deletion. KIND is as for kubectl: po, pods, Deployment, widgets.example.com.',
    'The server needs the feature gate ObjectHistory. It has the versions that were not compacted: those of the last five to ten minutes, or of a longer time with --etcd-compaction-interval, or with --history-retention on the embedded store. A user who may get an object may see its past; for a secret the user also needs the verb get on secrets/history. The past begins with the namespace of the object, and with the definition of its kind: if either was deleted and created again, earlier versions are not shown.',
  ],
  exits: [
    '0  The versions were shown, or the old version was written.',
    '1  The server cannot be reached, or refused, or does not have the version.',
  ],
})

export const applyManual = manual({
  command: 'apply',
  summary: 'apply manifests together, or none of them',
  synopsis: ['apply --atomic -f FILE|FOLDER [-n NAMESPACE] [--dry-run] [--force-conflicts]'],
  description: [
    'Applies all objects of a file or a folder by server-side apply, in one transaction: the server writes all of them in one revision, or none. No client ever sees only some of them. Every object passes admission and validation as if it were applied alone, with the rights of the user.',
    'Namespaces are applied first, then service accounts, then all others in the order of the files. Objects see the namespaces and accounts of the same transaction. Roles, definitions, quotas and policies count as they were before the transaction: apply a definition before the objects of its kind. A transaction has up to 100 objects and 1 MB.',
  ],
  exits: [
    '0  All objects are as the manifests say.',
    '1  The server cannot be reached, or refused. Nothing was written.',
  ],
})

export const consoleManual = manual({
  command: 'console',
  summary: 'open the web console in a browser that is logged in',
  synopsis: ['console [--print-url] [--kubeconfig FILE] [--context NAME]'],
  description: [
    'Opens the web console of a server on this machine in the default browser. The server makes a code for the token in the kubeconfig; the browser logs in with it as the user of the token. A code works once, within two minutes, and only at the loopback address that the kubeconfig names. Both the code and the login are in the audit log.',
    'A certificate cannot be passed on to a browser: the kubeconfig must have a token.',
  ],
  exits: [
    '0  The browser was started, or the link was printed.',
    '1  The server refused, or no browser can be started.',
  ],
})
