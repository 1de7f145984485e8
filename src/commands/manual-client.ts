// The manual of the commands that speak to a running server, or are about what one has said.
import { page } from './manual-page.ts'

const SERVER: readonly string[] = [
  '--kubeconfig FILE',
  '    Default: the files in KUBECONFIG, the service account of a pod, or ~/.kube/config.',
  '',
  '--context NAME',
  '    Default: the current context.',
]

export function topManual(): string {
  return page([
    ['NAME', ['quarterdeck top - show who watches a running server']],
    ['SYNOPSIS', ['quarterdeck top [--all-replicas] [--once] [-o json] [--kubeconfig FILE] [--context NAME]']],
    [
      'DESCRIPTION',
      [
        'Shows every open watch of a server: whose it is, what it selects, the last resourceVersion it was sent, by how many revisions it lags behind, what its client has not taken and for how long, and how often the client has reconnected and relisted in the last five minutes. Those that wait longest come first.',
        '',
        'In a terminal it is shown again every other second. The server is found as kubectl finds it; the user needs the verb get on the path /debug/watchers.',
      ],
    ],
    [
      'FLAGS',
      [
        '--all-replicas',
        '    Show the watches of every replica on the same etcd, and name those that do not answer within a second. The replica that is asked asks the others as this user, by the certificate of --proxy-client-cert-file; no token is passed on. Default: those of the replica that is asked, with all of its workers.',
        '',
        '--once',
        '    Print it once.',
        '',
        '-o, --output json',
        '    Print it once, as JSON.',
        '',
        ...SERVER,
      ],
    ],
    [
      'EXIT STATUS',
      ['0  It was printed.', '1  The server cannot be reached, or refused.', '2  The command line is invalid.'],
    ],
  ])
}

export function healthcheckManual(): string {
  return page([
    ['NAME', ['quarterdeck healthcheck - ask a server on this machine how it is']],
    ['SYNOPSIS', ['quarterdeck healthcheck [--healthz-port PORT] [PATH]']],
    [
      'DESCRIPTION',
      [
        'Asks the port that the server was given by --healthz-port, which needs neither TLS nor credentials, and prints the answer. PATH is /readyz, or for instance /livez or /readyz?verbose. The image checks its health by it.',
      ],
    ],
    ['FLAGS', ['--healthz-port PORT', '    Default: QUARTERDECK_HEALTHZ_PORT.']],
    ['EXIT STATUS', ['0  The server is well.', '1  It is not, or does not answer.', '2  The command line is invalid.']],
  ])
}

