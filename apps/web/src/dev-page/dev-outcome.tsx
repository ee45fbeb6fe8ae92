import type { JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { OutputToCome, OutputView } from '../job-view/output-view.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Note } from '../parts/note.tsx'
import { DevSteps } from './dev-steps.tsx'
import { DevFare, DevTicket } from './dev-ticket.tsx'
import { readDevAnswer, type DevResult, type DevRun } from './dev-run.ts'
import type { DevAnswer, DevStep, DevAgent, DevCapability } from './wire.ts'

interface Props {
  readonly agent: DevAgent
  readonly capability: DevCapability
  readonly run: DevRun | undefined
  /** The steps reported so far. */
  readonly steps: readonly DevStep[]
}

/** The outcome of a job: its output or the reason why there is none, then the payment, then the duration of each step. */
export function DevOutcome(props: Props): ReactNode {
  const { agent, capability, run, steps } = props
  if (run === undefined) return <BeforeRun agent={agent} capability={capability} />
  const { answer } = run
  const known = answer === undefined ? steps : answer.steps
  return (
    <div className="outcome">
      {answer === undefined ? <UnderWay agent={agent} /> : <Result {...props} answer={answer} />}
      {agent.is_paid && answer !== undefined && (
        <DevTicket agent={agent} capability={run.request.capability} answer={answer} />
      )}
      <div className="heading beneath">
        <h2>Job</h2>
        <span className="end num" role="status">
          {answer !== undefined && (
            <>
              <b className={answer.status === 200 ? 'good' : 'bad'}>{answer.status ?? 'no response'}</b>
              {formatDuration(answer.ms)}
            </>
          )}
        </span>
      </div>
      <DevSteps steps={known} answer={answer} isPaid={agent.is_paid} />
      {answer !== undefined && answer.body !== '' && <AsItCame body={answer.body} />}
    </div>
  )
}

function BeforeRun(props: { readonly agent: DevAgent; readonly capability: DevCapability }): ReactNode {
  const { agent, capability } = props
  return (
    <>
      <OutputToCome fields={capability.output_schema} />
      {agent.is_paid && <DevFare agent={agent} capability={capability} />}
    </>
  )
}

function UnderWay({ agent }: { readonly agent: DevAgent }): ReactNode {
  return (
    <>
      <h2 className="with-switch">Output</h2>
      <div className="void">
        <b>Running…</b>
        <span>Deadline: {agent.max_deadline_seconds} s.</span>
      </div>
    </>
  )
}

function Result(props: Props & { readonly answer: DevAnswer }): ReactNode {
  const { capability, answer } = props
  const result = readDevAnswer(answer)
  switch (result.kind) {
    case 'delivered':
      return <Delivered capability={capability} answer={answer} output={result.output} />
    case 'refused':
      return <Refused status={answer.status} refused={result} />
    case 'trouble':
      return (
        <>
          <h2 className="with-switch">No response</h2>
          <Note tone="refused" alert>
            <p>
              <bdi>{result.sentence}</bdi>
            </p>
          </Note>
        </>
      )
  }
}

function Delivered(props: {
  readonly capability: DevCapability
  readonly answer: DevAnswer
  readonly output: JsonObject
}): ReactNode {
  const { capability, answer, output } = props
  const warned = answer.steps.find(step => step.kind === 'warned')
  return (
    <>
      <OutputView
        output={output}
        fields={capability.output_schema}
        fileName={`farebox-${answer.job_id.slice(0, 8)}`}
      />
      {warned !== undefined && <WrongOutput reason={warned.reason} />}
      {capability.is_sample && (
        <Note tone="warn">
          <p>
            <b>This is a sample.</b> There is no handler yet, so this output was generated from the output
            schema.
          </p>
        </Note>
      )}
    </>
  )
}

function Refused(props: {
  readonly status: number | null
  readonly refused: Extract<DevResult, { readonly kind: 'refused' }>
}): ReactNode {
  const { name, type, error } = props.refused
  return (
    <>
      <h2 className="with-switch">
        {name}
        <span className="end small quiet">
          {props.status} <span className="mono">{type}</span>
        </span>
      </h2>
      <div className="note refused" role="alert">
        <div>
          <p className="terminal-text">
            <bdi>{error}</bdi>
          </p>
          {error === 'Internal error' && (
            <p className="quiet">
              Callers will see only this message. The log below shows what the handler threw.
            </p>
          )}
        </div>
      </div>
    </>
  )
}

/** A note about an output that breaks its schema, with the same text as in the terminal. */
function WrongOutput({ reason }: { readonly reason: string }): ReactNode {
  const [, problem = reason] =
    /^output does not match output_schema: (.*?)(?:; production answers .*)?$/.exec(reason) ?? []
  return (
    <Note tone="warn">
      <p>
        <b>
          Wrong output. <bdi>{problem}</bdi>
        </b>
      </p>
      <p>
        The agent returned 200 only because this is dev mode. In production, it will return 500 and will not
        be paid.
      </p>
      <p>Return the output that output_schema declares, or change output_schema in agent.json.</p>
    </Note>
  )
}

const MOST_SHOWN = 20_000

function AsItCame({ body }: { readonly body: string }): ReactNode {
  return (
    <details className="as-it-came">
      <summary>Raw response</summary>
      <pre className="code" tabIndex={0}>
        {body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}…` : body}
      </pre>
      <CopyButton className="link small" text={() => body}>
        Copy
      </CopyButton>
    </details>
  )
}
