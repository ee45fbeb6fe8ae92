import type { Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { focusUnreadable } from '../input-form/focus-unreadable.ts'
import { InputForm } from '../input-form/input-form.tsx'
import { focusRefused, RunForm } from '../input-form/run-form.tsx'
import { SampleButton } from '../input-form/sample-button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { quoteForShell } from '../quick-execute/code/code-samples.ts'
import { DevOutcome } from './dev-outcome.tsx'
import { readDevAnswer, type DevRun } from './dev-run.ts'
import type { DevAgent, DevAnswer, DevCapability, DevJob, DevStep } from './wire.ts'

interface Props {
  readonly agent: DevAgent
  readonly capability: DevCapability
  readonly input: JsonObject
  readonly onInput: (input: JsonObject) => void
  readonly run: DevRun | undefined
  readonly steps: readonly DevStep[]
  readonly onRun: () => void
  /** Whether each save runs the job again. This is offered only when jobs cost nothing. */
  readonly repeats: boolean
  readonly onRepeats: (repeats: boolean) => void
}

/** One capability: its input at the left, its outcome at the right. The agent's refusal is shown at the field it names. */
export function Workbench(props: Props): ReactNode {
  const { agent, capability, input, onInput, run, steps, onRun, repeats, onRepeats } = props
  const form = useRef<HTMLFormElement>(null)
  const isRunning = run !== undefined && run.answer === undefined
  const fields = capability.input_schema
  const { refusal, check } = useRefusal(form, { fields, input, answer: run?.answer })
  const submit = (): void => {
    if (!isRunning && !focusUnreadable(form.current)) onRun()
  }
  const recheck = (): void => {
    if (refusal !== undefined) check()
  }
  return (
    <RunForm
      form={form}
      isAfter={run !== undefined}
      submit={submit}
      input={
        <InputForm
          fields={fields}
          value={input}
          onChange={onInput}
          form={{ refusal, onLeave: recheck, isHeld: false }}
        >
          <div className="row tools">
            <SampleButton fields={fields} onInput={onInput} isHeld={false} />
            <CopyButton
              text={() =>
                curlCall(agent.url, { job_id: crypto.randomUUID(), capability: capability.name, input })
              }
            >
              Copy as curl
            </CopyButton>
          </div>
          <RunButton
            agent={agent}
            price={capability.price}
            isRunning={isRunning}
            repeats={repeats}
            onRepeats={onRepeats}
          />
        </InputForm>
      }
      outcome={<DevOutcome agent={agent} capability={capability} run={run} steps={steps} />}
    />
  )
}

/** The refusal in the newest response, whose field takes the focus; `check` looks for one in the current input. */
function useRefusal(
  form: RefObject<HTMLFormElement | null>,
  asked: {
    readonly fields: FieldMap
    readonly input: JsonObject
    readonly answer: DevRun['answer']
  },
): { readonly refusal: Violation | undefined; readonly check: () => void } {
  const { fields, input, answer } = asked
  const [refusal, setRefusal] = useState<Violation>()
  useEffect(() => {
    if (answer === undefined) return undefined
    let isNewest = true
    const show = (found: Violation | undefined): void => {
      if (isNewest) setRefusal(found)
    }
    findRefused(answer, fields, input).then(show, () => undefined)
    return () => {
      isNewest = false
    }
    // Only a new response can refuse a field.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [answer])
  useEffect(() => {
    if (refusal !== undefined) focusRefused(form.current)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [answer, refusal === undefined])
  return {
    refusal,
    check: () => void findViolation(fields, input).then(setRefusal, () => undefined),
  }
}

/** The field that the agent refused; undefined when it refused none, or when the handler gave a reason of its own. */
async function findRefused(
  answer: DevAnswer,
  fields: FieldMap,
  input: JsonObject,
): Promise<Violation | undefined> {
  const result = readDevAnswer(answer)
  if (result.kind !== 'refused' || result.type !== 'validation') return undefined
  const found = await findViolation(fields, input)
  // The page applies the agent's own rules, so an equal text means the same refusal.
  return found !== undefined && result.error === `${found.field}: ${found.reason}` ? found : undefined
}

async function findViolation(fields: FieldMap, input: JsonObject): Promise<Violation | undefined> {
  const { checkInput } = await import('../fields/check-input.ts')
  const checked = checkInput(fields, input)
  return checked.ok ? undefined : checked.violation
}

/** The button that runs the job, with the cost of a run. */
function RunButton(props: {
  readonly agent: DevAgent
  readonly price: string
  readonly isRunning: boolean
  readonly repeats: boolean
  readonly onRepeats: (repeats: boolean) => void
}): ReactNode {
  const { agent, price, isRunning, repeats, onRepeats } = props
  return (
    <div className="pay">
      <button
        type="submit"
        className={agent.is_paid ? 'button fare wide' : 'button solid wide tall'}
        disabled={isRunning}
      >
        {isRunning ? (
          'Running…'
        ) : (
          <>
            {agent.is_paid ? `Pay ${price} USDC and run` : 'Run'} <kbd aria-hidden="true">Ctrl ↵</kbd>
          </>
        )}
      </button>
      {agent.is_paid ? (
        <p className="hint centre">
          This uses test money on a local chain. If a job is not delivered, you are not charged.
        </p>
      ) : (
        <>
          <p className="hint centre">Payments are off. In production, this job will cost {price} USDC.</p>
          <label className="repeats">
            <input type="checkbox" checked={repeats} onChange={event => onRepeats(event.target.checked)} />
            Run again on each save
          </label>
        </>
      )}
    </div>
  )
}

/** A curl command that runs the same input as a new job; its deadline is in the year 2100. */
function curlCall(url: string, { job_id, capability, input }: DevJob): string {
  const body = { service_version: '1.0', job_id, deadline: 4_102_444_800, task: { capability, input } }
  return `curl -s ${quoteForShell(`${url}/execute`)} -H 'content-type: application/json' -d ${quoteForShell(JSON.stringify(body))}\n`
}
