import type { RunRequest } from './wire.ts'

/** The same job from a terminal, as a new one; good until 2100. */
export function curlSample(url: string, { job_id, capability, input }: RunRequest): string {
  const body = { service_version: '1.0', job_id, deadline: 4_102_444_800, task: { capability, input } }
  return `curl -s ${shell(`${url}/execute`)} -H 'content-type: application/json' -d ${shell(JSON.stringify(body))}\n`
}

function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
