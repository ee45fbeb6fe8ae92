import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useRef, useState, type ReactNode, type RefObject } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Switch } from '../../parts/switch.tsx'
import { onLeft, useRead } from '../../site/question.ts'
import { codeInput } from '../../quick-execute/code/code-input.ts'
import { curlSample, pythonSample, typescriptSample } from '../../quick-execute/code/code-samples.ts'

const SAMPLES = { typescript: typescriptSample, curl: curlSample, python: pythonSample }

/** How far below the view the section starts to load. */
const NEAR = '300px'

/** Code samples that call the capability with the input of the form. */
export function FromCode(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
  readonly typed: JsonObject
}): ReactNode {
  const { agent, capability, typed } = props
  const [language, setLanguage] = useState<keyof typeof SAMPLES>('typescript')
  const section = useRef<HTMLElement>(null)
  const sample = useSample(capability, section)
  const { endpoint } = agent
  if (endpoint === null) return null
  const code = SAMPLES[language]({
    endpoint,
    capability: capability.name,
    price: capability.price,
    input: codeInput(capability.input_schema as FieldMap, typed, sample),
  })
  return (
    <section id="code" ref={section}>
      <Heading
        end={
          <>
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
          </>
        }
      >
        Code samples
      </Heading>
      <pre className="code" tabIndex={0}>
        {code.split('\n').map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className={/^(?:\/\/|#)/.test(line) ? 'faint' : undefined}>
            {`${line}\n`}
          </span>
        ))}
      </pre>
    </section>
  )
}

/** A sample input of the capability. Its code is large, so it is loaded when the section comes near the view. */
function useSample(
  { name, input_schema: fields }: AgentPage['capabilities'][number],
  section: RefObject<HTMLElement | null>,
): JsonObject | undefined {
  const { answer } = useRead(name, async signal => {
    await comesNear(section.current, signal)
    const { sampleInput } = await import('../../fields/check-input.ts')
    return { input: sampleInput(fields as FieldMap) }
  })
  return answer?.input
}

/** Resolves once an element is in or near the view. */
function comesNear(element: HTMLElement | null, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const watch = new IntersectionObserver(
      entries => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) resolve()
      },
      { rootMargin: NEAR },
    )
    if (element !== null) watch.observe(element)
    onLeft(signal, () => watch.disconnect())
  })
}
