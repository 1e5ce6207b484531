{{- define "dragoman.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dragoman.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dragoman.metadata" -}}
name: {{ include "dragoman.name" . }}
labels:
  {{- include "dragoman.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "dragoman.hardened" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* "true" where a single pod keeps its data on a volume. */ -}}
{{- define "dragoman.alone" -}}
{{- and .Values.data.enabled (not .Values.sharedDatabase) -}}
{{- end -}}
