/** The one version of the interface this code speaks; sent and required as `service_version`. */
export const SERVICE_VERSION = '1.0'
