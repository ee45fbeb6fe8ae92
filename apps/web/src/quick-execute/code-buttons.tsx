import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { codeInput } from './code-input.ts'
import { curlSample, typescriptSample } from './code-samples.ts'

/** The same job from code, with the input as it stands in the form. */
export function CodeButtons(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
  readonly price: string
  readonly input: JsonObject
}): ReactNode {
  const { agent, capability, price } = props
  const { endpoint } = agent
  if (endpoint === null) return null
  const input = codeInput(capability.input_schema as FieldMap, props.input, undefined)
  const call = { endpoint, capability: capability.name, price, input }
  return (
    <>
      <CopyButton text={() => curlSample(call)}>Copy as curl</CopyButton>
      <CopyButton text={() => typescriptSample(call)}>Copy as TypeScript</CopyButton>
    </>
  )
}
