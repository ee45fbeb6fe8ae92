import type { AgentPage } from '@farebox/platform-api/agent'
import { useState, type ReactNode } from 'react'
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
  const { endpoint } = agent
  if (endpoint === null) return null
  const code = SAMPLES[language]({
    endpoint,
    capability: capability.name,
    price: capability.price,
    input: {},
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
