// The flags of the listener for operators. `quarterdeck store serve` has them too.
import { file, flagsOf, off, port, text } from './flag.ts'

export const MANAGEMENT_FLAGS = flagsOf('Management', {
  'management-address': text(
    'HOST:PORT',
    'Address of a listener for health checks, metrics and debug pages, which answers only GET, over HTTP. HOST is an IP address or localhost; PORT is 0 for any free port. Connections from this machine need no credentials. Other connections need the token of --management-token-file or a certificate for --management-client-ca-file. Default: no listener.',
  ),
  'management-token-file': file(
    'File with a bearer token. Other machines that send this token may read everything at --management-address. The file is read again at each use.',
  ),
  'management-client-ca-file': file(
    'CA bundle. Other machines with a client certificate of these authorities may read everything at --management-address. With this flag, that address is served over TLS, with the serving certificate.',
  ),
  'management-open-probes': off(
    'Answer /livez, /readyz and /healthz at --management-address to other machines without credentials.',
  ),
})

export type ManagementFlag = (typeof MANAGEMENT_FLAGS)[number]['name']

export const HEALTHZ_FLAG = flagsOf('Management', {
  'healthz-port': port(
    'Deprecated: use --management-address. Port of 127.0.0.1 that serves only /healthz, /livez and /readyz; 0 for none.',
    '0',
  ),
})
