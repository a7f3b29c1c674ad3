{{- define "warmline.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "warmline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "warmline.labels" -}}
{{ include "warmline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "warmline.scheme" -}}
{{- if .Values.settings.tlsCert }}https{{ else }}http{{ end }}
{{- end }}

{{- define "warmline.secret" -}}
{{- if .Values.existingSecret }}{{ .Values.existingSecret }}
{{- else if .Values.token }}{{ include "warmline.name" . }}
{{- else }}{{ fail "give existingSecret, the name of a Secret with the key token, or token" }}{{ end }}
{{- end }}

{{- define "warmline.config" -}}
{{- range $name := list "host" "port" "token" "tokenFile" "tokensFile" "redisPasswordFile" }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "settings.%s is set by the chart: remove it; secrets are keys of existingSecret, see values.yaml" $name) }}
{{- end }}
{{- end }}
{{- $config := merge (dict "host" "0.0.0.0" "port" 8079 "tokenFile" "/run/secrets/warmline/token") .Values.settings }}
{{- if .Values.redisPassword }}{{ $_ := set $config "redisPasswordFile" "/run/secrets/warmline/redis-password" }}{{ end }}
{{- if .Values.tokens }}{{ $_ := set $config "tokensFile" "/run/secrets/warmline/tokens.yaml" }}{{ end }}
{{- toYaml $config }}
{{- end }}
