import type { ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { OutputToCome, OutputView } from '../job-view/output-view.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Note } from '../parts/note.tsx'
import { RunLine } from './run-line.tsx'
import { Fare, RunTicket } from './run-ticket.tsx'
import { readOutcome, type Run } from './run.ts'
import type { RunAnswer, RunStep, ServedAgent, ServedCapability } from './wire.ts'

interface Props {
  readonly agent: ServedAgent
  readonly capability: ServedCapability
  readonly run: Run | undefined
  /** As far as they were heard of. */
  readonly steps: readonly RunStep[]
}

/** What became of a job: the output or why there is none, the money, then where the time went. */
export function RunOutcome(props: Props): ReactNode {
  const { agent, capability, run, steps } = props
  if (run === undefined) return <BeforeRun agent={agent} capability={capability} />
  const { answer } = run
  const known = answer === undefined ? steps : answer.steps
  return (
    <div className="outcome">
      {answer === undefined ? <UnderWay agent={agent} /> : <Result {...props} run={run} answer={answer} />}
      {agent.is_paid && answer !== undefined && (
        <RunTicket agent={agent} capability={run.request.capability} answer={answer} />
      )}
      <div className="heading of-job">
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
      <RunLine steps={known} answer={answer} isPaid={agent.is_paid} />
      {answer !== undefined && answer.body !== '' && <AsItCame body={answer.body} />}
    </div>
  )
}

function BeforeRun(props: { readonly agent: ServedAgent; readonly capability: ServedCapability }): ReactNode {
  const { agent, capability } = props
  return (
    <>
      <OutputToCome fields={capability.output_schema} />
      {agent.is_paid && <Fare agent={agent} capability={capability} />}
    </>
  )
}

function UnderWay({ agent }: { readonly agent: ServedAgent }): ReactNode {
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

function Result(props: Props & { readonly run: Run; readonly answer: RunAnswer }): ReactNode {
  const { capability, answer } = props
  const outcome = readOutcome(answer)
  switch (outcome.kind) {
    case 'delivered': {
      const warned = answer.steps.find(step => step.kind === 'warned')
      return (
        <>
          <OutputView
            output={outcome.output}
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
    case 'refused':
      return (
        <>
          <h2 className="with-switch">
            {outcome.name}
            <span className="end small quiet">
              {answer.status} <span className="mono">{outcome.type}</span>
            </span>
          </h2>
          <div className="note refused" role="alert">
            <div>
              <p className="told">
                <bdi>{outcome.error}</bdi>
              </p>
              {outcome.error === 'Internal error' && (
                <p className="quiet">
                  Callers will see only this message. The log below shows what the handler threw.
                </p>
              )}
            </div>
          </div>
        </>
      )
    case 'trouble':
      return (
        <>
          <h2 className="with-switch">No response</h2>
          <Note tone="refused" alert>
            <p>
              <bdi>{outcome.sentence}</bdi>
            </p>
          </Note>
        </>
      )
  }
}

/** As the terminal says it. */
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
