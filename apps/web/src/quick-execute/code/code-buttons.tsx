import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { codeInput } from './code-input.ts'
import { curlSample, typescriptSample, type SampleCall } from './code-samples.ts'

/** Buttons that copy a call of the capability as code, with the input of the form. */
export function CodeButtons(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
  readonly price: string
  readonly input: JsonObject
}): ReactNode {
  const { agent, capability, price } = props
  const { endpoint } = agent
  if (endpoint === null) return null
  const fields = capability.input_schema as FieldMap
  const copy = async (write: (call: SampleCall) => string): Promise<string> => {
    const { sampleInput } = await import('../../fields/check-input.ts')
    const input = codeInput(fields, props.input, sampleInput(fields))
    return write({ endpoint, capability: capability.name, price, input })
  }
  return (
    <>
      <CopyButton text={() => copy(curlSample)}>Copy as curl</CopyButton>
      <CopyButton text={() => copy(typescriptSample)}>Copy as TypeScript</CopyButton>
    </>
  )
}