export function explainManual(): string {
  return page([
    ['NAME', ['quarterdeck explain - explain a request that was denied, or an apply that conflicts']],
    [
      'SYNOPSIS',
      [
        'quarterdeck explain denied [-f FILE]',
        'quarterdeck explain denied VERB RESOURCE|PATH [NAME] [-n NAMESPACE]',
        'quarterdeck explain conflict [-f FILE]',
        'quarterdeck explain conflict --apply MANIFEST [--field-manager NAME]',
      ],
    ],
    [
      'DESCRIPTION',
      [
        'denied prints the smallest role that would allow a request, and a binding to it, ready to be applied; and, for users who may list roles and bindings, the nearest binding. It reads the Status of a 403, or what kubectl printed, from FILE or from standard input; or asks the server whether the user may do VERB with RESOURCE (pods, pods/log, deployments.apps).',
        '',
        'conflict prints for each field of a server-side apply that conflicts the two values, its owner, when and by which request that came to own it, and the ways out. It reads the Status of a 409, or applies the manifest as a dry run.',
        '',
        'The server explains what it is asked with the parameter explain=true, in details.explanation of a Status and in the annotation quarterdeck/explanation of an access review: kubectl create --raw "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?explain=true" -f review.json',
        '',
        'Values are shown to users who may read the object, and those of secrets to nobody.',
      ],
    ],
    [
      'FLAGS',
      [
        '-f, --filename FILE',
        '    The Status, or the message of one. Default: standard input.',
        '',
        '--apply MANIFEST',
        '    Objects in YAML or JSON; - for standard input.',
        '',
        '--field-manager NAME',
        '    Who applies. Default: kubectl.',
        '',
        '-n, --namespace NAMESPACE',
        '    Default: default.',
        '',
        ...SERVER,
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  It was explained.',
        '1  There is nothing to explain, or the server cannot be reached.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function recordRoleManual(): string {
  return page([
    ['NAME', ['quarterdeck record-role - write the smallest roles that would have allowed a session']],
    ['SYNOPSIS', ['quarterdeck record-role [-f] [--user NAME] [--name NAME] [--bind] [--any-name] [FILE]...']],
    [
      'DESCRIPTION',
      [
        'Reads audit events from the files, or from standard input, one in JSON a line, as --audit-log-path has them written (level Metadata is enough). Writes a Role for each namespace, and a ClusterRole, that allow exactly what the user has asked for, whether it was allowed or not. What every user may do is left out.',
        '',
        'To record a program: run it with more rights than it needs, then take them away: quarterdeck record-role --user system:serviceaccount:ci:robot --bind audit.log | kubectl apply -f -',
      ],
    ],
    [
      'FLAGS',
      [
        '-f, --follow',
        '    Read what is written to the files from now on, also after they are rotated, until Ctrl-C (SIGINT) or SIGTERM; then write the roles. Of standard input, all until its end: kubectl logs -f POD | quarterdeck record-role -f',
        '',
        '--user NAME',
        '    Whose requests. Default: the only user in the log.',
        '',
        '--name NAME',
        '    The name of the roles. Default: recorded.',
        '',
        '--bind',
        '    Write the bindings to the user too.',
        '',
        '--any-name',
        '    Allow the same for objects of all names. Default: only for those that were named.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  The roles were written.',
        '1  The log cannot be read, or has nothing of the user that needs a role.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function historyManual(): string {
  return page([
    ['NAME', ['quarterdeck history - show the past versions of an object']],
    [
      'SYNOPSIS',
      [
        'quarterdeck history KIND NAME [-n NAMESPACE] [--limit N]',
        'quarterdeck history KIND NAME --diff VERSION VERSION',
        'quarterdeck history KIND NAME --restore VERSION --dry-run|--write',
      ],
    ],
    [
      'DESCRIPTION',
      [
        'Shows the versions of an object that the server still has, the newest first: the resourceVersion of each, when it was written, by which field manager and operation, and the fields that changed. Where it was deleted, and made anew under the same name, a row says so. KIND is what kubectl takes: po, pods, Deployment, widgets.example.com.',
        '',
        'The server needs the feature gate ObjectHistory. It has what was not compacted: that of the last five to ten minutes, or longer with --etcd-compaction-interval, or with --history-retention on the embedded store. A user who may get an object may see its past; for a secret the user also needs the verb get on secrets/history. The past begins with the namespace of the object, and with the definition of its kind: versions from before either was deleted and created again are not shown.',
      ],
    ],
    [
      'FLAGS',
      [
        '--diff VERSION VERSION',
        '    Show what differs between the two.',
        '',
        '--restore VERSION --dry-run',
        '    Show what would change if the object were updated to an old version, or created anew where it is deleted. Nothing is changed.',
        '',
        '--restore VERSION --write',
        '    Do so: by an ordinary update or create of this user, which goes through admission, and fails where somebody else has written meanwhile. The status is not restored.',
        '',
        '--limit N',
        '    How many versions are looked at, up to 100. Default: 20.',
        '',
        '-n, --namespace NAMESPACE',
        '    Default: default.',
        '',
        ...SERVER,
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  It was shown, or written.',
        '1  The server cannot be reached, or refused, or does not have the version.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}
