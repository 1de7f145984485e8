{{- define "quarterdeck.name" -}}
{{- if contains "quarterdeck" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-quarterdeck" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "quarterdeck.selector" -}}
app.kubernetes.io/name: quarterdeck
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quarterdeck.labels" -}}
{{ include "quarterdeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "quarterdeck.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The Secret with the serving certificate. */}}
{{- define "quarterdeck.tlsSecret" -}}
{{- if eq .Values.tls.mode "secret" -}}
{{ required "tls.secretName is needed where tls.mode is secret" .Values.tls.secretName }}
{{- else -}}
{{ include "quarterdeck.name" . }}-tls
{{- end -}}
{{- end }}

{{/* Not empty where replicas ask each other: there are several, and what they are known by is made or given. */}}
{{- define "quarterdeck.peers" -}}
{{- $known := or (ne .Values.tls.mode "secret") (not (empty .Values.peers.secretName)) -}}
{{- if and .Values.peers.enabled $known (eq .Values.storage.kind "etcd") (gt (int .Values.replicas) 1) -}}
true
{{- end -}}
{{- end }}

{{- define "quarterdeck.dnsNames" -}}
{{- $name := include "quarterdeck.name" . -}}
{{- $own := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) "kubernetes" "kubernetes.default" "kubernetes.default.svc" "localhost" -}}
{{- if include "quarterdeck.peers" . -}}
{{- range $number := until (int .Values.replicas) -}}
{{- $own = append $own (printf "%s-%d.%s-replicas.%s.svc" $name $number $name $.Release.Namespace) -}}
{{- end -}}
{{- end -}}
{{- concat $own .Values.tls.names | uniq | toJson -}}
{{- end }}

{{- define "quarterdeck.addresses" -}}
{{- concat (list "127.0.0.1") .Values.tls.addresses | uniq | toJson -}}
{{- end }}

{{/* What is wrong with the values, before anything is made of them. */}}
{{- define "quarterdeck.check" -}}
{{- if and (eq .Values.storage.kind "etcd") (not .Values.storage.etcd.endpoints) -}}
{{- fail "storage.etcd.endpoints is needed where storage.kind is etcd" -}}
{{- end -}}
{{- $dev := or (has "--dev" .Values.extraArgs) (has "--dev=true" .Values.extraArgs) -}}
{{- range eq .Values.storage.kind "etcd" | ternary .Values.storage.etcd.endpoints list -}}
{{- if and (hasPrefix "http:" .) (not (regexMatch "^http://(localhost|127(\\.\\d+){3}|\\[::1\\]):" .)) (not $dev) -}}
{{- fail (printf "storage.etcd.endpoints: %s is a remote etcd without TLS, which the server refuses; use https" .) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.tls.mode "certManager") (not .Values.tls.certManager.issuerRef.name) -}}
{{- fail "tls.certManager.issuerRef.name is needed where tls.mode is certManager" -}}
{{- end -}}
{{- end }}
