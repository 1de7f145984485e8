// The flags of authentication, authorization and admission.
import { DEFAULT_PLUGINS, PLUGIN_NAMES } from './admission-plugins.ts'
import { count, directory, duration, file, flagsOf, list, off, on, oneOf, text } from './flag.ts'

export const AUTHENTICATION_FLAGS = flagsOf('Authentication', {
  'anonymous-auth': on(
    'Serve requests without credentials as the user system:anonymous. If false, such requests are rejected.',
  ),
  'anonymous-health': off(
    'Serve /livez, /readyz and /healthz to other machines without credentials. Requests from this machine never need credentials there.',
  ),
  'client-ca-file': file(
    'CA bundle for client certificates. The CN of a certificate is the user name, and each O is a group.',
  ),
  'token-auth-file': file('Static bearer tokens, one per line: token,user,uid,"group,group".'),
  'enable-bootstrap-token-auth': off(
    'Accept tokens from secrets of type bootstrap.kubernetes.io/token in kube-system, for nodes that join.',
  ),
  'kubeconfig-out': file(
    'File for the kubeconfig of the administrator, which the server writes. Default: admin.kubeconfig in the data directory.',
  ),
  'authentication-config': file(
    'AuthenticationConfiguration: JWT issuers and anonymous access. It cannot be combined with the --oidc-* flags. It is reloaded when the file changes.',
  ),
  'oidc-issuer-url': text('URL', 'OpenID Connect issuer whose tokens are accepted.'),
  'oidc-client-id': text('ID', 'Audience that the tokens of --oidc-issuer-url must have.'),
  'oidc-ca-file': file('CA bundle to verify the certificate of the issuer. Default: the CAs of the host.'),
  'oidc-username-claim': text('CLAIM', 'Claim with the user name.', 'sub'),
  'oidc-username-prefix': text(
    'TEXT',
    'Prefix of user names; - for none. Default: the issuer URL and a #, or none if the claim is email.',
  ),
  'oidc-groups-claim': text('CLAIM', 'Claim with the groups. Default: no groups.'),
  'oidc-groups-prefix': text('TEXT', 'Prefix of group names.'),
  'oidc-required-claim': list('CLAIM=VALUE,...', 'Claims that tokens must have, with these values.'),
  'oidc-signing-algs': list('ALG,...', 'Accepted signing algorithms.', 'RS256'),
  'authentication-token-webhook-config-file': file('kubeconfig of a webhook that authenticates bearer tokens.'),
  'authentication-token-webhook-version': oneOf(
    ['v1', 'v1beta1'],
    text('VERSION', 'Version of TokenReview to send: v1 or v1beta1.', 'v1beta1'),
  ),
  'authentication-token-webhook-cache-ttl': duration(
    'Time for which responses of --authentication-token-webhook-config-file are cached.',
    '2m',
  ),
  'requestheader-client-ca-file': file(
    'CA bundle for client certificates of authenticating proxies, which name the user in request headers.',
  ),
  'requestheader-allowed-names': list(
    'NAME,...',
    'Common names that the certificates of authenticating proxies may have. Default: any.',
  ),
  'requestheader-username-headers': list(
    'NAME,...',
    'Headers in which authenticating proxies name the user.',
    'X-Remote-User',
  ),
  'requestheader-uid-headers': list('NAME,...', 'Headers in which authenticating proxies give the UID of the user.'),
  'requestheader-group-headers': list(
    'NAME,...',
    'Headers in which authenticating proxies give the groups of the user.',
    'X-Remote-Group',
  ),
  'requestheader-extra-headers-prefix': list(
    'PREFIX,...',
    'Prefixes of the headers in which authenticating proxies give extra data of the user.',
    'X-Remote-Extra-',
  ),
  'service-account-issuer': list(
    'URL,...',
    'Issuers of service account tokens. New tokens name the first issuer. Tokens of all issuers are accepted.',
    'https://kubernetes.default.svc.cluster.local',
  ),
  'service-account-signing-key-file': file(
    'Private key that signs service account tokens. All replicas need the same key. Default: a key in the data directory, which the server generates.',
  ),
  'service-account-key-file': list(
    'FILE,...',
    'Further keys that verify service account tokens, such as the keys before a rotation: PEM files with public or private keys.',
  ),
  'service-account-lookup': on('Reject tokens of deleted service accounts. Cannot be disabled.'),
  'service-account-max-token-expiration': duration(
    'Maximum lifetime of service account tokens, at least 1h; 0 for no limit.',
    '0s',
  ),
  'service-account-extend-token-expiration': on(
    'Issue tokens of pods for a year if they are requested for 3607 seconds, for clients that do not reload their token.',
  ),
  'service-account-jwks-uri': text(
    'URL',
    'URI of the key set (JWKS) in the discovery document. Default: a URI on this server.',
  ),
  'api-audiences': list('NAME,...', 'Audiences of the API in service account tokens. Default: the issuers.'),
})

export const AUTHORIZATION_FLAGS = flagsOf('Authorization', {
  'authorization-mode': oneOf(
    ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'],
    list('MODE,...', 'Authorizers in order: Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny.', 'Node,RBAC'),
  ),
  'authorization-config': file(
    'AuthorizationConfiguration, which replaces --authorization-mode and the --authorization-webhook-* flags. It is reloaded when the file changes.',
  ),
  'authorization-policy-file': file('Policies of mode ABAC, one JSON object per line.'),
  'authorization-webhook-config-file': file('kubeconfig of the webhook of mode Webhook.'),
  'authorization-webhook-version': oneOf(
    ['v1', 'v1beta1'],
    text('VERSION', 'Version of SubjectAccessReview to send: v1 or v1beta1.', 'v1beta1'),
  ),
  'authorization-webhook-cache-authorized-ttl': duration(
    'Time for which responses of the webhook that allow a request are cached.',
    '5m',
  ),
  'authorization-webhook-cache-unauthorized-ttl': duration(
    'Time for which all other responses of the webhook are cached.',
    '30s',
  ),
})

export const ADMISSION_FLAGS = flagsOf('Admission', {
  'enable-admission-plugins': oneOf(
    PLUGIN_NAMES,
    list('NAME,...', `Admission plugins to enable besides the default ones: ${DEFAULT_PLUGINS.join(', ')}.`),
  ),
  'disable-admission-plugins': oneOf(PLUGIN_NAMES, list('NAME,...', 'Default admission plugins to disable.')),
  'admission-control': oneOf(
    PLUGIN_NAMES,
    list(
      'NAME,...',
      'Deprecated: the complete list of admission plugins to enable. It cannot be combined with --enable-admission-plugins or --disable-admission-plugins.',
    ),
  ),
  extensions: directory(
    'Directory of TypeScript and JavaScript files with functions for admission, conversion and authorization. The files are reloaded when they change.',
  ),
  'extensions-network': off(
    'Let the functions of --extensions connect to hosts and ports. The functions still cannot connect to Unix sockets.',
  ),
  'admission-control-config-file': file('AdmissionConfiguration: the configuration of admission plugins.'),
  'allow-privileged': off('Allow privileged containers.'),
  'default-not-ready-toleration-seconds': count(
    'tolerationSeconds that pods get for the taint node.kubernetes.io/not-ready.',
    '300',
  ),
  'default-unreachable-toleration-seconds': count(
    'tolerationSeconds that pods get for the taint node.kubernetes.io/unreachable.',
    '300',
  ),
})
