import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useState, type ReactNode } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Switch } from '../../parts/switch.tsx'
import { curlSample, pythonSample, typescriptSample } from '../../quick-execute/code-samples.ts'

const SAMPLES = { typescript: typescriptSample, curl: curlSample, python: pythonSample }

/** The same capability called from code. */
export function FromCode(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
}): ReactNode {
  const { agent, capability } = props
  const [language, setLanguage] = useState<keyof typeof SAMPLES>('typescript')
  const input = useSample(capability)
  const { endpoint } = agent
  if (endpoint === null) return null
  const code = SAMPLES[language]({
    endpoint,
    capability: capability.name,
    price: capability.price,
    input,
  })
  return (
    <section id="code">
      <div className="heading">
        <h2>From code</h2>
        <span className="end">
          <Switch
            label="Language"
            value={language}
            choices={[
              ['typescript', 'TypeScript'],
              ['curl', 'curl'],
              ['python', 'Python'],
            ]}
            onChange={setLanguage}
          />
          <CopyButton className="link" text={() => code}>
            Copy
          </CopyButton>
          <a href={`/v1/agents/${agent.agent_id}/openapi.json`}>OpenAPI</a>
        </span>
      </div>
      <pre className="code" tabIndex={0}>
        {code.split('\n').map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className={/^(?:\/\/|#)/.test(line) ? 'comment' : undefined}>
            {`${line}\n`}
          </span>
        ))}
      </pre>
    </section>
  )
}

/** An input that the capability takes; empty until it is made, by code that the page does not open with. */
function useSample({ name, input_schema: fields }: AgentPage['capabilities'][number]): JsonObject {
  const [made, setMade] = useState<{ readonly name: string; readonly input: JsonObject }>()
  useEffect(() => {
    let isGone = false
    import('../../fields/check-input.ts').then(
      ({ sampleInput }) => {
        if (!isGone) setMade({ name, input: sampleInput(fields as FieldMap) ?? {} })
      },
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [name, fields])
  return made?.name === name ? made.input : {}
}
