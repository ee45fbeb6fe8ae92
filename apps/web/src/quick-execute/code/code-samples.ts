import type { JsonObject } from '@farebox/protocol/fields/field'

/** The package that callers install. These pages do not import it. */
const CLIENT = '@farebox/client/execute'

/** A call of a capability, to be shown as code. */
export interface SampleCall {
  readonly endpoint: string
  readonly capability: string
  /** Decimal USDC. */
  readonly price: string
  readonly input: JsonObject
}

/** A call with our client, which signs one payment that is valid for this job only. */
export function typescriptSample({ endpoint, capability, price, input }: SampleCall): string {
  return `// Signs one payment, valid only for this job. If the response is lost, you will not pay twice.
import { execute } from '${CLIENT}'

const { output, payment } = await execute(${quote(endpoint)}, ${quote(capability)}, ${indent(input)}, { signer, maxPrice: ${quote(price)} })
`
}

/** A call without a payment, which the agent answers with 402 and its price. */
export function curlSample({ endpoint, capability, input }: SampleCall): string {
  const body = {
    service_version: '1.0',
    job_id: '00000000-0000-4000-8000-000000000000',
    deadline: 4_102_444_800,
    task: { capability, input },
  }
  return `# Without a payment, this returns 402 with the price.
curl -i ${quoteForShell(`${endpoint}/execute`)} \\
  -H 'content-type: application/json' \\
  -d ${quoteForShell(JSON.stringify(body))}
`
}

/** A call with the Python client of the x402 project. */
export function pythonSample({ endpoint, capability, input }: SampleCall): string {
  return `# pip install x402[requests,evm] eth-account
import time, uuid, json

job = {
    "service_version": "1.0",
    "job_id": str(uuid.uuid4()),
    "deadline": time.time() + 30,
    "task": {"capability": ${quote(capability)}, "input": json.loads(${quote(JSON.stringify(input))})},
}
response = session.post(${quote(`${endpoint}/execute`)}, json=job)  # the x402 session pays the 402
print(response.json()["output"])
`
}

function indent(input: JsonObject): string {
  return JSON.stringify(input, null, 2)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

/** Quotes a text as one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
